// The interface of what a store tells those who asked for what it does not have: the values of the filters' fields, and
// the ids that are written nearly like one.

import type { Facet } from '../../register/finding/facets.ts';
import type { RegisterDefinition } from '../../register/record.ts';

/** The maximum number of values in one result of {@link ValueStore.list} and {@link ValueStore.months}. */
export const VALUES_PAGE_SIZE = 1000;

/** Among how many values that begin with a text, in their own order, {@link ValueStore.list} finds the commonest. */
export const VALUES_EXAMINED = 10_000;

/** The maximum of {@link ValueStore.idsNear}, in each direction. */
export const NEAR_IDS_PAGE_SIZE = 100;

export type { CountedField } from '../../register/finding/filters.ts';

/** A value that live records have. */
export interface ValueCount {
  /** As the publisher writes it. */
  readonly value: string;
  /** How many live records have it: a counter, never a scan. At least 1. */
  readonly records: number;
}

/** The values of a store's registers. */
export interface ValueStore {
  /**
   * The values that a field has in the live records of a register, the commonest first, and of several with the same
   * number in the order of their bytes. Of more than 10,000 values that begin with a text it gives the
   * commonest of the first ones in that order. Values longer than MAX_FACET_LENGTH are not counted.
   *
   * @param field a core field that is counted, or `data.` and the name of an own one: right where {@link ValueStore.facets} has it
   * @param options.startsWith only values that begin with this text; those with U+0000, U+0001 or half a character are not
   *   found so
   * @throws GazetteError `unknown_feed`; `invalid_parameter` for a limit outside 1..1,000
   */
  list(
    feedId: string,
    field: string,
    options: { readonly limit: number; readonly startsWith?: string },
  ): Promise<readonly ValueCount[]>;

  /**
   * The commonest values of some fields of a register, from counters, and how many values more each has: an index gives
   * them in this order, however many there are.
   *
   * @param definition of the register, by which own values are shown
   * @param names as `checkFacetNames()` gives them
   * @returns null while the own values are not all counted by this definition, which `FindingStore.build` does
   * @throws GazetteError `unknown_feed`
   */
  facets(definition: RegisterDefinition, names: readonly string[]): Promise<readonly Facet[] | null>;

  /**
   * The months in which the live records of a register were published, the newest first, each with the number of its
   * records, from counters. A month is `YYYY-MM` as the record's own date has it. Months without records are left out.
   *
   * @throws GazetteError `unknown_feed`; `invalid_parameter` for a limit outside 1..1,000
   */
  months(feedId: string, options: { readonly limit: number }): Promise<readonly ValueCount[]>;

  /**
   * The ids of live records that stand next to an id in the order of their bytes: at most `limit` from it on, then at most
   * `limit` before it, the nearest first. None in a register that does not exist.
   *
   * @param recordId any text that begins with the id of a register and a colon
   * @throws GazetteError `invalid_parameter` for a limit outside 1..100
   */
  idsNear(recordId: string, options: { readonly limit: number }): Promise<readonly string[]>;
}
