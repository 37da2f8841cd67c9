// Statements of node:sqlite that answer rows as arrays, in the order of their columns. Only the module's types are
// needed here: a thread takes the module in its own way.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlRow } from '../rows/columns.ts';

/** A prepared statement that answers rows as arrays. */
export interface SqliteStatement {
  all(...parameters: (string | number | null | Uint8Array)[]): SqlRow[];
  get(...parameters: (string | number | null | Uint8Array)[]): SqlRow | undefined;
  run(...parameters: (string | number | null | Uint8Array)[]): { readonly changes: number | bigint };
}

/** Prepares a statement. @throws what node:sqlite throws */
export function prepareArrays(db: DatabaseSync, sql: string): SqliteStatement {
  const statement: StatementSync = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as SqliteStatement;
}
