// What `q` asks for, and whether a record has it: words, phrases, beginnings of words, and what must not be there.
import { GazetteError } from '../../errors.ts';
import type { Field, RegisterRecord } from '../record.ts';
import { wordsOf } from './words.ts';

/** The most words of a query. */
export const MAX_QUERY_WORDS = 32;

/** One part of a query. */
export interface WordPart {
  /** Words that follow each other in one text; usually one. */
  readonly words: readonly string[];
  /** Whether the last word is only the beginning of one. */
  readonly isPrefix: boolean;
  /** Whether the record must not have it. */
  readonly isNegated: boolean;
}

/** `-`, then a phrase in quotes or a text without spaces, then `*`. An open quote runs to the end. */
const PART = /(-?)(?:"([^"]*)(?:"|$)|([^\s"]+))/gu;

/**
 * The parts of a query.
 *
 * @throws GazetteError `invalid_parameter` for a query without words, and for one with more than {@link MAX_QUERY_WORDS}
 * @example parseWords('permit -draft "public notice" asbest*')
 */
export function parseWords(query: string): readonly WordPart[] {
  const parts = Array.from(query.matchAll(PART), ([, minus, phrase, plain]): WordPart => {
    const text = phrase ?? plain!;
    const isPrefix = phrase === undefined && text.endsWith('*');
    return { words: wordsOf(text), isPrefix, isNegated: minus === '-' };
  }).filter(({ words }) => words.length > 0);
  const count = parts.reduce((sum, { words }) => sum + words.length, 0);
  if (count === 0) throw invalid('have at least one word');
  if (count > MAX_QUERY_WORDS) throw invalid(`have at most ${MAX_QUERY_WORDS} words, got ${count}`);
  return parts;
}

function invalid(expected: string): GazetteError {
  return new GazetteError('invalid_parameter', `q must ${expected}`, { details: { parameter: 'q' } });
}

/** The texts of a record in which words are looked for. */
export function searchedTexts(record: RegisterRecord, fields: readonly Field[]): readonly string[] {
  const { title, summary, content, author, key, data } = record;
  const own = fields.filter(({ type }) => type === 'text').map(({ name }) => data[name]);
  return [title, summary, content, author, key, ...own].filter((text) => typeof text === 'string');
}

/**
 * Whether a record has what the parts of a query ask for.
 *
 * @param areWordsFound single words that must be there are known to be
 */
export function matchesWords(
  parts: readonly WordPart[],
  record: RegisterRecord,
  fields: readonly Field[],
  areWordsFound: boolean,
): boolean {
  const asked = areWordsFound ? parts.filter((part) => !isPlain(part)) : parts;
  if (asked.length === 0) return true;
  const texts = searchedTexts(record, fields).map(wordsOf);
  return asked.every((part) => texts.some((words) => has(words, part)) !== part.isNegated);
}

/** Whether a part asks for one whole word: an index knows the records that have it. */
export function isPlain({ words, isPrefix, isNegated }: WordPart): boolean {
  return words.length === 1 && !isPrefix && !isNegated;
}

function has(words: readonly string[], { words: asked, isPrefix }: WordPart): boolean {
  const last = asked.length - 1;
  for (let at = 0; at + last < words.length; at++) {
    const isHere = asked.every((word, index) => {
      const found = words[at + index]!;
      return index === last && isPrefix ? found.startsWith(word) : found === word;
    });
    if (isHere) return true;
  }
  return false;
}
