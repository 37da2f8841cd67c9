// The terms of a record: what an index holds of it, so that filters find it without reading it. A term is a word of the
// record's texts, or begins with U+E000, which no word has, and stands for a value of a field or a span of its values. Every
// record that matches a filter has a term of each group of the filter; whether a record that has them matches is decided by
// RecordFilter.matches(). Two engines with the same terms find the same records.
import type { Field, FieldType, RegisterRecord } from '../record.ts';
import { instantOf, valueKey } from './compare.ts';
import type { Condition, RecordFilter, SpanCondition } from './filter.ts';
import { valueIn } from './filter.ts';
import { OWN_PREFIX } from './own-filters.ts';
import { searchedTexts } from './word-query.ts';
import { WORD_RULE, wordsOf } from './words.ts';

/** The number of the rule: a store whose terms were made by another one makes them again. */
export const TERM_RULE: string = `1.${WORD_RULE}`;

/** Begins the terms that are no words: a private character, which is neither letter, mark nor digit. */
export const VALUE_MARK: string = '\uE000';

/** The years of which spans are indexed one by one; before and after, a time has one term for all. */
const FIRST_YEAR = 1800;
const LAST_YEAR = 2199;

/** The powers of ten by which numbers are indexed; smaller and larger ones count as the nearest. */
const LEAST_POWER = -6;
const MOST_POWER = 18;

const EXACT_FIELDS = ['document_type', 'facility_id'] as const;
const TIME_FIELDS = ['published_at', 'observed_at', 'updated_at'] as const;

/** What is indexed of a register. */
export interface IndexedAs {
  readonly fields: readonly Field[];
  /** Whether words are. */
  readonly hasSearch: boolean;
}

/** A text that changes whenever the same record would get other terms. */
export function termSignature({ fields, hasSearch }: IndexedAs): string {
  const own = fields.filter(({ type, filterable }) => filterable === true || (hasSearch && type === 'text'));
  const names = own.map(({ name, type, filterable, source_names }) => [
    name,
    type,
    filterable === true,
    source_names ?? [],
  ]);
  return JSON.stringify([TERM_RULE, hasSearch, names]);
}

/** The terms of a record, each once. */
export function termsOf(record: RegisterRecord, { fields, hasSearch }: IndexedAs): string[] {
  const terms = new Set<string>();
  if (hasSearch) for (const text of searchedTexts(record, fields)) for (const word of wordsOf(text)) terms.add(word);
  for (const name of EXACT_FIELDS) addValue(terms, name, 'text', record[name]);
  for (const name of TIME_FIELDS) addTime(terms, name, record[name]);
  for (const { name, type, filterable } of fields) {
    if (filterable !== true) continue;
    const at = OWN_PREFIX + name;
    const value = valueIn(record, at);
    if (value === null || typeof value === 'object') continue;
    addValue(terms, at, type, value);
    if (type === 'date' || type === 'datetime') addTime(terms, at, String(value));
    if (type === 'number' || type === 'decimal' || type === 'integer') addNumber(terms, at, String(value));
  }
  return [...terms];
}

/**
 * The groups of terms of a filter: a record that matches has at least one term of each group. No groups: no index helps.
 */
export function termGroups({ conditions, words }: RecordFilter): readonly (readonly string[])[] {
  const asked = (words ?? []).filter(({ isNegated }) => !isNegated);
  // The last word of a part may be only the beginning of one.
  const whole = asked.flatMap(({ words: sequence, isPrefix }) => (isPrefix ? sequence.slice(0, -1) : sequence));
  return [...[...new Set(whole)].map((word) => [word]), ...conditions.map(groupOf).filter((group) => group.length > 0)];
}

function groupOf(condition: Condition): readonly string[] {
  if (condition.kind === 'exact') {
    return condition.name === 'key' ? [] : Array.from(condition.values, (key) => valueTerm(condition.name, key));
  }
  return condition.kind === 'times' ? timeGroup(condition) : numberGroup(condition);
}

function addValue(terms: Set<string>, name: string, type: FieldType, value: string | number | boolean | null): void {
  if (value !== null) terms.add(valueTerm(name, valueKey(type, value)));
}

function valueTerm(name: string, key: string): string {
  return `${fieldMark(name)}v${hashOf(key)}`;
}

/** What begins the terms of a field, besides words. */
function fieldMark(name: string): string {
  return VALUE_MARK + hashOf(name).slice(0, 5);
}

function addTime(terms: Set<string>, name: string, time: string | null): void {
  const at = time === null ? null : instantOf(time);
  if (at === null) return;
  const mark = fieldMark(name);
  const date = new Date(at.ms);
  const year = date.getUTCFullYear();
  if (year < FIRST_YEAR) terms.add(`${mark}a`);
  else if (year > LAST_YEAR) terms.add(`${mark}z`);
  else {
    terms.add(`${mark}c${Math.floor(year / 100)}`);
    terms.add(`${mark}d${Math.floor(year / 10)}`);
    terms.add(`${mark}y${year}`);
    terms.add(`${mark}m${year * 12 + date.getUTCMonth()}`);
  }
}

/** The spans of time, widest first: their letter, and how many months they have. */
const SPANS = [
  ['c', 1200],
  ['d', 120],
  ['y', 12],
  ['m', 1],
] as const;

/** The fewest spans that together hold every time from `from` until `to`. */
function timeGroup({ name, from, to }: SpanCondition): readonly string[] {
  const mark = fieldMark(name);
  const [first, end] = [FIRST_YEAR * 12, (LAST_YEAR + 1) * 12];
  const since = from === null ? -Infinity : monthOf(from, 0);
  const until = to === null ? Infinity : monthOf(to, 1);
  const group: string[] = [];
  if (since < first) group.push(`${mark}a`);
  for (let month = Math.max(since, first); month < Math.min(until, end);) {
    const [letter, months] = SPANS.find(([, span]) => month % span === 0 && month + span <= Math.min(until, end))!;
    group.push(`${mark}${letter}${month / months}`);
    month += months;
  }
  if (until > end) group.push(`${mark}z`);
  // Nothing can match: a term that no record has.
  return group.length === 0 ? [`${mark}none`] : group;
}

/** The month of a time, counted from year 0; with `above` 1, the first month that begins at or after it. */
function monthOf(time: string, above: 0 | 1): number {
  const { ms, ns } = instantOf(time)!;
  const date = new Date(ms);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
  const start = new Date(0);
  start.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return above === 0 || (ns === 0 && ms === start.getTime()) ? month : month + 1;
}

function addNumber(terms: Set<string>, name: string, text: string): void {
  terms.add(`${fieldMark(name)}n${bucketOf(Number(text))}`);
}

/** A number's bucket, in the order of numbers: by its sign, its power of ten and its first digit. */
function bucketOf(number: number): number {
  if (number === 0) return 0;
  const [digit = '0', power = '0'] = Math.abs(number).toExponential(16).split('e');
  const magnitude = Math.abs(number);
  const exponent = magnitude === Infinity ? MOST_POWER : Math.min(Math.max(Number(power), LEAST_POWER), MOST_POWER);
  const isClamped = exponent !== Number(power);
  const first = isClamped ? (exponent === MOST_POWER ? 9 : 1) : Number(digit[0]);
  const bucket = (exponent - LEAST_POWER) * 9 + first;
  return number < 0 ? -bucket : bucket;
}

function numberGroup({ name, from, to }: SpanCondition): readonly string[] {
  const mark = fieldMark(name);
  const most = (MOST_POWER - LEAST_POWER) * 9 + 9;
  const first = from === null ? -most : bucketOf(Number(from));
  const last = to === null ? most : bucketOf(Number(to));
  // Many buckets: reading on is as quick as their index.
  if (last < first) return [`${mark}none`];
  return Array.from({ length: last - first + 1 }, (_, index) => `${mark}n${first + index}`);
}

/** A short text for a text: equal texts have equal ones, and different texts seldom. */
function hashOf(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ (unit + at), 0x85ebca6b);
    other ^= other >>> 13;
  }
  return ((one >>> 0) * 0x20_0000 + ((other >>> 0) & 0x1f_ffff)).toString(36).padStart(11, '0');
}
