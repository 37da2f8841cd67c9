// Where an import lies while it is read and checked: a private database on disk, in the system's temporary folder, that
// SQLite takes away by itself however the process ends. Memory stays flat whatever the file's size.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { GazetteError } from '../errors.ts';
import type { Order } from '../register/order.ts';
import type { RecordStatement } from '../stores/statement.ts';

/** One record that was checked, and its place in the file. */
export interface StagedRecord {
  readonly statement: RecordStatement;
  readonly at: number;
}

/** A record whose id an earlier one has. */
export interface StagedDuplicate extends StagedRecord {
  readonly earlierAt: number;
}

const SCHEMA = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -4096;
  CREATE TABLE staged (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, id TEXT NOT NULL, statement TEXT NOT NULL);
  CREATE TABLE mentioned (id TEXT PRIMARY KEY) WITHOUT ROWID;
  BEGIN;
`;

/** A staging area. Records are added, then sealed, then walked. */
export class Staging {
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #mention: StatementSync;
  #count = 0;

  /** @throws GazetteError `output_failed` when there is no place for it. */
  constructor() {
    this.#db = guard(() => {
      // The empty name is SQLite's for a database of one connection that is deleted when it ends.
      const db = new DatabaseSync('');
      db.exec(SCHEMA);
      return db;
    });
    this.#insert = this.#db.prepare('INSERT INTO staged (at, id, statement) VALUES (?, ?, ?)');
    this.#mention = this.#db.prepare('INSERT OR IGNORE INTO mentioned (id) VALUES (?)');
  }

  /** How many records there are. */
  get count(): number {
    return this.#count;
  }

  /** @throws GazetteError `output_failed` when the disk is full. */
  add({ statement, at }: StagedRecord): void {
    guard(() => this.#insert.run(at, statement.id, JSON.stringify(statement)));
    this.#count++;
  }

  /** Remembers an id whose record is in the file but was refused: it is not missing. */
  mention(id: string): void {
    guard(() => this.#mention.run(id));
  }

  /** Ends the adding. @throws GazetteError `output_failed` when the disk is full. */
  seal(): void {
    guard(() => {
      this.#db.exec('COMMIT; CREATE INDEX staged_id ON staged (id);');
    });
  }

  /** The records whose id an earlier one in the file has, in the order of the file. */
  *duplicates(): Generator<StagedDuplicate, void, undefined> {
    const rows = this.#db
      .prepare(
        // What groups reads the index alone: a file without duplicates, as nearly all are, costs no look at its records.
        `SELECT staged.at, staged.statement, earlier.at AS earlierAt
           FROM (SELECT id, min(seq) AS seq FROM staged GROUP BY id HAVING count(*) > 1) AS first
           JOIN staged AS earlier ON earlier.seq = first.seq
           JOIN staged ON staged.id = first.id AND staged.seq > first.seq
          ORDER BY staged.seq`,
      )
      .iterate();
    for (const { at, statement, earlierAt } of rows) {
      yield {
        statement: JSON.parse(statement as string) as RecordStatement,
        at: Number(at),
        earlierAt: Number(earlierAt),
      };
    }
  }

  /** Takes all duplicates out but the first of each; their number. */
  dropDuplicates(): number {
    const dropped = guard(() =>
      Number(
        this.#db.prepare('DELETE FROM staged WHERE seq NOT IN (SELECT min(seq) FROM staged GROUP BY id)').run().changes,
      ),
    );
    this.#count -= dropped;
    return dropped;
  }

  /** Whether a record of this id is in the file, taken or refused. */
  has(id: string): boolean {
    this.#has ??= this.#db.prepare(
      'SELECT 1 FROM staged WHERE id = ?1 UNION ALL SELECT 1 FROM mentioned WHERE id = ?1 LIMIT 1',
    );
    return this.#has.get(id) !== undefined;
  }

  #has: StatementSync | undefined;

  /** All records, oldest first, in batches of at most `size`. */
  *batches(order: Order, size: number): Generator<readonly RecordStatement[], void, undefined> {
    const direction = order === 'oldest-first' ? 'ASC' : 'DESC';
    let batch: RecordStatement[] = [];
    for (const { statement } of this.#db.prepare(`SELECT statement FROM staged ORDER BY seq ${direction}`).iterate()) {
      batch.push(JSON.parse(statement as string) as RecordStatement);
      if (batch.length === size) {
        yield batch;
        batch = [];
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** Gives the disk back. */
  close(): void {
    this.#db.close();
  }
}

/** What SQLite says of the disk, as an error that says what it was needed for. */
function guard<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new GazetteError('output_failed', `the staging area in the temporary folder cannot be written: ${reason}`, {
      cause,
    });
  }
}
