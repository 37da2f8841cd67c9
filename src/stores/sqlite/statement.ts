// Statements of node:sqlite that return rows as arrays, in the order of their columns. This file needs only the
// module's types, because a thread loads the module in its own way.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlRow } from '../rows/columns.ts';

/** A prepared statement that returns rows as arrays. */
export interface SqliteStatement {
  all(...parameters: (string | number | null | Uint8Array)[]): SqlRow[];
  get(...parameters: (string | number | null | Uint8Array)[]): SqlRow | undefined;
  run(...parameters: (string | number | null | Uint8Array)[]): { readonly changes: number | bigint };
}

/** Prepares a statement. @throws the errors of node:sqlite */
export function prepareArrays(db: DatabaseSync, sql: string): SqliteStatement {
  const statement: StatementSync = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as SqliteStatement;
}
