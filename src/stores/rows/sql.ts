// Builds statements that both databases run, from values and from fragments that each engine writes in its own way, and
// reads the rows of their results. The drivers differ: `pg` returns int8 as text and real booleans, node:sqlite
// numbers.
import type { SqlRow, SqlValue } from './columns.ts';

/** The parts of SQL that the two databases write differently. */
export interface Dialect {
  /** The name of a table, with its schema where there is one. */
  table(name: string): string;
  /** The placeholder of the n-th value, from 1. */
  parameter(number: number): string;
  /** Locks the rows that a SELECT finds until the transaction ends. */
  readonly forUpdate: string;
  /** The same against those who would change the rows alone; empty as well. */
  readonly forShare: string;
  /** The function that returns the smallest of its values. */
  readonly least: string;
  /** The function for the largest of its values. */
  readonly greatest: string;
  /** The condition for a register that is not being removed. */
  readonly isPresent: string;
  /** The expression of a random UUID in lower case. */
  readonly randomUuid: string;
  /**
   * The expression of the time by the database's clock, as an RFC 3339 date-time to the millisecond in UTC, or of one that
   * is so many whole seconds later.
   */
  fromNow(seconds: number): string;
  /** The function that makes rows with a column `value` of a JSON array of texts. */
  readonly eachText: string;
  /** What statements are made of that make tables (tables.ts). */
  readonly tables: TableWords;
}

/** The parts of statements that make tables. Both databases know the type `integer`. */
export interface TableWords {
  /** The type of a text; texts compare by bytes. */
  readonly text: string;
  /** The type of an integer that may need more than 32 bits. */
  readonly bigint: string;
  /** The type of 0 or 1. */
  readonly flag: string;
  /** The type of bytes. */
  readonly bytes: string;
  /** After the type of a primary key: counts from 1, and gives no number twice. */
  readonly counter: string;
  /** After the columns of a table. */
  readonly rows: string;
  /** The same for a table whose rows are short, and are found by a primary key of several columns or of a text. */
  readonly keyed: string;
  /** Begins the statement for a table that a crash may empty. */
  readonly createFleeting: string;
  /** After the last column of an index, whose rows are in the order of their numbers. */
  readonly byNumber: string;
  /** After a column: the account of this id exists. */
  readonly ofAccount: string;
  /** A statement for a column whose bytes cannot be compressed; empty as well. */
  uncompressed(table: string, column: string): string;
  /** The columns of a table that only this database has. */
  readonly ownColumns: Readonly<Record<string, string>>;
}

/** A part of a statement that is not a value: for one engine its text is always the same. */
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

/** Columns, and how to read a row of them. In a statement it represents the names of its columns. */
export class Shape<T> extends Fragment {
  readonly columns: readonly string[];
  /** Reads the row. */
  readonly read: (row: SqlRow) => T;

  constructor(columns: readonly string[], read: (row: SqlRow) => T) {
    super(() => columns.join(', '));
    this.columns = columns;
    this.read = read;
  }

  /** A shape of the same columns, which makes something else of what is read. */
  map<U>(to: (found: T) => U): Shape<U> {
    return new Shape(this.columns, (row) => to(this.read(row)));
  }

  /** The names of its columns, for a table with the alias `alias` in the statement. */
  of(alias: string): string {
    return this.columns.map((name) => `${alias}.${name}`).join(', ');
  }
}

/** Columns, and how to read a row of them. */
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

/**
 * After a SELECT: locks the rows it finds until the transaction ends. SQLite has one writer at a time and needs no
 * lock.
 */
export const FOR_UPDATE: Fragment = new Fragment(({ forUpdate }) => forUpdate);

/** After a SELECT: others may lock the rows in the same way, and nobody may change them. */
export const FOR_SHARE: Fragment = new Fragment(({ forShare }) => forShare);

/** The smallest of its values. None may be null: the databases treat nulls differently. */
export const LEAST: Fragment = new Fragment(({ least }) => least);

/** The largest of its values, in the same way. */
export const GREATEST: Fragment = new Fragment(({ greatest }) => greatest);

/** The condition for a register that exists. SQLite removes a register in parts, and first marks it as removed. */
export const IS_PRESENT: Fragment = new Fragment(({ isPresent }) => isPresent);

/** A random UUID, a new one for each row. A rule must not draw it itself. */
export const RANDOM_UUID: Fragment = new Fragment(({ randomUuid }) => randomUuid);

/** The time by the database's clock: a rule must not read its own. */
export const NOW: Fragment = fromNow(0);

/** A later time by the database's clock. @param ms whole seconds, in milliseconds */
export function fromNow(ms: number): Fragment {
  return new Fragment((dialect) => dialect.fromNow(ms / 1000));
}

/** Makes rows with a column `value` of one parameter, a JSON array of texts. */
export const EACH_TEXT: Fragment = new Fragment(({ eachText }) => eachText);

type Column = SqlValue | undefined;

/** A text column. */
export function asText(column: Column): string {
  return column as string;
}

/** A text column that may be null. */
export function asTextOrNull(column: Column): string | null {
  return column as string | null;
}

/** An integer: `pg` returns those of 64 bits as text. */
export function asNumber(column: Column): number {
  return Number(column);
}

/** An integer that may be null. */
export function asNumberOrNull(column: Column): number | null {
  return column === null ? null : Number(column);
}

/** A boolean: `pg` returns a condition as a boolean, SQLite as 0 or 1. */
export function asFlag(column: Column): boolean {
  return column === true || column === 1;
}

/** Bytes. */
export function asBytes(column: Column): Uint8Array {
  return column as Uint8Array;
}

/** Bytes that may be null. */
export function asBytesOrNull(column: Column): Uint8Array | null {
  return column as Uint8Array | null;
}

/** The only column of a query, an integer. */
export function numberIn(column: string): Shape<number> {
  return shape([column], ([number]) => asNumber(number));
}

/** PostgreSQL does not accept U+0000, and no id of ours contains it: the look-up uses a text that is never an id. */
export function withoutNul(id: string): string {
  return id.includes('\0') ? '' : id;
}
