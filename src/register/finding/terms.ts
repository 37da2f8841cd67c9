// What an index holds of a record, so that filters find it without reading it: terms, and the keys of its times and numbers
// in their order. A term is a word of the record's texts, or begins with U+E000, which no word has, and stands for a value of a
// field. Every record that matches a filter has what the filter's question asks for; whether a record that has it matches is
// decided by RecordFilter.matches(). Two engines with the same terms and keys find the same records.
import type { Field, FieldType, RegisterRecord } from '../record.ts';
import { instantOf, valueKey } from './compare.ts';
import { type Condition, type RecordFilter, itemsOf, type SpanCondition, valueIn } from './filter.ts';
import { STATED_FILTERS, TIME_FIELDS } from './filters.ts';
import { OWN_PREFIX } from './own-filters.ts';
import { firstCharacters, PREVIEW_SUMMARY_LENGTH } from '../tier.ts';
import { type KeyRange, keyOfNumber, keyOfTime, keysInside, keysWithin } from './order-keys.ts';
import { hiddenTexts, isSearched, previewTexts, searchedTexts } from './word-query.ts';
import { charactersOf, WORD_RULE, wordsOf } from './words.ts';

/** The number of the rule: a store whose terms and keys were made by another one makes them again. */
const TERM_RULE = ['4', WORD_RULE, ...STATED_FILTERS].join('.');

/** Begins the terms that are no words: a private character, which is neither letter, mark nor digit. */
const VALUE_MARK = '\uE000';

/** Begins the words that a record has in texts which its preview does not show. */
const HIDDEN_MARK = '\uE001';

/** Begins the words that only the preview has: parts of words, where it ends. */
const CUT_MARK = '\uE002';

/** Takes a term. */
export type TakeTerm = (term: string) => void;

/** Takes the key of a field's value. The field is named as conditions name it. */
export type TakeKey = (field: string, key: number) => void;

/** What is indexed of a register. */
export interface IndexedAs {
  readonly fields: readonly Field[];
  /** Whether words are. */
  readonly hasSearch: boolean;
  /**
   * Whether its records are sold: then their previews are searched too. A word is indexed once for each record, with a mark
   * when the preview does not have it, so that an index of both is not larger than one of all words.
   */
  readonly isSold?: boolean;
}

/** A range of the keys of a field. */
export interface FieldRange extends KeyRange {
  /** A core field, or `data.` and the name of an own field. */
  readonly field: string;
}

/** What an index is asked for a filter. Nothing: no index helps. */
export interface IndexQuestion {
  /**
   * A record that matches has at least one term of each group: one term for each word, and for each exact value of a field
   * (at most 100).
   */
  readonly groups: readonly (readonly string[])[];
  /** Of each of these, it has a term that begins with one. */
  readonly beginnings: readonly (readonly string[])[];
  /** It has a key in each of these. */
  readonly ranges: readonly FieldRange[];
}

/** A text that changes whenever the same record would get other terms or keys. */
export function termSignature({ fields, hasSearch, isSold = false }: IndexedAs): string {
  const own = fields
    .filter(({ type, filterable }) => filterable === true || (hasSearch && isSearched(type)))
    .map(({ name, type, filterable, source_names }) => [name, type, filterable === true, source_names ?? []]);
  const sorted = own.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return JSON.stringify([TERM_RULE, hasSearch, sorted, ...(hasSearch && isSold ? ['sold'] : [])]);
}

/** The terms of a record, each once. */
export function termsOf(record: RegisterRecord, indexedAs: IndexedAs): string[] {
  const terms = new Set<string>();
  eachTerm(record, indexedAs, (term) => terms.add(term));
  return [...terms];
}

/** Gives each term of a record, and those that it has several times several times. */
export function eachTerm(record: RegisterRecord, { fields, hasSearch, isSold }: IndexedAs, take: TakeTerm): void {
  if (hasSearch && isSold === true) addSoldWords(take, record, fields);
  else if (hasSearch) for (const text of searchedTexts(record, fields)) addWords(take, text);
  for (const name of STATED_FILTERS) addValue(take, name, null, record[name]);
  for (const { name, type, filterable } of fields) {
    if (filterable !== true) continue;
    const at = OWN_PREFIX + name;
    for (const value of itemsOf(valueIn(record, at))) addValue(take, at, type, value);
  }
}

/** Gives the key of each time and number of a record. */
export function eachKey(record: RegisterRecord, { fields }: Pick<IndexedAs, 'fields'>, take: TakeKey): void {
  for (const name of TIME_FIELDS) addTime(take, name, record[name]);
  for (const { name, type, filterable } of fields) {
    if (filterable !== true) continue;
    const kind = ORDERED_TYPES.get(type);
    if (kind === undefined) continue;
    const at = OWN_PREFIX + name;
    const value = valueIn(record, at);
    if (value === null || typeof value === 'object') continue;
    if (kind === 'times') addTime(take, at, String(value));
    else addNumber(take, at, Number(value));
  }
}

const ORDERED_TYPES: ReadonlyMap<FieldType, SpanCondition['kind']> = new Map<FieldType, SpanCondition['kind']>([
  ['date', 'times'],
  ['datetime', 'times'],
  ['number', 'numbers'],
  ['decimal', 'numbers'],
  ['integer', 'numbers'],
]);

/**
 * What an index is asked for a filter.
 *
 * @param isSold as in {@link IndexedAs}; a filter of previews needs it
 */
export function indexQuestion({ conditions, words, preview: seen }: RecordFilter, isSold = false): IndexQuestion {
  const marks = isSold ? ['', seen === undefined ? HIDDEN_MARK : CUT_MARK] : [''];
  const marked = (word: string): string[] => marks.map((mark) => mark + word);
  const asked = (words ?? []).filter(({ isNegated }) => !isNegated);
  // The last word of a part may be only the beginning of one.
  const whole = asked.flatMap(({ words: sequence, isPrefix }) => (isPrefix ? sequence.slice(0, -1) : sequence));
  const beginnings = asked.flatMap(({ words: sequence, isPrefix }) => (isPrefix ? sequence.slice(-1) : []));
  return {
    groups: [...[...new Set(whole)].map(marked), ...conditions.flatMap(groupsOf)],
    beginnings: [...new Set(beginnings)].map(marked),
    ranges: conditions.flatMap((condition) =>
      condition.kind === 'exact' ? [] : [{ field: condition.name, ...keysWithin(condition) }],
    ),
  };
}

/**
 * Of what an index is asked for a filter, the ranges of which every value meets it. Null: what the index finds has to be looked
 * at, because words are asked for of which it does not know everything.
 */
export function sureRanges({ conditions, words }: RecordFilter): readonly FieldRange[] | null {
  if (words?.some(({ words: sequence, isNegated }) => isNegated || sequence.length > 1) === true) return null;
  return conditions.flatMap((condition) =>
    condition.kind === 'exact' ? [] : [{ field: condition.name, ...keysInside(condition) }],
  );
}

function groupsOf(condition: Condition): readonly (readonly string[])[] {
  const { kind, name } = condition;
  // Keys are looked up.
  return kind !== 'exact' || name === 'key' ? [] : [Array.from(condition.values, (key) => valueTerm(name, key))];
}

/** The words of a record that is sold, each once: what a preview has as they are, all others with their marks. */
function addSoldWords(take: TakeTerm, record: RegisterRecord, fields: readonly Field[]): void {
  const { summary } = record;
  const cut = summary === null ? null : firstCharacters(summary, PREVIEW_SUMMARY_LENGTH);
  const isCut = cut !== summary;
  // Words end at a space: what is before the last one of the preview is read once for both.
  const end = isCut ? Math.max(cut!.lastIndexOf(' '), 0) : 0;
  const [shown, hidden, ends] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const both = isCut ? { ...record, summary: cut!.slice(0, end) } : record;
  for (const text of previewTexts(both)) addWords((word) => shown.add(word), text);
  const addHidden = (word: string): void => {
    if (!shown.has(word)) hidden.add(word);
  };
  if (isCut) {
    addWords((word) => (shown.has(word) ? shown : ends).add(word), cut!.slice(end));
    addWords(addHidden, summary!.slice(end));
  }
  for (const text of hiddenTexts(record, fields)) addWords(addHidden, text);
  for (const word of shown) take(word);
  for (const word of hidden) take(ends.delete(word) ? word : HIDDEN_MARK + word);
  for (const word of ends) take(CUT_MARK + word);
}

/** A word, and the characters of a pair: a query of one character finds it. */
function addWords(take: TakeTerm, text: string): void {
  for (const word of wordsOf(text)) {
    take(word);
    for (const character of charactersOf(word)) take(character);
  }
}

function addValue(take: TakeTerm, name: string, type: FieldType | null, value: string | number | boolean | null): void {
  if (value !== null) take(valueTerm(name, valueKey(type, value)));
}

function addTime(take: TakeKey, name: string, time: string | null): void {
  if (time === null) return;
  const isUsual = USUAL_TIME.test(time);
  const key = remembered(TIME_KEYS, name, isUsual ? time.slice(0, 10) : time, (text) => {
    const at = instantOf(text);
    return at === null ? null : keyOfTime(at);
  });
  if (key !== null) take(name, isUsual && time.length > 10 ? key + minutesIn(time) : key);
}

/** The minutes since midnight in a usual time, which has an hour. */
function minutesIn(time: string): number {
  const digit = (at: number): number => time.charCodeAt(at) - ZERO;
  return digit(11) * 600 + digit(12) * 60 + digit(14) * 10 + digit(15);
}

const ZERO = 48;

/** A time in UTC on a day that every month has, of a year whose minutes have keys of their own. */
const USUAL_TIME =
  /^[0-7]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z)?$/;

function addNumber(take: TakeKey, name: string, number: number): void {
  const key = keyOfNumber(number);
  if (key !== null) take(name, key);
}

/** What was made before, by field and value: most come again, and to make them takes longer than to find them. */
type Memory<Made> = Map<string, Map<string, Made>>;
const TIME_KEYS: Memory<number | null> = new Map();
const VALUE_TERMS: Memory<string> = new Map();

/** How many values of a field are remembered at most. */
const MOST_REMEMBERED = 5000;

function remembered<Made>(memory: Memory<Made>, name: string, key: string, make: (key: string) => Made): Made {
  let known = memory.get(name);
  if (known === undefined || known.size > MOST_REMEMBERED) memory.set(name, (known = new Map<string, Made>()));
  let made = known.get(key);
  if (made === undefined) known.set(key, (made = make(key)));
  return made;
}

/** What stands for the core fields: short terms make imports quicker. */
const CORE_MARKS: ReadonlyMap<string, string> = new Map(
  STATED_FILTERS.map((name) => [name, VALUE_MARK + name.charAt(0)]),
);

/** What begins the terms of a field: {@link VALUE_MARK}, and what stands for its name. No core field begins with `y`. */
function fieldMark(name: string): string {
  return CORE_MARKS.get(name) ?? `${VALUE_MARK}y${hashOf(name).slice(0, 5)}`;
}

function valueTerm(name: string, key: string): string {
  return key.length > MOST_LENGTH
    ? valueTermOf(name, key)
    : remembered(VALUE_TERMS, name, key, () => valueTermOf(name, key));
}

function valueTermOf(name: string, key: string): string {
  return `${fieldMark(name)}v${hashOf(key).slice(-8)}`;
}

/** The longest value that is remembered. */
const MOST_LENGTH = 100;

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
