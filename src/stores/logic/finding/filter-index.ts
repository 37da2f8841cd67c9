// Which index answers a filter.
import { compileFilter, filterPreviews, type RecordFilter } from '../../../register/finding/filter.ts';
import type { CountedField } from '../../../register/finding/filters.ts';
import type { PageQuery } from '../../../register/page.ts';
import { columnText, type ShownAs } from '../../rows/columns.ts';

/** What answers a filter: an index of the records, or for `terms` that of their terms and the records themselves. */
export type FilterKind = 'none' | 'type' | 'facility' | 'both' | 'terms';

/** The filters of which the stores have an index of their own. */
export const INDEXED: { readonly type: CountedField; readonly facility: CountedField } = {
  type: 'document_type',
  facility: 'facility_id',
};

/** The filter of a query in a register that is shown so; null for all records. @throws GazetteError as `compileFilter()` */
export function filterIn({ fields }: ShownAs, query: Pick<PageQuery, 'filter' | 'preview'>): RecordFilter | null {
  const filter = compileFilter(query.filter, fields);
  return filter === null || query.preview === undefined ? filter : filterPreviews(filter, query.preview);
}

/** The index for a filter without keys, and the values in it, as stored in the columns: document type first. */
export function indexOf(filter: RecordFilter | null): {
  readonly kind: FilterKind;
  readonly values: readonly string[];
} {
  if (filter === null) return { kind: 'none', values: [] };
  const { [INDEXED.type]: type, [INDEXED.facility]: facility, ...others } = filter.canonical;
  const asked = [type, facility].filter((values) => values !== undefined);
  if (Object.keys(others).length > 0 || asked.some(({ length }) => length > 1)) return { kind: 'terms', values: [] };
  const values = asked.map(([value]) => columnText(value!));
  if (type === undefined) return { kind: 'facility', values };
  return { kind: facility === undefined ? 'type' : 'both', values };
}

/** The filter of a query that the index of terms answers; null for another. @throws GazetteError as `compileFilter()` */
export function termFilter(shown: ShownAs, query: Pick<PageQuery, 'filter' | 'preview'>): RecordFilter | null {
  const filter = filterIn(shown, query);
  return filter !== null && indexOf(filter).kind === 'terms' ? filter : null;
}
