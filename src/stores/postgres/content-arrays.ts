// Contents of many records as the parameters of one statement: an array for each column.
import type { NewContent } from '../logic/batch.ts';
import type { SqlParameter, SqlValues } from '../logic/rule.ts';
import { CONTENT_COLUMNS } from '../rows/columns.ts';

const CONTENT_TYPES = CONTENT_COLUMNS.map((name) => (name === 'observed_is_stated' ? 'smallint' : 'text'));

/** A record with its new content. */
export interface NewRow {
  readonly position: number;
  readonly version: number;
  readonly content: NewContent;
}

/** `unnest` of one array per column: first those of the given types, then the content columns. */
export function contentRows(types: readonly string[], from: number): string {
  const arrays = [...types, ...CONTENT_TYPES].map((type, index) => `$${from + index}::${type}[]`);
  return `unnest(${arrays.join(', ')})`;
}

/** The arrays that {@link contentRows} takes: the columns of each record's head and content. */
export function contentArrays(placed: readonly NewRow[], headOf: (record: NewRow) => SqlValues): SqlParameter[][] {
  const rows = placed.map((record) => [...headOf(record), ...record.content.values]);
  return rows[0]!.map((_, column) => rows.map((row) => row[column]!));
}
