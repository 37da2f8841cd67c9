// What a witness signed last of each log, in a SQLite file of its own. It is stored before anything is answered: a witness that
// forgets what it signed could sign two heads that contradict each other.
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { GazetteError, quote } from '../../../../src/errors.ts';
import { primaryCode, SQLITE_BUSY, SQLITE_NOTADB } from '../../../../src/files/sqlite-codes.ts';
import { originHash } from '../../../../src/wings/proofs/tlog/checkpoint.ts';
import type { TreeHead } from '../../../../src/wings/proofs/tlog/verification.ts';

/** What was signed of a log. */
export interface WitnessedHead extends TreeHead {
  /** When, in seconds since 1970. */
  readonly time: number;
  /** The checkpoint with the signatures of the log and of the witness. */
  readonly checkpoint: string;
}

/** The application id in the header of the file: "gztw". */
const APPLICATION_ID = 0x677a7477;

/** The version of the tables. */
const VERSION = 1;

/** How long a request waits for another process with the file, in milliseconds. */
const BUSY_TIMEOUT_MS = 2000;

const TABLES = `
CREATE TABLE heads (
  log TEXT PRIMARY KEY,
  origin TEXT NOT NULL,
  size INTEGER NOT NULL,
  root BLOB NOT NULL,
  time INTEGER NOT NULL,
  checkpoint TEXT NOT NULL
) STRICT;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${VERSION};`;

/** What was signed last of each log. */
export class WitnessState {
  readonly #db: DatabaseSync;
  readonly #select: StatementSync;
  readonly #store: StatementSync;

  private constructor(db: DatabaseSync) {
    this.#db = db;
    this.#select = db.prepare('SELECT size, root, time, checkpoint FROM heads WHERE log = ?');
    this.#store = db.prepare(
      'INSERT OR REPLACE INTO heads (log, origin, size, root, time, checkpoint) VALUES (?, ?, ?, ?, ?, ?)',
    );
  }

  /**
   * Opens the file, and makes it if it does not exist.
   *
   * @throws GazetteError `invalid_option` for a file of something else, `store_busy`, `store_unavailable`
   */
  static open(path: string): WitnessState {
    const db = openFile(path);
    try {
      const isNew = db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
      // Nothing is set in a file of something else.
      if (isNew || isOurs(db)) {
        // Durable when the commit returns, through a power failure too: one file, and the folder it is in.
        db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; BEGIN IMMEDIATE');
        // Another process may have made it meanwhile.
        if (!isOurs(db)) db.exec(TABLES);
        db.exec('COMMIT');
        return new WitnessState(db);
      }
    } catch (error) {
      db.close();
      if (primaryCode(error) === SQLITE_NOTADB) throw ofSomethingElse(path);
      throw primaryCode(error) === SQLITE_BUSY ? busy(error) : unavailable(path, error);
    }
    db.close();
    throw ofSomethingElse(path);
  }

  /** What was signed last of a log; null when nothing was. @param log see {@link originHash} */
  last(log: string): WitnessedHead | null {
    const row = this.#select.get(log);
    return row === undefined ? null : headOf(row);
  }

  /**
   * Stores what is signed next of a log, durably. Nobody else stores anything meanwhile, in no process.
   *
   * @param sign makes it of what was signed last; null: nothing is stored
   * @throws GazetteError `store_busy` when another process had the file for too long; what `sign` throws
   */
  advance(origin: string, sign: (last: WitnessedHead | null) => WitnessedHead | null): void {
    const log = originHash(origin);
    this.#begin();
    try {
      const next = sign(this.last(log));
      if (next !== null) this.#store.run(log, origin, next.size, next.root, next.time, next.checkpoint);
      this.#db.exec('COMMIT');
    } finally {
      // A commit that failed may have ended the transaction already.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    }
  }

  #begin(): void {
    try {
      this.#db.exec('BEGIN IMMEDIATE');
    } catch (error) {
      if (primaryCode(error) !== SQLITE_BUSY) throw error;
      throw busy(error);
    }
  }

  /** Closes the file. */
  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }
}

function openFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw unavailable(path, error);
  }
}

function busy(cause: unknown): GazetteError {
  return new GazetteError('store_busy', 'another process has the state of the witness', { cause });
}

function unavailable(path: string, cause: unknown): GazetteError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new GazetteError('store_unavailable', `the state of the witness, ${quote(path)}, cannot be used: ${why}`, {
    cause,
  });
}

function isOurs(db: DatabaseSync): boolean {
  return pragma(db, 'application_id') === APPLICATION_ID && pragma(db, 'user_version') === VERSION;
}

function pragma(db: DatabaseSync, name: string): SQLOutputValue | undefined {
  return db.prepare(`PRAGMA ${name}`).get()?.[name];
}

function headOf({ size, root, time, checkpoint }: Readonly<Record<string, SQLOutputValue>>): WitnessedHead {
  const isSound =
    typeof size === 'number' &&
    root instanceof Uint8Array &&
    typeof time === 'number' &&
    typeof checkpoint === 'string';
  if (isSound) return { size, root, time, checkpoint };
  throw new GazetteError('internal_error', 'the state of the witness is damaged');
}

function ofSomethingElse(path: string): GazetteError {
  return new GazetteError(
    'invalid_option',
    `${quote(path)} must be a file that gazette keeps the state of a witness in`,
    {
      details: { option: 'state' },
    },
  );
}
