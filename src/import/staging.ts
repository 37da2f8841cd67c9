// The staging area of an import while it is read and checked: a private database on disk, in the system's temporary
// folder, that SQLite deletes by itself however the process ends. Memory stays constant whatever the file's size.
// Records are stored prepared, as the store will save them, so that they are checked and hashed only once.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { GazetteError } from '../errors.ts';
import { dateKey, type Order } from '../register/sources/order.ts';
import type { PreparedRecord } from '../stores/contract/prepared-record.ts';
import { ChunkWriter, recordsOf } from './record-chunk.ts';

/** A checked record and its place in the file. */
export interface StagedRecord {
  readonly record: PreparedRecord;
  readonly at: number;
}

/** A record with the same id as an earlier one. */
export interface StagedDuplicate extends StagedRecord {
  readonly earlierAt: number;
}

/** The text of a batch, in bytes, above which no more is added: long records must not fill the memory. */
const BATCH_BYTES = 8_388_608;

/** The number of ids that one statement adds. */
const IDS_AT_ONCE = 32;

const SCHEMA = `
  PRAGMA page_size = 65536;
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -4096;
  CREATE TABLE chunks (first INTEGER PRIMARY KEY, ms INTEGER, rest INTEGER, texts BLOB NOT NULL);
  CREATE TABLE staged (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, id TEXT NOT NULL);
  CREATE TABLE mentioned (id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE lacked (seq INTEGER PRIMARY KEY, id TEXT NOT NULL);
  BEGIN;
`;

/** A staging area. First add records, then seal it, then walk it. */
export class Staging {
  readonly #db: DatabaseSync;
  /** Whether the records will be sorted by date: then each is a chunk of its own, with its date. */
  readonly #isSorted: boolean;
  readonly #insertChunk: StatementSync;
  readonly #insertId: StatementSync;
  readonly #insertIds: StatementSync;
  readonly #mention: StatementSync;
  readonly #chunk = new ChunkWriter();
  /** Places and ids of the current chunk, alternating. */
  #pending: SQLInputValue[] = [];
  #count = 0;
  /** The number of the current chunk's first record. */
  #first = 1;
  #hasDropped = false;
  #lacking = 0;

  /**
   * @param isSorted whether the records may be walked `by-date`
   * @throws GazetteError `output_failed` when there is no space for it.
   */
  constructor({ isSorted = false }: { readonly isSorted?: boolean } = {}) {
    this.#isSorted = isSorted;
    this.#db = guard(() => {
      // For SQLite, the empty name means a temporary database of one connection, deleted when it closes.
      const db = new DatabaseSync('');
      db.exec(SCHEMA);
      return db;
    });
    const insertIds = (count: number): StatementSync => {
      const rows = Array.from({ length: count }, () => '(?, ?)').join(', ');
      return this.#db.prepare(`INSERT INTO staged (at, id) VALUES ${rows}`);
    };
    this.#insertChunk = this.#db.prepare('INSERT INTO chunks (first, ms, rest, texts) VALUES (?, ?, ?, ?)');
    this.#insertId = insertIds(1);
    this.#insertIds = insertIds(IDS_AT_ONCE);
    this.#mention = this.#db.prepare('INSERT OR IGNORE INTO mentioned (id) VALUES (?)');
  }

  /** The number of records. */
  get count(): number {
    return this.#count;
  }

  /**
   * @param publishedAt its publication date, if the records will be sorted
   * @throws GazetteError `output_failed` when the disk is full.
   */
  add({ record, at }: StagedRecord, publishedAt: string | null): void {
    this.#pending.push(at, record.id);
    this.#count++;
    const isFull = this.#chunk.add(record);
    if (this.#isSorted) this.#flush(publishedAt);
    else if (isFull) this.#flush();
  }

  /** Remembers an id whose record is in the file but was refused, so that it does not count as missing. */
  mention(id: string): void {
    guard(() => this.#mention.run(id));
  }

  /** Completes the staging area. @throws GazetteError `output_failed` when the disk is full. */
  seal(): void {
    if (this.#pending.length > 0) this.#flush();
    guard(() => {
      this.#db.exec('COMMIT; CREATE INDEX staged_id ON staged (id);');
    });
  }

  /** The records with the same id as an earlier one in the file, in the order of the file. */
  *duplicates(): Generator<StagedDuplicate, void, undefined> {
    const rows = this.#db
      .prepare(
        // The grouping reads only the index: a file without duplicates, as nearly all are, costs no access to its
        // records.
        `SELECT staged.seq, staged.at, earlier.at AS earlierAt
           FROM (SELECT id, min(seq) AS seq FROM staged GROUP BY id HAVING count(*) > 1) AS first
           JOIN staged AS earlier ON earlier.seq = first.seq
           JOIN staged ON staged.id = first.id AND staged.seq > first.seq
          ORDER BY staged.seq`,
      )
      .iterate();
    const chunkOf = this.#db.prepare('SELECT * FROM chunks WHERE first <= ? ORDER BY first DESC LIMIT 1');
    let first = 0;
    let records: readonly PreparedRecord[] = [];
    for (const { seq, at, earlierAt } of rows) {
      if (Number(seq) >= first + records.length) {
        const chunk = chunkOf.get(seq!) as unknown as StoredChunk;
        first = chunk.first;
        records = recordsOf(chunk.texts);
      }
      yield { record: records[Number(seq) - first]!, at: Number(at), earlierAt: Number(earlierAt) };
    }
  }

  /** Drops all duplicates but the first of each, and returns how many. */
  dropDuplicates(): number {
    const dropped = guard(() =>
      Number(
        this.#db.prepare('DELETE FROM staged WHERE seq NOT IN (SELECT min(seq) FROM staged GROUP BY id)').run().changes,
      ),
    );
    this.#count -= dropped;
    this.#hasDropped ||= dropped > 0;
    return dropped;
  }

  /** Whether a record with this id is in the file, accepted or refused. */
  has(id: string): boolean {
    this.#has ??= this.#db.prepare(
      'SELECT 1 FROM staged WHERE id = ?1 UNION ALL SELECT 1 FROM mentioned WHERE id = ?1 LIMIT 1',
    );
    return this.#has.get(id) !== undefined;
  }

  #has: StatementSync | undefined;

  /** Keeps ids of the register that the file lacks. @throws GazetteError `output_failed` when the disk is full. */
  lack(ids: readonly string[]): void {
    guard(() => {
      this.#db.exec('BEGIN');
      const insert = this.#db.prepare('INSERT INTO lacked (id) VALUES (?)');
      for (const id of ids) insert.run(id);
      this.#db.exec('COMMIT');
    });
    this.#lacking += ids.length;
  }

  /** The number of ids that the file lacks. */
  get lacking(): number {
    return this.#lacking;
  }

  /** The ids that the file lacks, in the order in which they were found, in batches of at most `size`. */
  *lacked(size: number): Generator<readonly string[], void, undefined> {
    const next = this.#db.prepare('SELECT seq, id FROM lacked WHERE seq > ? ORDER BY seq LIMIT ?');
    for (let rows = next.all(0, size); rows.length > 0; rows = next.all(rows.at(-1)!.seq!, size)) {
      yield rows.map(({ id }) => String(id));
    }
  }

  /** All records, oldest first, in batches of at most `size`, smaller for long records. */
  *batches(order: Order, size: number): Generator<readonly PreparedRecord[], void, undefined> {
    const isRising = order !== 'newest-first';
    const sort = order === 'by-date' ? 'ms, rest, first' : isRising ? 'first' : 'first DESC';
    // SQLite sorts null first, and larger amounts than its cache on disk.
    const chunks = this.#db.prepare(`SELECT * FROM chunks ORDER BY ${sort}`).iterate();
    let batch: PreparedRecord[] = [];
    let bytes = 0;
    for (const row of chunks) {
      const chunk = row as unknown as StoredChunk;
      const records = this.#kept(chunk);
      for (const record of isRising ? records : records.reverse()) {
        batch.push(record);
        if (batch.length < size) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
      bytes += chunk.texts.length;
      if (bytes >= BATCH_BYTES && batch.length > 0) {
        yield batch;
        batch = [];
        bytes = 0;
      }
    }
    if (batch.length > 0) yield batch;
  }

  /** Frees the disk space. */
  close(): void {
    this.#db.close();
  }

  #flush(publishedAt: string | null = null): void {
    const texts = this.#chunk.take();
    const date = publishedAt === null ? null : dateKey(publishedAt);
    const rows = this.#pending;
    const step = IDS_AT_ONCE * 2;
    guard(() => {
      this.#insertChunk.run(this.#first, date?.ms ?? null, date?.rest ?? null, texts);
      let at = 0;
      for (; at + step <= rows.length; at += step) this.#insertIds.run(...rows.slice(at, at + step));
      for (; at < rows.length; at += 2) this.#insertId.run(rows[at]!, rows[at + 1]!);
    });
    this.#pending = [];
    this.#first = this.#count + 1;
  }

  /** The records of a chunk that were not dropped. */
  #kept(chunk: StoredChunk): PreparedRecord[] {
    const records = recordsOf(chunk.texts);
    if (!this.#hasDropped) return records;
    this.#keptNumbers ??= this.#db.prepare('SELECT seq FROM staged WHERE seq >= ? AND seq < ?');
    const rows = this.#keptNumbers.all(chunk.first, chunk.first + records.length);
    return rows.map(({ seq }) => records[Number(seq) - chunk.first]!);
  }

  #keptNumbers: StatementSync | undefined;
}

/** A row of chunks. */
interface StoredChunk {
  /** In UTF-8. */
  readonly texts: Uint8Array;
  /** The number of its first record, from 1. */
  readonly first: number;
}

/** A disk error of SQLite as an error that says what the disk was needed for. */
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
