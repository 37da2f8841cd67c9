// How a page of a filter is found that an index of terms answers, the same for every store: a rule that asks its engine for
// slices of records that have the terms, and examines them. A request examines no more than a bound, returns what it found,
// and says where to go on.
import type { RecordFilter } from '../../../register/finding/filter.ts';
import { termGroups } from '../../../register/finding/terms.ts';
import { offsetAfter, type Page, PAGE_SIZE, type PageQuery } from '../../../register/page.ts';
import type { RegisterRecord } from '../../../register/record.ts';
import { pageOf, type PageRange } from '../../rows/register.ts';

/** The most records that a request examines, and the most entries of its rarest group of terms that it reads. */
export const EXAMINED_RECORDS = 20_000;

/** The most characters of records' texts that a request examines. */
export const EXAMINED_TEXT: number = 2 ** 22;

/** The positions in which a request looks first: if they have a page of records, nothing else is asked. */
const FIRST_REACH = 2 ** 14;

/** In how many positions, and up to which entry, the rarest group is looked for. */
const PROBE_REACH = 2 ** 16;
const PROBE_ENTRIES = 200;

/** How many times as far as its probe a request looks at once. */
const PROBED_REACHES = 8;

/** How many records a slice has at most, and how many characters, by the length of those before it. */
const SLICE_RECORDS = 500;
const SLICE_TEXT = 2 ** 19;

/** The positions from `from` down to `lowest`. */
export interface Reach {
  readonly from: number;
  readonly lowest: number;
}

/** Asks for live records that have a term of every group, newest first; without groups, for all. */
export interface RecordsLook extends Reach {
  readonly kind: 'records';
  readonly groups: readonly (readonly string[])[];
  readonly limit: number;
}

/** Asks for the position of the nth record, from 1 at the top, that has a term of the group. */
export interface EntryLook extends Reach {
  readonly kind: 'entry';
  readonly group: readonly string[];
  readonly nth: number;
}

/** What a request asks its engine for. */
export type Look = RecordsLook | EntryLook;

/** What an engine answers: the records, or a position, 0 if there are fewer entries. */
export type LookAnswer = readonly RegisterRecord[] | number;

/** Options of {@link findPage}. */
export interface FindOptions {
  /** Whether the index holds the terms of all records, as the filter's fields make them. */
  readonly isIndexed: boolean;
  /** The most terms of a group that is looked up: to read records is quicker than more. */
  readonly mostTerms: number;
  /** How many positions a request may look through, if it looks for so many terms in each. */
  readonly reachOf: (terms: number) => number;
}

/** Finds a page. */
export function* findPage(
  filter: RecordFilter,
  query: PageQuery,
  { asOf, from }: PageRange,
  { isIndexed, mostTerms, reachOf }: FindOptions,
): Generator<Look, Page, LookAnswer> {
  const groups = isIndexed ? termGroups(filter).filter(({ length }) => length <= mostTerms) : [];
  const reach = groups.length === 0 ? EXAMINED_RECORDS : reachOf(groups.flat().length);
  const end = Math.max(from - reach, 0);
  const found: RegisterRecord[] = [];
  // Positions above `at` have been examined; the next look goes down to `lowest`.
  let at = from;
  let lowest = groups.length === 0 ? end + 1 : Math.max(from - FIRST_REACH, end) + 1;
  let [examined, length, entries] = [0, 0, 0];
  while (at > end && examined < EXAMINED_RECORDS && length < EXAMINED_TEXT && entries < EXAMINED_RECORDS) {
    if (at < lowest) {
      const probed = yield* probe(groups, { from: at, lowest: end + 1 });
      lowest = Math.max(at - probed * PROBED_REACHES, end) + 1;
      entries += groups.length === 1 ? 0 : PROBE_ENTRIES * PROBED_REACHES;
    }
    // How long the records are is not known yet, and a walk asks for several pages at once.
    const limit = examined === 0 ? Math.min(query.limit, PAGE_SIZE) + 1 : sliceOf(examined, length);
    const records = (yield { kind: 'records', groups, from: at, lowest, limit }) as readonly RegisterRecord[];
    for (const record of records) {
      if (filter.matches(record, isIndexed)) found.push(record);
      if (found.length > query.limit) return pageOf(found, query, asOf);
      examined++;
      length += lengthOf(record);
    }
    at = records.length < limit ? lowest - 1 : records.at(-1)!.position! - 1;
  }
  return at < 1 ? pageOf(found, query, asOf) : { records: found, nextOffset: offsetAfter(asOf, at + 1), asOf };
}

/** How many positions have {@link PROBE_ENTRIES} of the rarest group; a single group is read no further than it is found. */
function* probe(groups: readonly (readonly string[])[], { from, lowest }: Reach): Generator<Look, number, LookAnswer> {
  if (groups.length === 1) return from;
  let rarest = 0;
  const reach = { from, lowest: Math.max(lowest, from - PROBE_REACH + 1) };
  for (const group of groups) {
    const at = (yield { kind: 'entry', group, ...reach, nth: PROBE_ENTRIES }) as number;
    rarest = Math.max(rarest, at === 0 ? PROBE_REACH : from - at + 1);
  }
  return rarest;
}

function sliceOf(examined: number, length: number): number {
  const mean = Math.max(length / examined, 1);
  return Math.min(Math.max(Math.floor(SLICE_TEXT / mean), 1), SLICE_RECORDS);
}

function lengthOf({ summary, content, title }: RegisterRecord): number {
  return title.length + (summary?.length ?? 0) + (content?.length ?? 0);
}
