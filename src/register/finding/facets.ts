// Facets: which values the fields of some records have, and how many records each. Counted here in records that are at hand;
// stores count in their own way, to the same result.
import { GazetteError, quote, shorten } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import type { JsonValue } from '../canonical-json.ts';
import type { Field, RegisterRecord } from '../record.ts';
import { itemsOf, valueIn } from './filter.ts';
import { STATED_FILTERS } from './filters.ts';
import { OWN_PREFIX } from './own-filters.ts';

/** How many values of a field are told, the commonest. */
export const MAX_FACET_VALUES = 100;

/**
 * The length of the longest value that is counted, in code points: an index of PostgreSQL holds no longer one. A text that
 * columns hold as JSON text (with U+0000, half a character, or U+0001 at its beginning) is as long as that.
 */
export const MAX_FACET_LENGTH = 400;

/** The values of a field. */
export interface Facet {
  /** As filters name it: `document_type`, `data.country`. */
  readonly field: string;
  /**
   * The commonest, at most 100, and how many records have each; of several with the same number in the order of their bytes. A
   * value is as the record shows it, a number and a boolean as their text: the filter of the field takes it.
   */
  readonly values: readonly { readonly value: string; readonly records: number }[];
  /** How many more values there are. */
  readonly more: number;
}

/** The values of some fields. Values longer than {@link MAX_FACET_LENGTH} are left out. */
export interface Facets {
  readonly facets: readonly Facet[];
  /** Whether only some of the records were counted, the newest, because there are more than one request examines. */
  readonly isBounded: boolean;
}

/** The fields that have facets: those with an exact filter, and the register's filterable ones. */
export function facetNames(fields: readonly Field[]): readonly string[] {
  const own = fields.filter(({ filterable }) => filterable === true).map(({ name }) => OWN_PREFIX + name);
  return [...STATED_FILTERS, ...own];
}

/**
 * Checks which facets are asked for.
 *
 * @param parameter what the error calls them
 * @returns the names, each once
 * @throws GazetteError `invalid_parameter` for a field that has none, naming those that have
 */
export function checkFacetNames(
  names: readonly string[],
  fields: readonly Field[],
  parameter = 'field',
): readonly string[] {
  const known = facetNames(fields);
  const stranger = names.find((name) => !known.includes(name));
  if (stranger === undefined) return [...new Set(names)];
  const [near] = nearest(shorten(stranger), known);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  throw new GazetteError(
    'invalid_parameter',
    `${parameter} must be some of ${known.join(', ')}, got ${quote(stranger)}${hint}`,
    { details: { parameter } },
  );
}

/** Counts the values of records that it is given page by page. */
export class FacetCounter {
  readonly #counts: readonly { readonly field: string; readonly values: Map<string, number> }[];

  /** @param names as {@link checkFacetNames} gives them */
  constructor(names: readonly string[]) {
    this.#counts = names.map((field) => ({ field, values: new Map<string, number>() }));
  }

  /** Counts these, too. */
  add(records: readonly RegisterRecord[]): void {
    for (const record of records) {
      for (const { field, values } of this.#counts) {
        for (const value of facetValues(valueIn(record, field))) values.set(value, (values.get(value) ?? 0) + 1);
      }
    }
  }

  /** What was counted. @param most how many values of each field are told */
  facets(most: number = MAX_FACET_VALUES): readonly Facet[] {
    return this.#counts.map(({ field, values }) => {
      const all = Array.from(values, ([value, records]) => ({ value, records }));
      const sorted = all.sort((a, b) => b.records - a.records || compareTexts(a.value, b.value));
      const told = sorted.slice(0, most);
      return { field, values: told, more: sorted.length - told.length };
    });
  }
}

/** The texts by which a value is counted, each once: of a list those of its items. */
export function facetValues(value: JsonValue): readonly string[] {
  const texts = itemsOf(value).map(countedText);
  // Most values are no lists.
  const unique = texts.length < 2 ? texts : [...new Set(texts)];
  return unique.filter((text) => text !== null);
}

/** Null: it is not counted. */
function countedText(value: string | number | boolean): string | null {
  const text = String(value);
  const isOdd = text.charCodeAt(0) === 1 || text.includes('\0') || !text.isWellFormed();
  return isCountedLength(isOdd ? `\u0001${JSON.stringify(text)}` : text) ? text : null;
}

/** Whether a value is short enough to be counted. @param column as a column has it */
export function isCountedLength(column: string): boolean {
  return column.length <= MAX_FACET_LENGTH || Array.from(column).length <= MAX_FACET_LENGTH;
}

/** The order of code points, which is that of the bytes in UTF-8. */
export function compareTexts(a: string, b: string): number {
  const others = b[Symbol.iterator]();
  for (const character of a) {
    const { value: other = '' } = others.next();
    if (character !== other) return (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? -1);
  }
  return others.next().done === true ? 0 : -1;
}
