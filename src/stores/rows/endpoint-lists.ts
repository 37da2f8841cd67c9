// What an endpoint subscribes to, as columns store it: JSON texts, null for "all".
import type { Filter } from '../../register/finding/filter.ts';
import type { SqlValue } from './columns.ts';
import { asText } from './sql.ts';
import { storedJson } from './stored-json.ts';

/** A list as a column stores it. */
export function listText(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

/** A list in a column. */
export function asListOrNull(column: SqlValue | undefined): readonly string[] | null {
  return column == null ? null : (storedJson(asText(column)) as string[]);
}

/** A filter as a column stores it. */
export function filterText(filter: Filter | null): string | null {
  return filter === null ? null : JSON.stringify(filter);
}

/** A filter in a column. */
export function asFilterOrNull(column: SqlValue | undefined): Filter | null {
  return column == null ? null : (storedJson(asText(column)) as Filter);
}
