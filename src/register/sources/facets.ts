// The facets of a source: from its counters, if it has them and all records are asked for; otherwise its records are read,
// newest first, and counted.
import { FacetCounter, type Facets } from '../finding/facets.ts';
import type { Filter } from '../finding/filter.ts';
import { EXAMINED_RECORDS, PAGE_SIZE } from '../page.ts';
import { pages, type RegisterSource } from './source.ts';

/**
 * The facets of all records, from counters. Null: {@link facetsOfSource} reads the records. An answer that is kept by the
 * register's revision is another one then.
 */
export async function countedFacets(
  source: RegisterSource,
  names: readonly string[],
  filter?: Filter,
): Promise<Facets | null> {
  if (filter !== undefined && Object.keys(filter).length > 0) return null;
  const facets = (await source.facets?.(names)) ?? null;
  return facets === null ? null : { facets, isBounded: false };
}

/** The facets of the records that match, which are read for them. @param names as {@link checkFacetNames} gives them */
export async function facetsOfSource(
  source: RegisterSource,
  names: readonly string[],
  filter?: Filter,
  signal?: AbortSignal,
): Promise<Facets> {
  const query = { limit: PAGE_SIZE, ...(filter && { filter }), ...(signal && { signal }) };
  const counter = new FacetCounter(names);
  let isBounded = false;
  for await (const page of pages(source, query)) {
    counter.add(page.records);
    isBounded = page.nextOffset !== null && page.nextOffset >= EXAMINED_RECORDS;
    if (isBounded) break;
  }
  return { facets: counter.facets(), isBounded };
}
