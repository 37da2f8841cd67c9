// How many records of a source match what is asked for: every list, export and page for people takes the number from here.
import { EXAMINED_RECORDS, type Matched, type Page, PAGE_SIZE, type PageQuery } from '../page.ts';
import { pages, readWithin, type RegisterSource } from './source.ts';

/** What is counted. */
export type MatchedQuery = Parameters<NonNullable<RegisterSource['matched']>>[0];

/**
 * How many records match the filter of a page: the page itself knows it where it has them all. Null: no filter was asked for,
 * or the source does not count.
 *
 * @throws GazetteError as `RegisterSource.page()`
 */
export async function matchedBy(source: RegisterSource, query: PageQuery, page: Page): Promise<Matched | null> {
  const { filter, signal } = query;
  if (filter === undefined) return null;
  if (query.offset === 0 && page.nextOffset === null) return { matched: page.records.length, isAtLeast: false };
  if (source.matched === undefined) return null;
  const asOf = page.asOf ?? query.asOf;
  const asked = { filter, ...(asOf === undefined ? {} : { asOf }), ...(signal === undefined ? {} : { signal }) };
  const counted = await readWithin(signal, () => source.matched!(asked));
  // A bounded count may have ended above the page.
  return counted.isAtLeast ? { ...counted, matched: Math.max(counted.matched, page.records.length) } : counted;
}

/** The page without a next one where it has all that match: the source may not have looked as far. */
export function endedBy(matched: Matched | null, query: PageQuery, page: Page): Page {
  const isAll = matched?.isAtLeast === false && query.offset === 0 && matched.matched === page.records.length;
  return isAll ? { ...page, nextOffset: null } : page;
}

/** Counts in the pages of a source. @param examined how many positions are examined */
export async function matchedInPages(
  source: RegisterSource,
  query: MatchedQuery,
  examined: number = EXAMINED_RECORDS,
): Promise<Matched> {
  let matched = 0;
  for await (const { records, nextOffset } of pages(source, { ...query, limit: PAGE_SIZE })) {
    matched += records.length;
    if (nextOffset !== null && nextOffset >= examined) return { matched, isAtLeast: true };
  }
  return { matched, isAtLeast: false };
}

/** The number as a header field says it: 340, or 20000+. */
export function matchedText({ matched, isAtLeast }: Matched): string {
  return `${matched}${isAtLeast ? '+' : ''}`;
}
