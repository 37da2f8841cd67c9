// Removes a register from a SQLite file: it is marked, and readers see it no more; then its rows go, some at a time, so that
// others wait for none of it. A removal that was interrupted goes on where it ended.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfAborted } from '../../register/sources/source.ts';
import type { UnderLease } from '../contract/leases.ts';
import { beginBatch } from '../logic/leases.ts';
import { checkPlugins } from '../logic/plugins/joined.ts';
import type { StorePlugin } from '../logic/plugins/plugin.ts';
import { registerRows, type RegisterRows } from '../logic/removal.ts';
import { rememberRemoval, unknownFeed } from '../rows/register.ts';
import type { Rule, Sql } from '../logic/rule.ts';
import type { RemovalHooks } from '../hooks.ts';
import type { SqliteConnection } from './connection.ts';
import { runAtOnce } from './engine.ts';
import type { SqliteStatement } from './statement.ts';

/** How many rows one step of a removal deletes: about ten milliseconds of work. */
const REMOVAL_CHUNK = 500;

/** The prepared statements of one connection. */
export class SqliteRemoval implements RemovalHooks {
  readonly #connection: SqliteConnection;
  readonly #plugins: readonly StorePlugin[];
  readonly #remember: SqliteStatement;
  readonly #mark: SqliteStatement;
  readonly #find: SqliteStatement;
  readonly #all: SqliteStatement;
  readonly #rows: readonly { readonly statement: SqliteStatement; readonly from: RegisterRows['from'] }[];
  readonly #end: SqliteStatement;

  constructor(connection: SqliteConnection, plugins: readonly StorePlugin[]) {
    this.#connection = connection;
    this.#plugins = plugins;
    this.#remember = connection.prepare(rememberRemoval('', 'id = ?'));
    this.#mark = connection.prepare('UPDATE registers SET is_removed = 1, uuid = NULL WHERE id = ?');
    this.#find = connection.prepare('SELECT number FROM registers WHERE id = ? AND is_removed = 1');
    // By the index of uuids: a register that is marked has none.
    this.#all = connection.prepare(
      'SELECT number, id FROM registers WHERE uuid IS NULL AND is_removed = 1 ORDER BY number',
    );
    this.#rows = registerRows(plugins).map(({ table, column, key, from }) => {
      const found = `SELECT ${key} FROM ${table} WHERE ${column} >= ? AND ${column} < ? LIMIT ?`;
      return { from, statement: connection.prepare(`DELETE FROM ${table} WHERE (${key}) IN (${found})`) };
    });
    this.#end = connection.prepare('DELETE FROM registers WHERE number = ?');
  }

  /** Marks a register. Its rows are left. */
  *remove(sql: Sql, feedId: string, under: UnderLease): Rule<void> {
    if (this.#find.get(feedId) !== undefined) return;
    yield* beginBatch(sql, feedId, under);
    yield* checkPlugins(sql);
    this.#remember.run(feedId);
    if (Number(this.#mark.run(feedId).changes) === 0) throw unknownFeed(feedId);
  }

  async complete(feedId: string): Promise<void> {
    const register = this.#find.get(feedId);
    if (register !== undefined) await this.#remove(register[0] as number);
  }

  async completeAll(signal?: AbortSignal): Promise<readonly string[]> {
    const marked = this.#all.all();
    for (const [number] of marked) await this.#remove(number as number, signal);
    return marked.map(([, id]) => id as string);
  }

  async #remove(register: number, signal?: AbortSignal): Promise<void> {
    const work = (): boolean => {
      // What it has in tables of a plugin would stay.
      runAtOnce((text) => this.#connection.prepare(text), this.#plugins, checkPlugins);
      return this.#removeSome(register);
    };
    while (!(await this.#connection.write(work))) {
      throwIfAborted(signal);
      await nextTurn();
    }
  }

  /** @returns whether all rows are deleted */
  #removeSome(register: number): boolean {
    let left = REMOVAL_CHUNK;
    for (const { statement, from } of this.#rows) {
      left -= Number(statement.run(from(register), from(register + 1), left).changes);
      if (left <= 0) return false;
    }
    this.#end.run(register);
    return true;
  }
}
