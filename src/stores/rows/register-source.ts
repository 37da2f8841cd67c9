// A register of a store as a source of pages, the same for every store. A page that is asked for by a publisher's key is
// one look-up by the record's id.
import { hash } from 'node:crypto';
import { canonicalJson } from '../../register/canonical-json.ts';
import { recordIdOrNull } from '../../register/identity.ts';
import { matchesFilter, type Page, type PageQuery } from '../../register/page.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import type { RegisterSource } from '../../register/sources/source.ts';
import type { StoredRecord } from '../contract/registers.ts';
import { dateOf, type PageRange, rangeOf, type RegisterRow } from './register.ts';

/** How a source reads from its store. */
export interface SourceReader {
  /** The current state of the register. @throws GazetteError `unknown_feed` after it was removed */
  head(): RegisterRow | Promise<RegisterRow>;
  page(query: PageQuery): Page | Promise<Page>;
  pagesAhead?(query: PageQuery): AsyncIterable<readonly Page[]>;
  record(id: string): StoredRecord | null | Promise<StoredRecord | null>;
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
    const key = query.filter?.key;
    return key === undefined ? reader.page(query) : pageOfKey(definition.id, key, query, reader);
  };
  return {
    definition,
    page,
    ...(reader.pagesAhead === undefined ? {} : { pagesAhead: (query) => pagesAheadOf(query, reader, page) }),
    revision: () => whenKnown(reader.head(), revision),
    lastChange: () => whenKnown(reader.head(), (head) => head.lastChange),
    lastModified: () => whenKnown(reader.head(), dateOf),
  };
}

/** The page of the record with this key: its register is read first, so that a record that comes later is not in view. */
function pageOfKey(feedId: string, key: string, query: PageQuery, reader: SourceReader): Page | Promise<Page> {
  const asked = withoutKey(query);
  const id = recordIdOrNull(feedId, key);
  return whenKnown(reader.head(), ({ top }) => {
    const range = rangeOf(asked, top);
    return whenKnown(id === null ? null : reader.record(id), (stored) => keyPage(stored, asked, range));
  });
}

async function* pagesAheadOf(
  query: PageQuery,
  reader: SourceReader,
  page: (query: PageQuery) => Page | Promise<Page>,
): AsyncIterable<readonly Page[]> {
  if (query.filter?.key === undefined) yield* reader.pagesAhead!(query);
  else yield [await page(query)];
}

/**
 * A text that changes with every version and every change of the definition. In addition to the change number it
 * contains a digest of the times of that change, of the log's UUID and of the definition, so that a register that was
 * removed and filled again has different revisions.
 */
function revisionOf(head: RegisterRow): string {
  const state = canonicalJson([
    head.change,
    head.definitionVersion,
    head.lastChange,
    head.lastModified,
    head.log,
    head.definition,
  ]);
  return `${head.change}-${hash('sha256', state, 'base64url').slice(0, 16)}`;
}

/** Whether two heads have the same revision. */
function isSameState(a: RegisterRow, b: RegisterRow): boolean {
  return (
    a.change === b.change &&
    a.definitionVersion === b.definitionVersion &&
    a.lastChange === b.lastChange &&
    a.lastModified === b.lastModified &&
    a.log === b.log &&
    a.definition === b.definition
  );
}

/** What is asked for besides the key. */
function withoutKey(query: PageQuery): PageQuery {
  const others = Object.entries(query.filter ?? {}).filter(([property]) => property !== 'key');
  return { ...query, filter: Object.fromEntries(others) };
}

/** The page of a range with this record, if it is live, lies in the range and matches the filter. */
function keyPage(stored: StoredRecord | null, { filter }: PageQuery, { asOf, from }: PageRange): Page {
  const record = stored?.state === 'live' ? stored.record : null;
  const isIn = record !== null && record.position! <= from && matchesFilter(record, filter);
  return { records: isIn ? [record] : [], nextOffset: null, asOf };
}

// The source of a synchronous store stays synchronous, so that a page does not cost a microtask.
function whenKnown<T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
