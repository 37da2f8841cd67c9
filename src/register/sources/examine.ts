// As many of the records that match as one request may examine.
import { compileFilter, type Filter } from '../finding/filter.ts';
import { isPlain } from '../finding/word-query.ts';
import { type AsOf, EXAMINED_RECORDS, type Page, PAGE_SIZE } from '../page.ts';
import { pages, type RegisterSource } from './source.ts';

/** What is examined. */
export interface Examined {
  /** Absent: all records. */
  readonly filter?: Filter;
  /** Where to begin. Default 0. */
  readonly offset?: number;
  readonly asOf?: AsOf;
  /** How many positions are examined, or where an index finds them records. Default {@link EXAMINED_RECORDS}. */
  readonly most?: number;
  readonly signal?: AbortSignal;
}

/**
 * The pages of records that match, newest first, as many as one request may examine. The last one's `nextOffset` is null where
 * these are all.
 *
 * @throws GazetteError as `RegisterSource.page()`
 */
export async function* examined(source: RegisterSource, asked: Examined): AsyncGenerator<Page, void, undefined> {
  const { filter, offset = 0, asOf, most = EXAMINED_RECORDS, signal } = asked;
  const limit = Math.min(PAGE_SIZE, most);
  const isAsked = filter !== undefined && Object.keys(filter).length > 0;
  const words = compileFilter(filter, source.definition.fields)?.words ?? [];
  // What a store finds by its index alone it examines alone; of everything else each record counts that may be one.
  const isIndexed = isAsked && source.facets !== undefined && words.every(isPlain);
  let found = 0;
  const walk = pages(source, {
    ...{ limit, offset },
    ...(isAsked && { filter }),
    ...(asOf !== undefined && { asOf }),
    ...(signal && { signal }),
  });
  for await (const page of walk) {
    yield page;
    found += page.records.length;
    if (page.nextOffset === null) return;
    const isSpent = page.records.length < limit || found >= most;
    if (isIndexed ? isSpent : page.nextOffset - offset >= most) return;
  }
}
