// How many records of a register match a search, and which values they have: exact where counters know it, or where one request may
// examine as many records as it takes; otherwise at least so many.
import { compileFilter, type Filter } from '../register/finding/filter.ts';
import { FacetCounter, type Facets } from '../register/finding/facets.ts';
import { isPlain } from '../register/finding/word-query.ts';
import { EXAMINED_RECORDS, type Matched, type Page, PAGE_SIZE, type PageQuery } from '../register/page.ts';
import type { RegisterRecord } from '../register/record.ts';
import { endedBy, matchedBy } from '../register/sources/matched.ts';
import { pages, readPage, type RegisterSource } from '../register/sources/source.ts';
import { type RegisterView, sourceAt } from './registers.ts';

/** The values that there are to choose from. */
export interface Values extends Facets {
  /** Whether any record has a date of publication. */
  readonly hasDates: boolean;
}

/** What is known of the records that match. */
export interface Matches extends Values, Matched {}

/** What is asked for. */
export interface MatchesQuery {
  /** Absent: all records. */
  readonly filter?: Filter;
  /** The fields whose values are counted, as `checkFacetNames()` gives them. */
  readonly names: readonly string[];
  /** The values of all records, from counters; null: they are not counted. */
  readonly counted: Facets | null;
  /** How many values of each field are told, the commonest. Default 100. */
  readonly most?: number;
  readonly signal?: AbortSignal;
}

/** For how many of the fields that are asked for other values are counted: each takes as long as the search. */
const OTHER_VALUES = 3;

/**
 * Counts the records that match. Of a field that is asked for, the values are those of the records that match all else: any of them may
 * be chosen too.
 *
 * @throws GazetteError as `RegisterSource.page()`
 */
export async function matchesOf(source: RegisterSource, query: MatchesQuery): Promise<Matches> {
  const { filter = {}, names, counted } = query;
  const all = await countMatches(source, query);
  let { facets, isBounded } = all;
  for (const name of names.filter((one) => one in filter).slice(0, OTHER_VALUES)) {
    const rest = withoutFilter(filter, name);
    const isRest = Object.keys(rest).length === 0 && counted !== null;
    const others = isRest ? counted : await countMatches(source, { ...query, filter: rest, names: [name] });
    const facet = others.facets.find(({ field }) => field === name)!;
    facets = facets.map((one) => (one.field === name ? facet : one));
    isBounded ||= others.isBounded;
  }
  // An index knows of more records than are examined for their values.
  const { signal } = query;
  const isAsked = all.isAtLeast && Object.keys(filter).length > 0;
  const known = isAsked ? await source.matched?.({ filter, ...(signal && { signal }) }) : undefined;
  return { ...all, facets, isBounded, ...(known !== undefined && known.matched >= all.matched ? known : {}) };
}

/** The rest of a filter. */
export function withoutFilter(filter: Filter, name: string): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([one]) => one !== name));
}

async function countMatches(source: RegisterSource, { names, most, ...asked }: MatchesQuery): Promise<Matches> {
  const counter = new FacetCounter(names);
  let [matched, hasDates] = [0, false];
  const isWhole = await examineMatches(source, asked, (records) => {
    counter.add(records);
    matched += records.length;
    hasDates ||= records.some(({ published_at: date }) => date !== null);
  });
  return { facets: counter.facets(most), isBounded: !isWhole, matched, isAtLeast: !isWhole, hasDates };
}

/**
 * Gives the records that match, newest first, as many as one request may examine.
 *
 * @returns whether these are all
 * @throws GazetteError as `RegisterSource.page()`
 */
export async function examineMatches(
  source: RegisterSource,
  { filter, signal }: Pick<MatchesQuery, 'filter' | 'signal'>,
  take: (records: readonly RegisterRecord[]) => void,
): Promise<boolean> {
  const isAsked = filter !== undefined && Object.keys(filter).length > 0;
  const words = compileFilter(filter, source.definition.fields)?.words ?? [];
  // What a store finds by its index alone it examines alone; of everything else each record counts that may be one.
  const isIndexed = isAsked && source.facets !== undefined && words.every(isPlain);
  let found = 0;
  const walk = pages(source, { limit: PAGE_SIZE, ...(isAsked && { filter }), ...(signal && { signal }) });
  for await (const { records, nextOffset } of walk) {
    take(records);
    found += records.length;
    if (nextOffset === null) return true;
    const isSpent = records.length < PAGE_SIZE || found >= EXAMINED_RECORDS;
    if (isIndexed ? isSpent : nextOffset >= EXAMINED_RECORDS) return false;
  }
  return true;
}

/**
 * How many records match what a page was asked with, counted once for each view. Null: no filter was asked for.
 *
 * @param source the register as the caller sees it
 * @throws GazetteError as `RegisterSource.page()`
 */
export async function matchedIn(
  view: RegisterView,
  source: RegisterSource,
  query: PageQuery,
  page: Page,
): Promise<Matched | null> {
  return matchedBy(source === view.source ? sourceAt(view) : source, query, page);
}

/**
 * A page, and how many records match what it was asked with.
 *
 * @throws GazetteError as `RegisterSource.page()`
 */
export async function matchedPage(
  view: RegisterView,
  source: RegisterSource,
  query: PageQuery,
): Promise<{ readonly page: Page; readonly matched: Matched | null }> {
  const page = await readPage(source, query);
  const matched = await matchedIn(view, source, query, page);
  return { page: endedBy(matched, query, page), matched };
}

/** The number as JSON answers say it; nothing where it is not known. */
export function matchedMembers(matched: Matched | null): {
  readonly matched?: number;
  readonly matched_at_least?: true;
} {
  if (matched === null) return {};
  return { matched: matched.matched, ...(matched.isAtLeast ? { matched_at_least: true } : {}) };
}
