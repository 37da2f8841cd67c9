// The facets of a source: its records are read, newest first, and counted. Stores have counters, and are asked for theirs.
import { FacetCounter, type Facets } from '../finding/facets.ts';
import type { Filter } from '../finding/filter.ts';
import { PAGE_SIZE } from '../page.ts';
import { pages, type RegisterSource } from './source.ts';

/** How many positions are examined. */
export const FACETS_EXAMINED = 20_000;

/** The facets of the records that match. @param names as {@link checkFacetNames} gives them */
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
    isBounded = page.nextOffset !== null && page.nextOffset >= FACETS_EXAMINED;
    if (isBounded) break;
  }
  return { facets: counter.facets(), isBounded };
}
