// One connection to a SQLite file: opens and migrates the file, and writes without blocking the event loop while
// another process has the lock. Reads never wait: in WAL mode they see the last commit.
import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { GazetteError, quote } from '../../errors.ts';
import { lastNumber, type Migration, type Numbered, pendingMigrations } from '../logic/migration.ts';
import type { StorePlugin } from '../logic/plugins/plugin.ts';
import { openCopy } from './file/copy.ts';
import { fileGone, onlyRead, openingError, storeError } from './file/errors.ts';
import { isJoined, joinPlugins } from './file/join.ts';
import { openFile, type OpenedFile } from './file/open-file.ts';
import { SQLITE_MIGRATIONS } from './migrations.ts';
import { GuardedStatement, prepareArrays, type SqliteStatement } from './statement.ts';
import { isBusy, writeTransaction } from './transaction.ts';

/** The application id in the header of a SQLite file that is a gazette store: "gzte". */
const APPLICATION_ID = 0x677a7465;

/** Options of a connection. */
export interface SqliteOptions {
  /** How long a write waits for the writes of other processes, in milliseconds. Default 10,000. */
  readonly busyTimeoutMs?: number;
  /**
   * Whether the process only writes, and writes a lot: checkpoints are then rarer, and each may block for some tenths
   * of a second. Default false, for processes that also serve.
   */
  readonly bulk?: boolean;
  /**
   * Whether to write nothing at all: writes fail, and a store of an older version is refused instead of being upgraded.
   * Default false; a file that cannot be written is always opened in this way.
   */
  readonly readOnly?: boolean;
  /**
   * What else keeps something in the store. A store remembers its plugins, and its registers are written only with all of them.
   * Default: the logs of registers, and purchases.
   *
   * @internal
   */
  readonly plugins?: readonly StorePlugin[];
}

/** The size of the cache, in KiB; a larger one makes an import no faster. */
const CACHE_KIB = 16_384;

/** The number of WAL pages between two checkpoints. */
const CHECKPOINT_PAGES = { serving: 1000, bulk: 8000 } as const;

/** How long reads wait while another process briefly recovers or closes the file, in milliseconds. */
const READ_BUSY_TIMEOUT_MS = 2000;

/** A SQLite file that contains a store. */
export class SqliteConnection {
  readonly path: string;
  /**
   * The path of the file, or a URL that SQLite understands, for connections of other threads; null for a database in
   * memory, which only this connection can use.
   */
  readonly file: string | null;
  /** The folder of the file; for a database in memory, that for temporary files. */
  readonly folder: string;
  /** How long a write waits for the writes of other processes, in milliseconds. */
  readonly busyTimeoutMs: number;
  /** Whether every write fails. */
  readonly isReadOnly: boolean;
  readonly #db: DatabaseSync;
  /** Changes when another connection has committed. */
  readonly #dataVersion: SqliteStatement;
  /** The full path of the file, and its identity when it was opened. */
  readonly #location: string | null;
  readonly #identity: string | null;
  #knownDataVersion: unknown = null;
  #stamp = 0;

  private constructor(path: string, { db, location, isReadOnly }: OpenedFile, busyTimeoutMs: number) {
    this.path = path;
    this.file = location;
    this.isReadOnly = isReadOnly;
    this.#db = db;
    this.#dataVersion = this.prepare('PRAGMA data_version');
    this.busyTimeoutMs = busyTimeoutMs;
    this.#location = db.location();
    this.folder = this.#location === null ? tmpdir() : dirname(this.#location);
    this.#identity = identityOf(this.#location);
  }

  /**
   * Opens or creates the file, and updates its schema to the current version.
   *
   * @throws GazetteError `invalid_store` for a file that is not a store or cannot be opened, `schema_too_new`,
   *   `store_busy`.
   */
  static open(
    path: string,
    options: SqliteOptions = {},
    migrations: readonly Migration[] = SQLITE_MIGRATIONS,
  ): SqliteConnection {
    const { busyTimeoutMs = 10_000, readOnly = false, plugins = [] } = options;
    const prepare = ({ db, isReadOnly }: OpenedFile): void => {
      // Opening is the only operation that may block here: the process serves nothing yet.
      db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA cache_size = -${CACHE_KIB}`);
      recognise(db, path);
      if (isReadOnly || readOnly) {
        if (pendingOf(db, path, migrations).length > 0 || !isJoined(db, path, plugins)) throw notCurrent(path);
        db.exec('PRAGMA query_only = ON');
      } else {
        switchToWal(db, busyTimeoutMs);
        prepareWriting(db, options);
        migrate(db, path, migrations);
        joinPlugins(db, path, plugins);
        openCopy(db, plugins);
      }
      db.exec(`PRAGMA busy_timeout = ${Math.min(READ_BUSY_TIMEOUT_MS, busyTimeoutMs)}`);
    };
    try {
      const opened = openFile(path, readOnly, prepare);
      return new SqliteConnection(path, { ...opened, isReadOnly: opened.isReadOnly || readOnly }, busyTimeoutMs);
    } catch (error) {
      throw openingError(path, error);
    }
  }

  /** A prepared statement. It throws `store_unavailable` while the file cannot be read or written. */
  prepare(sql: string): SqliteStatement {
    return new GuardedStatement(
      () => prepareArrays(this.#db, sql),
      (error) => storeError(this.path, error),
    );
  }

  /** Changes with every commit, by this or any other connection of any process. */
  stamp(): number {
    const [dataVersion] = this.#dataVersion.get()!;
    if (dataVersion !== this.#knownDataVersion) {
      this.#knownDataVersion = dataVersion;
      this.#stamp++;
    }
    return this.#stamp;
  }

  /** Runs `work`, which is synchronous and only reads, on one state of the file. */
  read<T>(work: () => T): T {
    return this.#named(() => {
      this.#db.exec('BEGIN');
      try {
        return work();
      } finally {
        // An error of the file has already ended it.
        if (this.#db.isTransaction) this.#db.exec('COMMIT');
      }
    });
  }

  /**
   * Runs `work`, which is synchronous, in one transaction.
   *
   * @throws GazetteError `store_busy` when others write for longer than the time allowed; `store_unavailable` when the
   *   disk is full or fails; `output_failed` for a store that can only be read; `invalid_store` when the file was
   *   removed or replaced meanwhile: the system keeps the opened file, but nothing written to it can be found again.
   */
  async write<T>(work: () => T): Promise<T> {
    if (this.isReadOnly) throw onlyRead(this.path);
    const noted = (): T => {
      // Nothing can ask for it before the transaction has ended.
      this.#stamp++;
      return work();
    };
    let result: T;
    try {
      result = await writeTransaction(this.#db, noted, this);
    } catch (error) {
      throw storeError(this.path, error);
    }
    if (identityOf(this.#location) !== this.#identity) throw fileGone(this.path);
    return result;
  }

  /** Whether it was not closed. */
  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  close(): void {
    this.#db.close();
  }

  #named<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(this.path, error);
    }
  }
}

/** For this alone SQLite waits for no other writer: processes that make the file together would fail each other. */
function switchToWal(db: DatabaseSync, busyTimeoutMs: number): void {
  // Only a new file accepts it. Records are long: larger pages make imports and exports 10% faster.
  db.exec('PRAGMA page_size = 8192');
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      db.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
      // Here it waits.
      db.exec('BEGIN IMMEDIATE; COMMIT');
    }
  }
}

function prepareWriting(db: DatabaseSync, { bulk = false }: SqliteOptions): void {
  // Deleted content is overwritten: redaction depends on it.
  db.exec('PRAGMA secure_delete = ON');
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES[bulk ? 'bulk' : 'serving']}`);
}

/** The identity of the file at a path; null if there is none. */
function identityOf(path: string | null): string | null {
  const stats = path === null ? undefined : statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? null : `${stats.dev}:${stats.ino}`;
}

/** A file with other content belongs to another program: do not create our tables in it. */
function recognise(db: DatabaseSync, path: string): void {
  // One statement: between two, another process may create the store.
  const sql = 'SELECT application_id, (SELECT count(*) FROM sqlite_schema) FROM pragma_application_id';
  const [id, tables] = prepareArrays(db, sql).get()!;
  if (id !== APPLICATION_ID && (id !== 0 || tables !== 0)) {
    throw new GazetteError('invalid_store', `${quote(path)} is a SQLite file of another program, not a gazette store`, {
      details: { store: path },
    });
  }
}

/** A store that is only read cannot be upgraded. */
function notCurrent(path: string): GazetteError {
  return new GazetteError(
    'invalid_store',
    `the store ${quote(path)} was made by an older gazette, or by one with fewer plugins, and has to be upgraded first, which any command does that may write it, such as gazette register list`,
    { details: { store: path } },
  );
}

function migrate(db: DatabaseSync, path: string, migrations: readonly Migration[]): void {
  if (pendingOf(db, path, migrations).length === 0) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Read again under the lock: another process may have been first.
    const pending = pendingOf(db, path, migrations);
    db.exec(MIGRATIONS_TABLE);
    const note = db.prepare('INSERT INTO migrations (version, name, compatible_from) VALUES (?, ?, ?)');
    for (const { sql, version, name, compatibleFrom } of pending) {
      db.exec(sql);
      note.run(version, name, compatibleFrom);
    }
    const last = pending.at(-1);
    if (last !== undefined) db.exec(`PRAGMA user_version = ${last.version}`);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** The migrations that ran. */
const MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  compatible_from INTEGER NOT NULL
) STRICT`;

function pendingOf(db: DatabaseSync, path: string, migrations: readonly Migration[]): readonly Numbered[] {
  const version = prepareArrays(db, 'PRAGMA user_version').get()![0] as number;
  const newest = 'SELECT max(compatible_from) FROM migrations';
  const compatibleFrom = version > lastNumber(migrations) ? (prepareArrays(db, newest).get()![0] as number) : null;
  return pendingMigrations(path, { version, compatibleFrom }, migrations);
}
