// Statements of node:sqlite that return rows as arrays, in the order of their columns.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlRow } from '../rows/columns.ts';

type SqliteParameter = string | number | null | Uint8Array;

/** A prepared statement that returns rows as arrays. */
export interface SqliteStatement {
  all(...parameters: SqliteParameter[]): SqlRow[];
  get(...parameters: SqliteParameter[]): SqlRow | undefined;
  run(...parameters: SqliteParameter[]): { readonly changes: number | bigint };
}

/**
 * A statement that is prepared when it is first used, because a store has a hundred and most of its users need few; errors are
 * thrown as `toError` changes them.
 */
export class GuardedStatement implements SqliteStatement {
  readonly #prepare: () => SqliteStatement;
  readonly #toError: (error: unknown) => unknown;
  #prepared: SqliteStatement | undefined;

  constructor(prepare: () => SqliteStatement, toError: (error: unknown) => unknown) {
    this.#prepare = prepare;
    this.#toError = toError;
  }

  get #statement(): SqliteStatement {
    return (this.#prepared ??= this.#prepare());
  }

  all(...parameters: SqliteParameter[]): SqlRow[] {
    try {
      return this.#statement.all(...parameters);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  get(...parameters: SqliteParameter[]): SqlRow | undefined {
    try {
      return this.#statement.get(...parameters);
    } catch (error) {
      throw this.#toError(error);
    }
  }

  run(...parameters: SqliteParameter[]): { readonly changes: number | bigint } {
    try {
      return this.#statement.run(...parameters);
    } catch (error) {
      throw this.#toError(error);
    }
  }
}

/** Prepares a statement. @throws the errors of node:sqlite */
export function prepareArrays(db: DatabaseSync, sql: string): SqliteStatement {
  const statement: StatementSync = db.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as SqliteStatement;
}
