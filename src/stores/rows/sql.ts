// How a statement is put together that both databases run: values, and fragments that each engine writes its own way; and
// how a row of its answer is read. The drivers differ: `pg` gives int8 as text and real booleans, node:sqlite numbers.
import type { SqlRow, SqlValue } from './columns.ts';

/** How an engine writes what the two databases do not write alike. */
export interface Dialect {
  /** The name of a table, with its schema where there is one. */
  table(name: string): string;
  /** What stands for the n-th value, from 1. */
  parameter(number: number): string;
  /** Locks the rows that a SELECT finds until the transaction ends. */
  readonly forUpdate: string;
  /** The function that answers the smallest of its values. */
  readonly least: string;
  /** The function that answers the greatest of its values. */
  readonly greatest: string;
  /** The condition for a register that is not being removed. */
  readonly isPresent: string;
}

/** A part of a statement that is no value: its text is always the same for one engine. */
export class Fragment {
  readonly #write: (dialect: Dialect) => string;

  constructor(write: (dialect: Dialect) => string) {
    this.#write = write;
  }

  /** Its text. */
  in(dialect: Dialect): string {
    return this.#write(dialect);
  }
}

/** Columns, and what is made of a row of them. In a statement it stands for the names of its columns. */
export class Shape<T> extends Fragment {
  readonly columns: readonly string[];
  /** What the row says. */
  readonly read: (row: SqlRow) => T;

  constructor(columns: readonly string[], read: (row: SqlRow) => T) {
    super(() => columns.join(', '));
    this.columns = columns;
    this.read = read;
  }

  /** The names of its columns, of a table that a statement calls `alias`. */
  of(alias: string): string {
    return this.columns.map((name) => `${alias}.${name}`).join(', ');
  }
}

/** Columns, and what is made of a row of them. */
export function shape<T>(columns: readonly string[], read: (row: SqlRow) => T): Shape<T> {
  return new Shape(columns, read);
}

/** A table. @example const ACCOUNTS = table('accounts'); */
export function table(name: string): Fragment {
  return new Fragment((dialect) => dialect.table(name));
}

/** A fragment made of others and of constant numbers. @example fragment`${KEYS} k JOIN ${ACCOUNTS} a ON a.id = k.account_id` */
export function fragment(texts: TemplateStringsArray, ...parts: readonly (Fragment | number)[]): Fragment {
  const textOf = (part: Fragment | number, dialect: Dialect): string => {
    return part instanceof Fragment ? part.in(dialect) : String(part);
  };
  return new Fragment((dialect) => String.raw({ raw: texts }, ...parts.map((part) => textOf(part, dialect))));
}

/** After a SELECT: locks what it finds until the transaction ends. SQLite has one writer at a time and needs no lock. */
export const FOR_UPDATE: Fragment = new Fragment(({ forUpdate }) => forUpdate);

/** The smallest of its values, none of which may be null: the databases disagree on those. */
export const LEAST: Fragment = new Fragment(({ least }) => least);

/** The greatest of its values, none of which may be null: the databases disagree on those. */
export const GREATEST: Fragment = new Fragment(({ greatest }) => greatest);

/** The condition for a register that is there. SQLite removes a register in parts, and marks it first. */
export const IS_PRESENT: Fragment = new Fragment(({ isPresent }) => isPresent);

type Column = SqlValue | undefined;

/** A text column. */
export function asText(column: Column): string {
  return column as string;
}

/** A text column that may be null. */
export function asTextOrNull(column: Column): string | null {
  return column as string | null;
}

/** A whole number: `pg` gives those of 64 bits as text. */
export function asNumber(column: Column): number {
  return Number(column);
}

/** A whole number that may be null. */
export function asNumberOrNull(column: Column): number | null {
  return column === null ? null : Number(column);
}

/** A truth value: `pg` gives a condition as a boolean, SQLite 0 or 1. */
export function asFlag(column: Column): boolean {
  return column === true || column === 1;
}

/** Bytes. */
export function asBytes(column: Column): Uint8Array {
  return column as Uint8Array;
}

/** A query's only column, a whole number. */
export function numberIn(column: string): Shape<number> {
  return shape([column], ([number]) => asNumber(number));
}

/** PostgreSQL knows no U+0000, and nothing of ours has an id with one: it is looked up as what nothing is called. */
export function withoutNul(id: string): string {
  return id.includes('\0') ? '' : id;
}
