// What `q` asks for, and whether a record has it: words, phrases, beginnings of words, and what must not be there.
import { GazetteError } from '../../errors.ts';
import { textOfHtml } from '../../html-text.ts';
import type { JsonValue } from '../canonical-json.ts';
import { type Field, type FieldType, hasHtml, type RegisterRecord } from '../record.ts';
import { charactersOf, wordsOf } from './words.ts';

/** The most words of a query; a text in a script without spaces has about as many as characters. */
const MAX_QUERY_WORDS = 32;

/** One part of a query. */
export interface WordPart {
  /**
   * Words that follow each other in one text; usually one. A single character of a script without spaces (東) at either
   * end may be part of a longer run there (東京).
   */
  readonly words: readonly string[];
  /** Whether the last word is only the beginning of one. */
  readonly isPrefix: boolean;
  /** Whether the record must not have it. */
  readonly isNegated: boolean;
}

/** The quotes that keyboards put in the place of `"`. */
const QUOTES = /[“”„‟＂]/g;

/** `-`, then a phrase in quotes or a text without spaces. An open quote runs to the end. */
const PART = /(-?)(?:"([^"]*)(?:"|$)|([^\s"]+))/g;

/** A star at a word's end. Signs may follow it: `asbest*,`. */
const STAR = /[\p{L}\p{M}\p{N}]\*[^\p{L}\p{M}\p{N}]*$/u;

/**
 * The parts of a query. A text that splits into several words (`22/01`, `O'Neil`, `東京都`) asks for those words in a row.
 *
 * @throws GazetteError `invalid_parameter` for a query without words, and for one with more than {@link MAX_QUERY_WORDS}
 * @example parseWords('permit -draft "public notice" asbest*')
 */
export function parseWords(query: string): readonly WordPart[] {
  const parts = partsOf(query);
  const count = countOf(parts);
  if (count === 0) throw invalid('have at least one word, such as asbestos');
  if (count > MAX_QUERY_WORDS) throw invalid(`have at most ${MAX_QUERY_WORDS} words, got ${count}`);
  return parts;
}

/** Why {@link parseWords} refuses a query, for forms: it has no word, or too many. Null: it does not. */
export function faultOfWords(query: string): 'none' | 'many' | null {
  const count = countOf(partsOf(query));
  return count === 0 ? 'none' : count > MAX_QUERY_WORDS ? 'many' : null;
}

function partsOf(query: string): readonly WordPart[] {
  return Array.from(query.replace(QUOTES, '"').matchAll(PART), ([, minus, phrase, plain]): WordPart => {
    const words = wordsOf(phrase ?? plain!);
    // In a script without spaces every word is whole, and found inside longer runs.
    const isPrefix = phrase === undefined && STAR.test(plain!) && charactersOf(words.at(-1) ?? '').length === 0;
    return { words, isPrefix, isNegated: minus === '-' };
  }).filter(({ words }) => words.length > 0);
}

function countOf(parts: readonly WordPart[]): number {
  return parts.reduce((sum, { words }) => sum + words.length, 0);
}

function invalid(expected: string): GazetteError {
  return new GazetteError('invalid_parameter', `q must ${expected}`, { details: { parameter: 'q' } });
}

/** The texts of a record in which words are looked for. HTML counts as the text that it shows. */
export function searchedTexts(record: RegisterRecord, fields: readonly Field[]): readonly string[] {
  return [...previewTexts(record), ...hiddenTexts(record, fields)];
}

/** Those of them that a preview shows, the summary at least in part. */
export function previewTexts({ title, summary, key }: RegisterRecord): readonly string[] {
  return summary === null ? [title, key] : [title, summary, key];
}

/** Those of them that no preview shows. */
export function hiddenTexts(record: RegisterRecord, fields: readonly Field[]): readonly string[] {
  const { content, author, data } = record;
  const text = hasHtml(record) ? textOfHtml(record.content) : content;
  const own = fields.filter(({ type }) => isSearched(type)).flatMap(({ name }) => textsIn(data[name] ?? null));
  return [...[text, author].filter((one) => typeof one === 'string'), ...own];
}

/** Whether words are looked for in own fields of this type. */
export function isSearched(type: FieldType): boolean {
  return type === 'text' || type === 'json';
}

/** The texts in a value, however deep; names of members are none. */
function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  const texts: string[] = [];
  for (let level: readonly JsonValue[] = [value]; level.length > 0;) {
    for (const one of level) if (typeof one === 'string') texts.push(one);
    level = level.flatMap((one) => (one !== null && typeof one === 'object' ? Object.values(one) : []));
  }
  return texts;
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

/** Whether the title of a record that matches has all the words that are asked for. */
export function isInTitle(parts: readonly WordPart[], { title }: Pick<RegisterRecord, 'title'>): boolean {
  const words = wordsOf(title);
  return parts.every((part) => part.isNegated || has(words, part));
}

/** Whether a part asks for one whole word: an index knows the records that have it. */
export function isPlain({ words, isPrefix, isNegated }: WordPart): boolean {
  return words.length === 1 && !isPrefix && !isNegated;
}

function has(words: readonly string[], { words: asked, isPrefix }: WordPart): boolean {
  const last = asked.length - 1;
  const isOpenFirst = isCharacter(asked[0]!);
  const isOpenLast = isCharacter(asked[last]!);
  const isHere = (at: number): boolean =>
    asked.every((word, index) => {
      const found = words[at + index]!;
      return (
        found === word ||
        (index === last && isPrefix && found.startsWith(word)) ||
        (index === 0 && isOpenFirst && charactersOf(found).at(-1) === word) ||
        (index === last && isOpenLast && charactersOf(found)[0] === word)
      );
    });
  for (let at = 0; at + last < words.length; at++) if (isHere(at)) return true;
  return false;
}

/** Whether a word is a single character of a script without spaces. */
function isCharacter(word: string): boolean {
  return charactersOf(word).length === 1;
}
