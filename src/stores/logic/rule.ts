// Rules: the decisions of a store, written once for every database. A rule is a generator that yields its queries; an
// engine runs it inside one transaction. It takes `sql` first, gets every answer by `yield*`, and waits for nothing
// else. It must not catch an error of a query, because PostgreSQL has then aborted the transaction (use ON CONFLICT …
// RETURNING to detect conflicts). It must not read a clock or use random numbers, because an engine may run it more
// than once. `eslint.config.js` enforces this.
import { GazetteError } from '../../errors.ts';
import type { SqlRow } from '../rows/columns.ts';
import type { CommitmentBytes } from '../rows/commitment.ts';
import { type Dialect, Fragment, type Shape } from '../rows/sql.ts';
import type { Table } from '../rows/table.ts';

/** The value of a parameter in a statement. */
export type SqlParameter = string | number | null | Uint8Array;

/** A statement with its values. */
export interface Query {
  readonly text: string;
  /** A list of values is one parameter: a column of {@link KeyedTable}. */
  readonly values: readonly (SqlParameter | readonly SqlParameter[])[];
}

/** A table of which thousands of rows are read and written at once, by their whole keys. */
export interface KeyedTable<T> {
  readonly name: string;
  /** The columns of its primary key, in their order, and their types. */
  readonly key: Readonly<Record<string, 'bigint' | 'text'>>;
  /** The other columns. */
  readonly values: Readonly<Record<string, 'bigint' | 'bytea' | 'text'>>;
  /** Reads a row of all columns. */
  readonly read: (row: SqlRow) => T;
}

/** A table as it is read and written so. @param read as {@link KeyedTable.read} */
export function keyedTable<T>({ name, columns, options }: Table, read: (row: SqlRow) => T): KeyedTable<T> {
  const types = { text: 'text', bytes: 'bytea', bigint: 'bigint', integer: 'bigint', flag: 'bigint' } as const;
  const typed = Object.entries(columns).map(([column, { type }]) => [column, types[type]] as const);
  const isKey = ([column]: readonly [string, string]): boolean => options.key.includes(column);
  return {
    name,
    key: Object.fromEntries(typed.filter(isKey)) as KeyedTable<T>['key'],
    values: Object.fromEntries(typed.filter((column) => !isKey(column))),
    read,
  };
}

/** After an INSERT: the rows replace those with the same keys. */
export function replacing({ key, values }: Pick<KeyedTable<unknown>, 'key' | 'values'>): string {
  const set = Object.keys(values).map((column) => `${column} = excluded.${column}`);
  return `ON CONFLICT (${Object.keys(key).join(', ')}) DO ${set.length === 0 ? 'NOTHING' : `UPDATE SET ${set.join(', ')}`}`;
}

/** The values of some columns of a row. */
export type SqlValues = readonly SqlParameter[];

/** What an engine returns for a query. */
export interface Answer {
  readonly rows: readonly SqlRow[];
  /** How many rows a statement changed, if it asks for no rows. */
  readonly count: number;
}

/** A decision: its queries, one after the other, and its result. */
export type Rule<T> = Generator<Query, T, Answer>;

/** A template for a statement. `yield*` runs the query it creates. */
export type Statement<T> = (
  texts: TemplateStringsArray,
  ...parts: readonly (SqlParameter | Fragment)[]
) => Iterable<Query, T, Answer>;

/** Versions that were just written to a register, which the rule has locked. */
export interface Commit {
  /** The number of the register. */
  readonly register: number;
  /** The last change before them. */
  readonly from: number;
  /** The last of them. */
  readonly to: number;
  /** Given where all of them are first versions: they need not be read. */
  readonly first?: FirstVersions | null;
}

/** First versions, of records and changes one above the other. */
export interface FirstVersions extends CommitmentBytes {
  readonly ids: readonly string[];
  /** The highest position before them. */
  readonly top: number;
  readonly recordedAt: string;
}

/** A record whose content and salts are about to be erased. */
export interface ErasedRecord {
  readonly id: string;
  readonly slot: number;
  /** The number of the version that will say so, or of a later one that was erased with it. */
  readonly version: number;
  /** Given where this version was taken in without its salts: what stands for the record in the log. */
  readonly hmac?: Uint8Array | null;
}

/** What a plugin of a store does inside the transactions of others (plugins/plugin.ts). */
export interface PluginRules {
  readonly name: string;
  /** After versions were written. */
  readonly onCommit?: (sql: Sql, commit: Commit) => Rule<void>;
  /** Before a record is erased; {@link onCommit} follows in the same transaction. */
  readonly beforeErase?: (sql: Sql, record: ErasedRecord) => Rule<void>;
  /** Whether it keeps something of an account of this id that is gone: nobody else gets the id. */
  readonly knowsAccount?: (sql: Sql, accountId: string) => Rule<boolean>;
  /** How many purchases it keeps of the records that a proposal withdraws. */
  readonly soldOf?: (sql: Sql, proposal: number) => Rule<number>;
  /** After all registers were given new logs: the store was restored. */
  readonly onLogRenewed?: (sql: Sql) => Rule<void>;
}

/** The interface through which a rule queries the database. */
export interface Sql {
  /** With which the store was opened. */
  readonly plugins: readonly PluginRules[];
  /** The first row, read by a shape; null when there is none. */
  one<T>(shape: Shape<T>): Statement<T | null>;
  /** All rows, each read by a shape. */
  all<T>(shape: Shape<T>): Statement<T[]>;
  /** Returns no rows, only how many were changed. */
  readonly run: Statement<number>;
  /** The rows of a table with these keys, as far as there are any. */
  get<T>(table: KeyedTable<T>, keys: readonly SqlValues[]): Iterable<Query, T[], Answer>;
  /** Writes rows, keys first. They replace those with the same keys. */
  put(table: KeyedTable<unknown>, rows: readonly SqlValues[]): Iterable<Query, void, Answer>;
  /** Removes the rows with these keys. */
  drop(table: KeyedTable<unknown>, keys: readonly SqlValues[]): Iterable<Query, void, Answer>;
}

/** A database that runs rules. It takes the rule, not its generator, because a retry needs a new generator. */
export interface Engine {
  /**
   * Runs a rule in one transaction that may write. SQLite runs writers one after the other. PostgreSQL runs them at
   * READ COMMITTED, where a rule locks the rows that it decides on (`FOR_UPDATE`, or the row that it changes).
   *
   * @throws GazetteError any error of the rule; `store_busy` when others write for longer than the time allowed;
   *   `internal_error`, naming the rule, for a statement that the database refuses
   */
  write<Given extends readonly unknown[], T>(rule: (sql: Sql, ...given: Given) => Rule<T>, ...given: Given): Promise<T>;

  /**
   * Runs a rule that only reads, on one state of the database. A rule with a single statement runs without a
   * transaction.
   */
  read<Given extends readonly unknown[], T>(rule: (sql: Sql, ...given: Given) => Rule<T>, ...given: Given): Promise<T>;
}

/** A template with its values. The result of preparing its text is cached. */
interface Filled<Prepared> {
  readonly prepared: Prepared;
  readonly values: readonly SqlParameter[];
}

/** Fills templates. @param prepare creates an engine's statement from its text */
export function templatesIn<Prepared>(
  dialect: Dialect,
  prepare: (text: string) => Prepared,
): (texts: TemplateStringsArray, parts: readonly (SqlParameter | Fragment)[]) => Filled<Prepared> {
  const known = new Map<
    TemplateStringsArray,
    { readonly prepared: Prepared; readonly fragments: readonly unknown[] }
  >();
  return (texts, parts) => {
    let template = known.get(texts);
    if (template === undefined) {
      const fragments = parts.map((part) => (part instanceof Fragment ? part : null));
      template = { prepared: prepare(textOf(dialect, texts, parts)), fragments };
      known.set(texts, template);
    }
    const values: SqlParameter[] = [];
    for (let at = 0; at < parts.length; at++) {
      const part = parts[at]!;
      const isFragment = typeof part === 'object' && part instanceof Fragment;
      if ((isFragment ? part : null) !== template.fragments[at]) {
        throw new TypeError(`a fragment must be the same every time: ${textOf(dialect, texts, parts)}`);
      }
      if (!isFragment) values.push(part);
    }
    return { prepared: template.prepared, values };
  };
}

function textOf(dialect: Dialect, texts: TemplateStringsArray, parts: readonly (SqlParameter | Fragment)[]): string {
  let text = texts[0]!;
  let values = 0;
  for (const [at, part] of parts.entries()) {
    text += (part instanceof Fragment ? part.in(dialect) : dialect.parameter(++values)) + texts[at + 1]!;
  }
  return text;
}

/** Queries that are yielded to the engine, which answers them. */
export function yieldedSql(dialect: Dialect, plugins: readonly PluginRules[] = []): Sql {
  const fill = templatesIn(dialect, (text) => text);
  const statement = <T>(read: (answer: Answer) => T): Statement<T> => {
    return function* (texts, ...parts) {
      const { prepared: text, values } = fill(texts, parts);
      return read(yield { text, values });
    };
  };
  return {
    plugins,
    one: (shape) => statement(({ rows: [row] }) => (row === undefined ? null : shape.read(row))),
    all: (shape) => statement(({ rows }) => rows.map(shape.read)),
    run: statement(({ count }) => count),
    *get({ name, key, values, read }, keys) {
      if (keys.length === 0) return [];
      const columns = [...Object.keys(key), ...Object.keys(values)].map((column) => `t.${column}`);
      const text = `SELECT ${columns.join(', ')} FROM ${keyed(dialect.table(name), key)}`;
      return (yield { text, values: columnsOf(keys) }).rows.map(read);
    },
    *put({ name, key, values }, rows) {
      if (rows.length === 0) return;
      const text = `INSERT INTO ${dialect.table(name)} (${Object.keys({ ...key, ...values }).join(', ')})
        SELECT * FROM ${unnested({ ...key, ...values })} ${replacing({ key, values })}`;
      yield { text, values: columnsOf(rows) };
    },
    *drop({ name, key }, keys) {
      if (keys.length === 0) return;
      const found = `SELECT t.ctid FROM ${keyed(dialect.table(name), key)}`;
      yield {
        text: `DELETE FROM ${dialect.table(name)} WHERE ctid = ANY (ARRAY(${found}))`,
        values: columnsOf(keys),
      };
    },
  };
}

/** The rows `t` with given keys, each looked up in the index: joined otherwise, the whole table might be read. */
function keyed(table: string, key: KeyedTable<unknown>['key']): string {
  const names = Object.keys(key);
  const isIt = names.map((name) => `t.${name} = k.${name}`).join(' AND ');
  return `${unnested(key)} AS k (${names.join(', ')})
    CROSS JOIN LATERAL (SELECT t.ctid, t.* FROM ${table} t WHERE ${isIt} OFFSET 0) AS t`;
}

function unnested(columns: Readonly<Record<string, string>>): string {
  return `unnest(${Object.values(columns)
    .map((type, at) => `$${at + 1}::${type}[]`)
    .join(', ')})`;
}

function columnsOf(rows: readonly SqlValues[]): SqlParameter[][] {
  return rows[0]!.map((_, at) => rows.map((row) => row[at]!));
}

/** The error for a statement that the database refuses. It names the rule, which is at fault. */
export function faultOf(rule: { readonly name: string }, cause: unknown): GazetteError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new GazetteError('internal_error', `the rule ${rule.name} failed: ${reason}`, {
    cause,
    details: { rule: rule.name },
  });
}
