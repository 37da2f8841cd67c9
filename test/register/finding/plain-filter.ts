// Whether a record matches a filter, as finding.md says it: plain, slow, and sharing nothing with src/ but types.
import type { Filter } from '../../../src/register/page.ts';
import type { JsonValue } from '../../../src/register/canonical-json.ts';
import type { Field, RegisterRecord } from '../../../src/register/record.ts';
import { plainWords } from './plain-words.ts';

/** Nanoseconds since 1970 of a date (its midnight UTC) or a date-time; null for another text. */
export function nanoseconds(time: string): bigint | null {
  const parts = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d)))?$/.exec(time);
  if (parts === null) return null;
  const [
    ,
    year,
    month,
    day,
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    sign = '+',
    hours = '0',
    minutes = '0',
  ] = parts;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const seconds = Number(hour) * 3600 + (Number(minute) - offset) * 60 + Number(second);
  return (BigInt(date.getTime() / 1000) + BigInt(seconds)) * 10n ** 9n + BigInt(fraction.padEnd(9, '0'));
}

/** A power of ten that makes every number of the tests whole. */
export const SCALE = 1500;

/** A number times 10^1500, exactly; null for what is no number. */
export function scaled(number: string): bigint | null {
  const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number);
  if (parts === null) return null;
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts;
  const size = BigInt(whole + fraction) * 10n ** BigInt(SCALE + Number(power) - fraction.length);
  return sign === '-' ? -size : size;
}

/** A part of a query: what must stand, or must not stand, in one text. */
interface Part {
  readonly isNegated: boolean;
  readonly isPrefix: boolean;
  readonly words: readonly string[];
}

/** Reads a query character by character. */
export function plainQuery(query: string): readonly Part[] {
  const parts: Part[] = [];
  let rest = query.replace(/[“”„‟＂]/g, '"');
  while (rest.trim() !== '') {
    rest = rest.trimStart();
    const isNegated = rest.startsWith('-');
    if (isNegated) rest = rest.slice(1);
    let text: string;
    let isPrefix = false;
    if (rest.startsWith('"')) {
      const end = rest.indexOf('"', 1);
      text = rest.slice(1, end < 0 ? undefined : end);
      rest = end < 0 ? '' : rest.slice(end + 1);
    } else {
      const end = rest.search(/[\s"]/);
      text = end < 0 ? rest : rest.slice(0, end);
      rest = rest.slice(text.length);
      const star = text.lastIndexOf('*');
      isPrefix =
        star > 0 && /[\p{L}\p{M}\p{N}]$/u.test(text.slice(0, star)) && !/[\p{L}\p{M}\p{N}]/u.test(text.slice(star));
    }
    const words = plainWords(text);
    if (words.length > 0) parts.push({ isNegated, isPrefix, words });
  }
  return parts;
}

const UNSPACED = /^[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]/u;

/** The letters of a word in a script without spaces, each with its marks; none for other words. */
function lettersOf(word: string): readonly string[] {
  if (!UNSPACED.test(word)) return [];
  const letters: string[] = [];
  for (const character of word) {
    if (/\p{M}/u.test(character)) letters.push((letters.pop() ?? '') + character);
    else letters.push(character);
  }
  return letters;
}

function isIn({ words: asked, isPrefix }: Part, words: readonly string[]): boolean {
  return words.some((_, start) =>
    asked.every((word, index) => {
      const found = words[start + index];
      if (found === undefined) return false;
      if (found === word) return true;
      const [isFirst, isLast] = [index === 0, index === asked.length - 1];
      if (isLast && isPrefix && lettersOf(word).length === 0 && found.startsWith(word)) return true;
      if (lettersOf(word).length !== 1) return false;
      const letters = lettersOf(found);
      return (isFirst && letters[1] === word) || (isLast && letters[0] === word);
    }),
  );
}

/** The text of the little HTML that the tests write. */
function htmlText(html: string): string {
  return html
    .replaceAll('<br>', ' ')
    .replace(/<\/?b>/g, '')
    .replaceAll('&eacute;', 'é')
    .replaceAll('&amp;', '&');
}

/** Whether a record matches. The filter is one that the register knows, with values that fit. */
export function plainMatches(record: RegisterRecord, filter: Filter, fields: readonly Field[]): boolean {
  return Object.entries(filter).every(([name, given]) => {
    const values = typeof given === 'string' ? [given] : given;
    if (name === 'q') {
      const { title, summary, content, content_type, author, key, data } = record;
      const text = content_type === 'html' && content !== null ? htmlText(content) : content;
      const own = fields.filter(({ type }) => type === 'text').map((field) => data[field.name]);
      const inside: string[] = [];
      for (const { name: json } of fields.filter(({ type }) => type === 'json')) {
        JSON.stringify(data[json], (_, one: unknown) => {
          if (typeof one === 'string') inside.push(one);
          return one;
        });
      }
      const texts = [title, summary, text, author, key, ...own, ...inside]
        .filter((one) => typeof one === 'string')
        .map(plainWords);
      return plainQuery(values[0]!).every((part) => texts.some((words) => isIn(part, words)) !== part.isNegated);
    }
    const end = /_(?:since|until|min|max)$/.exec(name)?.[0] ?? '';
    const field = name.slice(0, name.length - end.length);
    const own = fields.find((one) => `data.${one.name}` === field);
    const value = own === undefined ? coreValue(record, field, end) : record.data[own.name];
    if (own?.type === 'json') return values.some((one) => jsonHas(value ?? null, one));
    if (value === null || value === undefined || typeof value === 'object') return false;
    const text = String(value);
    if (end === '_since' || end === '_until') {
      const [at, bound] = [nanoseconds(text), nanoseconds(values[0]!)!];
      return at !== null && (end === '_since' ? at >= bound : at < bound);
    }
    if (end !== '') {
      const [number, bound] = [scaled(text)!, scaled(values[0]!)!];
      return end === '_min' ? number >= bound : number <= bound;
    }
    return values.some((one) => {
      if (own?.type === 'datetime') return nanoseconds(one) === nanoseconds(text);
      if (own?.type === 'number') return Number(one) === value;
      if (own?.type === 'decimal' || own?.type === 'integer') return scaled(one) === scaled(text);
      if (own?.type === 'text') return isSameText(one, text);
      return own?.type === 'boolean' ? one.toLowerCase() === text : one === text;
    });
  });
}

/** Whether a list has a text, or the value is it. */
function jsonHas(value: JsonValue, text: string): boolean {
  if (Array.isArray(value)) return value.some((item) => typeof item === 'string' && isSameText(item, text));
  return value !== null && typeof value !== 'object' && isSameText(String(value), text);
}

/** Whether two texts differ in the case of their letters alone: character by character, with the sigma at the end of words. */
export function isSameText(a: string, b: string): boolean {
  const folded = (text: string): string =>
    Array.from(text, (one) => {
      const large = one.toLowerCase().toUpperCase();
      return large.toLowerCase();
    })
      .join('')
      .replaceAll('ς', 'σ');
  return folded(a) === folded(b);
}

/** The value of a field as filters name it, `data.` before an own one; null if there is none. */
export function plainValue(record: RegisterRecord, name: string): unknown {
  const value = name.startsWith('data.')
    ? record.data[name.slice(5)]
    : (record as unknown as Record<string, unknown>)[name];
  return value ?? null;
}

function coreValue(record: RegisterRecord, field: string, end: string): string | null {
  const name = end === '' ? field : `${field}_at`;
  return (record as unknown as Record<string, string | null>)[name] ?? null;
}
