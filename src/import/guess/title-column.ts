// Which column is the title: one that is called so, or one whose values read like words and tell the records apart. Never one of
// codes, numbers or addresses while there is another.
import { type GuessedField, isNoTitle, namedAs } from '../mapping/column-words.ts';
import type { ColumnProfile } from './column-survey.ts';

/** The share of values that have to read like words where a field is words. */
export const MOSTLY = 0.8;

/** The longest text that is taken for a title, in UTF-16 units. */
const MAX_TITLE = 1000;

/** Fewer records than these do not show what a column's values are like. */
export const FEW_RECORDS = 10;

/** Objects that hold the record's own properties, as in GeoJSON. */
const RECORD_PARTS = ['properties', 'attributes', 'fields', 'record'];

/** In how many records an id must have a value, if they are many; of few, all but one. */
export const LEAST_SHARE = 0.98;

/** Whether a column's texts are words; few records do not show it, and one that has the field's own name is meant. */
export function isWords({ name, words, filled }: ColumnProfile, field: GuessedField): boolean {
  return name === field || words >= MOSTLY || filled < FEW_RECORDS;
}

/** The column that reads most like titles; undefined: none reads like words. */
export function bestTitle(columns: readonly ColumnProfile[], records: number): ColumnProfile | undefined {
  const rated = columns
    .filter(
      (one) => one.type === 'text' && isWords(one, 'title') && one.longest <= MAX_TITLE && one.filled * 2 >= records,
    )
    .map((column) => ({ column, rating: titleRating(column, records) }));
  return rated.toSorted((a, b) => b.rating - a.rating)[0]?.column;
}

/**
 * How well a column's values are titles. A name counts most; then, that few records share a value, that hardly one has none,
 * and that it is neither a sign nor a whole text.
 */
function titleRating(column: ColumnProfile, records: number): number {
  const { name, different, counted, filled, meanLength, numbered } = column;
  const last = lastPart(name);
  const [head, ...inside] = name.split('.');
  const named = 1.5 * Math.max(namedAs('title', last), inside.length > 0 ? namedAs('title', head!) : 0);
  const isConstant = different === 1 && records > 1;
  const gaps = filled >= records ? 0 : filled >= records * LEAST_SHARE ? 0.2 : 1.5;
  return (
    named +
    (1.5 * different * filled) / (counted * records) -
    gaps -
    (isConstant ? 1.5 : 0) -
    (numbered > 0.5 && named < 3 ? 1 : 0) -
    (meanLength > 120 ? 1 : 0) -
    (isNoTitle(last) ? 3 : 0) -
    (last !== name && isOther(name) ? 1.5 : 0)
  );
}

/** Whether a value inside of an object belongs to something else than the record: `office.name` is hardly the record's name. */
function isOther(name: string): boolean {
  const head = name.split('.')[0]!;
  return !RECORD_PARTS.includes(head.toLowerCase()) && namedAs('title', head) === 0;
}

/** The last step of a path. */
export function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
