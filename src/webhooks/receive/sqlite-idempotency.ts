// Handled events in a SQLite database: their own, or the application's, whose transactions they then share.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { writeTransaction } from '../../stores/sqlite/transaction.ts';
import { checkAge, type ClaimOutcome, eventInProgress, type IdempotencyStore, PRUNE_PAGE } from './idempotency.ts';

/** `handled_at` is Unix time in milliseconds, like `expires_at`. */
const TABLE = `
CREATE TABLE IF NOT EXISTS gazette_handled_events (
  id TEXT PRIMARY KEY,
  token TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  handled_at INTEGER
) STRICT, WITHOUT ROWID`;

const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

const MINE = 'WHERE id = ? AND token = ? AND handled_at IS NULL';

/** At this level a commit has reached the disk. https://sqlite.org/pragma.html#pragma_synchronous */
const SYNCHRONOUS_FULL = 2;

/**
 * Handled events in the table `gazette_handled_events` of a SQLite database.
 *
 * A write receives the database and must be synchronous: SQLite has one writer, and one that waits would block all
 * others. Do everything that has to wait before the write.
 */
export class SqliteIdempotencyStore implements IdempotencyStore<DatabaseSync> {
  readonly #db: DatabaseSync;
  readonly #isOwn: boolean;
  readonly #writing: { readonly path: string; readonly busyTimeoutMs: number };

  private constructor(db: DatabaseSync, isOwn: boolean, busyTimeoutMs: number) {
    this.#db = db;
    this.#isOwn = isOwn;
    this.#writing = { path: db.location() ?? ':memory:', busyTimeoutMs };
  }

  /**
   * Opens a file, or uses the application's own connection, and creates the table if it does not exist.
   *
   * @param database a path, or a connection. A connection's `PRAGMA synchronous` is raised to FULL: an event that was
   *   answered as handled must survive a power cut.
   * @param options.busyTimeoutMs how long a write waits for other writers, in milliseconds. Default 5,000: a delivery waits
   *   three times as long
   * @throws GazetteError `store_busy`; `invalid_store` for a file that cannot be opened or is not a SQLite file.
   */
  static async open(
    database: string | DatabaseSync,
    options: { readonly busyTimeoutMs?: number } = {},
  ): Promise<SqliteIdempotencyStore> {
    const { busyTimeoutMs = 5000 } = options;
    const isOwn = typeof database === 'string';
    const db = isOwn ? await openFile(database) : database;
    try {
      if (isOwn) db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA journal_mode = WAL`);
      const { synchronous } = prepare(db, 'PRAGMA synchronous').get() as { readonly synchronous: number };
      if (synchronous < SYNCHRONOUS_FULL) db.exec('PRAGMA synchronous = FULL');
      const store = new SqliteIdempotencyStore(db, isOwn, busyTimeoutMs);
      await store.#write(() => {
        db.exec(TABLE);
      });
      return store;
    } catch (error) {
      if (isOwn) db.close();
      throw isOwn && !isGazetteError(error) ? invalidStore(database, error) : error;
    }
  }

  claim(eventId: string, token: string, leaseMs: number): Promise<ClaimOutcome> {
    return this.#write(() => {
      const isClaimed = this.#run(
        `INSERT INTO gazette_handled_events (id, token, expires_at) VALUES (?, ?, ${NOW} + ?)
        ON CONFLICT (id) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at
        WHERE handled_at IS NULL AND expires_at <= ${NOW}`,
        eventId,
        token,
        leaseMs,
      );
      if (isClaimed) return { state: 'claimed' };
      const row = prepare(
        this.#db,
        `SELECT handled_at, expires_at - ${NOW} AS lease FROM gazette_handled_events WHERE id = ?`,
      ).get(eventId) as { readonly handled_at: unknown; readonly lease: number | bigint };
      return row.handled_at === null ? { state: 'in_progress', leaseMs: Number(row.lease) } : { state: 'handled' };
    });
  }

  async renew(eventId: string, token: string, leaseMs: number): Promise<void> {
    await this.#write(() =>
      this.#run(`UPDATE gazette_handled_events SET expires_at = ${NOW} + ? ${MINE}`, leaseMs, eventId, token),
    );
  }

  complete<T>(eventId: string, token: string, write: (transaction: DatabaseSync) => T | Promise<T>): Promise<T> {
    return this.#write(() => {
      const isMine = this.#run(`UPDATE gazette_handled_events SET handled_at = ${NOW} ${MINE}`, eventId, token);
      if (!isMine) throw eventInProgress(eventId, 0);
      const result = write(this.#db);
      if (!isPromiseLike(result)) return result;
      // The transaction is rolled back either way, and nothing is left to report this failure to.
      Promise.resolve(result).catch(() => undefined);
      throw new GazetteError('invalid_option', 'a write in SQLite must be synchronous: do what has to wait before it');
    });
  }

  async release(eventId: string, token: string): Promise<void> {
    await this.#write(() => this.#run(`DELETE FROM gazette_handled_events ${MINE}`, eventId, token));
  }

  async prune(options: { readonly olderThan: number }): Promise<number> {
    const olderThan = checkAge(options);
    let deleted = 0;
    for (let after: string | null = ''; after !== null;) {
      const page: { readonly deleted: number; readonly end: string | null } = await this.#prunePage(after, olderThan);
      deleted += page.deleted;
      after = page.end;
      // Other work of the application comes between two pages.
      await nextTurn();
    }
    return deleted;
  }

  /** Closes the file, if the store opened it. */
  close(): void {
    if (this.#isOwn) this.#db.close();
  }

  /** Deletes the old ones among the events after an id; `end` is the last one that it looked at. */
  #prunePage(after: string, olderThan: number): Promise<{ readonly deleted: number; readonly end: string | null }> {
    return this.#write(() => {
      const { end } = prepare(
        this.#db,
        `SELECT max(id) AS end FROM (SELECT id FROM gazette_handled_events WHERE id > ? ORDER BY id LIMIT ${PRUNE_PAGE})`,
      ).get(after) as { readonly end: string | null };
      if (end === null) return { deleted: 0, end };
      const { changes } = this.#db
        .prepare(
          `DELETE FROM gazette_handled_events
          WHERE id > ? AND id <= ? AND coalesce(handled_at, expires_at) < ${NOW} - ?`,
        )
        .run(after, end, olderThan);
      return { deleted: Number(changes), end };
    });
  }

  /** Whether the statement changed a row. */
  #run(sql: string, ...parameters: (string | number)[]): boolean {
    return Number(this.#db.prepare(sql).run(...parameters).changes) === 1;
  }

  #write<T>(work: () => T): Promise<T> {
    return writeTransaction(this.#db, work, this.#writing);
  }
}

async function openFile(path: string): Promise<DatabaseSync> {
  // Loaded only here: on some versions of Node loading it prints a warning.
  const { DatabaseSync } = await import('node:sqlite');
  try {
    return new DatabaseSync(path);
  } catch (cause) {
    throw invalidStore(path, cause);
  }
}

function invalidStore(path: string, cause: unknown): GazetteError {
  return new GazetteError('invalid_store', `the store ${quote(path)} cannot be opened as a SQLite file`, {
    cause,
    details: { store: path },
  });
}

/** The application's own connection may return rows as arrays. */
function prepare(db: DatabaseSync, sql: string): StatementSync {
  const statement = db.prepare(sql);
  statement.setReturnArrays(false);
  return statement;
}

function isPromiseLike<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}
