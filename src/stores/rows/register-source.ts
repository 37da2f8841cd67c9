// A register of a store as a source of pages, the same for every store. A page that is asked for by the publisher's keys is
// one look-up for each, by the record's id, after one for all where records were renumbered.
import type { Facet } from '../../register/finding/facets.ts';
import { compileFilter, type RecordFilter } from '../../register/finding/filter.ts';
import { hash } from 'node:crypto';
import { canonicalJson } from '../../register/canonical-json.ts';
import { recordIdOrNull } from '../../register/identity.ts';
import { isMoment, type Matched, offsetAfter, type Page, type PageQuery } from '../../register/page.ts';
import { checkLimit } from '../../register/query.ts';
import type { RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import { matchedInPages, type MatchedQuery } from '../../register/sources/matched.ts';
import type { ByteRows } from '../../register/sources/byte-rows.ts';
import type { RegisterSource } from '../../register/sources/source.ts';
import type { NamedRecord } from '../contract/record-keys.ts';
import type { StoredRecord } from '../contract/registers.ts';
import { positionIn, type SqlRow } from './columns.ts';
import { dateOf, pageOf, type PageRange, rangeOf, type RegisterRow } from './register.ts';

/** How a source reads from its store. */
export interface SourceReader {
  /** The current state of the register. @throws GazetteError `unknown_feed` after it was removed */
  head(): RegisterRow | Promise<RegisterRow>;
  /** The pages of a moment, from the requested one on. */
  pagesThen(query: PageQuery & { readonly asOf: string }): AsyncGenerator<Page, void, undefined>;
  /** @param query without keys, and of no moment */
  page(query: PageQuery): Page | Promise<Page>;
  /** How many records match, as an index knows it; null: none does. */
  count(filter: RecordFilter, query: MatchedQuery): Promise<Matched | null>;
  pagesAhead?(query: PageQuery): AsyncIterable<readonly Page[]>;
  rowsAhead?(query: PageQuery): AsyncIterable<ByteRows>;
  record(id: string): StoredRecord | null | Promise<StoredRecord | null>;
  /** The ids of the records that have these keys, where ids are not made of them. */
  idsOf(names: readonly NamedRecord[]): Promise<readonly string[]>;
  /** As in {@link RegisterSource.facets}. */
  facets(names: readonly string[]): Promise<readonly Facet[] | null>;
}

/** A register of a store as a source of pages. */
export function sourceOf(definition: RegisterDefinition, reader: SourceReader): RegisterSource {
  let last: { readonly head: RegisterRow; readonly revision: string } | null = null;
  // Called with every request, and nearly always with the same result.
  const revision = (head: RegisterRow): string => {
    if (last === null || !isSameState(last.head, head)) last = { head, revision: revisionOf(head) };
    return last.revision;
  };
  const page = (query: PageQuery): Page | Promise<Page> => {
    checkLimit(query.limit);
    const { asOf } = query;
    if (isMoment(asOf)) return firstOf(reader.pagesThen({ ...query, asOf }));
    const filter = compileFilter(query.filter, definition.fields);
    return filter?.canonical.key === undefined ? reader.page(query) : pageOfKeys(definition.id, filter, query, reader);
  };
  return {
    definition,
    page,
    ...(reader.pagesAhead === undefined
      ? {}
      : { pagesAhead: (query) => pagesAheadOf(definition, query, reader, page) }),
    ...(reader.rowsAhead === undefined ? {} : { rowsAhead: (query) => reader.rowsAhead!(query) }),
    async matched(query) {
      const filter = compileFilter(query.filter, definition.fields);
      const known = filter === null || isMoment(query.asOf) ? null : await reader.count(filter, query);
      return known ?? matchedInPages({ definition, page }, query);
    },
    facets: (names) => reader.facets(names),
    ...(definition.prices === undefined ? {} : { findsPreviews: true }),
    revision: () => whenKnown(reader.head(), revision),
    lastChange: () => whenKnown(reader.head(), (head) => head.lastChange),
    lastModified: () => whenKnown(reader.head(), dateOf),
  };
}

async function firstOf(pages: AsyncGenerator<Page, void, undefined>): Promise<Page> {
  const { value } = await pages.next();
  await pages.return();
  return value!;
}

/** The page of the records with these keys: the register is read first, so that a record that comes later is not in view. */
function pageOfKeys(
  feedId: string,
  filter: RecordFilter,
  query: PageQuery,
  reader: SourceReader,
): Page | Promise<Page> {
  const ids = filter.canonical.key!.map((key) => recordIdOrNull(feedId, key)).filter((id) => id !== null);
  return whenKnown(reader.head(), ({ top, isRenumbered }) => {
    const range = rangeOf(query, top);
    return whenKnown(isRenumbered ? reader.idsOf(ids.map((id) => ({ id }))) : ids, (found) =>
      whenAllKnown(
        found.map((id) => reader.record(id)),
        (stored) => keysPage(stored, filter, query, range),
      ),
    );
  });
}

async function* pagesAheadOf(
  { fields }: RegisterDefinition,
  query: PageQuery,
  reader: SourceReader,
  page: (query: PageQuery) => Page | Promise<Page>,
): AsyncIterable<readonly Page[]> {
  checkLimit(query.limit);
  const { asOf } = query;
  const filter = compileFilter(query.filter, fields);
  if (isMoment(asOf)) for await (const found of reader.pagesThen({ ...query, asOf })) yield [found];
  else if (filter?.canonical.key === undefined) yield* reader.pagesAhead!(query);
  else
    for (let next: number | null = query.offset; next !== null;) {
      const found: Page = await page({ ...query, offset: next });
      yield [found];
      next = found.nextOffset;
    }
}

/**
 * A text that changes with every version and every change of the definition. In addition to the change number it
 * contains a digest of the time of that change, of the log's UUID, of the definition and of what is being built, so that a
 * register that was removed and filled again has different revisions, and a mirror of it the same ones.
 */
function revisionOf(head: RegisterRow): string {
  const { change, definitionVersion, lastChange, log, definition, building } = head;
  const state = canonicalJson([change, definitionVersion, lastChange, log, definition, building]);
  return `${change}-${hash('sha256', state, 'base64url').slice(0, 16)}`;
}

/** Whether two heads have the same revision. */
function isSameState(a: RegisterRow, b: RegisterRow): boolean {
  return (
    a.change === b.change &&
    a.definitionVersion === b.definitionVersion &&
    a.lastChange === b.lastChange &&
    a.log === b.log &&
    a.building === b.building &&
    a.definition === b.definition
  );
}

/** The page of a range with those of these records that are live, lie in the range and match the filter. */
function keysPage(
  stored: readonly (StoredRecord | null)[],
  filter: RecordFilter,
  query: PageQuery,
  { asOf, from }: PageRange,
): Page {
  const live = stored.flatMap((one) => (one?.state === 'live' && one.record !== null ? [one.record] : []));
  const found = live.filter((record) => record.position! <= from && filter.matches(record));
  return pageOf(found.toSorted((a, b) => b.position! - a.position!).slice(0, query.limit + 1), query, asOf);
}

function whenAllKnown<T, R>(
  values: readonly (T | Promise<T>)[],
  use: (values: readonly T[]) => R | Promise<R>,
): R | Promise<R> {
  if (values.some((value) => value instanceof Promise)) return Promise.all(values).then(use);
  return use(values as readonly T[]);
}

// The source of a synchronous store stays synchronous, so that a page does not cost a microtask.
function whenKnown<T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/** Rows, however they are kept. */
export interface Rows {
  readonly length: number;
  at(index: number): SqlRow | undefined;
}

/** A page whose records are still rows, from `start` up to `end`. */
export interface PageOfRows extends Pick<Page, 'nextOffset' | 'asOf'> {
  readonly start: number;
  readonly end: number;
}

/**
 * Divides rows of `PAGE_COLUMNS` into full pages, as long as another row shows that more follow; the next read returns the
 * remaining rows. Fewer rows than a page are the register's last page.
 */
export function dividedRows(rows: Rows, { limit }: PageQuery, asOf: number): PageOfRows[] {
  if (rows.length <= limit) return [{ start: 0, end: rows.length, nextOffset: null, asOf }];
  const pages: PageOfRows[] = [];
  for (let end = limit; end < rows.length; end += limit) {
    const nextOffset = offsetAfter(asOf, positionIn(rows.at(end - 1)!));
    pages.push({ start: end - limit, end, nextOffset, asOf });
  }
  return pages;
}

/** The page of such rows. */
export function pageIn(rows: Rows, page: PageOfRows, toRecord: (row: SqlRow) => RegisterRecord): Page {
  const { start, end, nextOffset, asOf } = page;
  const records: RegisterRecord[] = [];
  for (let index = start; index < end; index++) records.push(toRecord(rows.at(index)!));
  return { records, nextOffset, asOf };
}

/** All pages of {@link dividedRows}. */
export function pagesOf(rows: Rows, toRecord: (row: SqlRow) => RegisterRecord, query: PageQuery, asOf: number): Page[] {
  return dividedRows(rows, query, asOf).map((page) => pageIn(rows, page, toRecord));
}
