// The staging area of an import while it is read and checked: a private database on disk, in the system's temporary
// folder, that SQLite deletes by itself however the process ends. Memory stays constant whatever the file's size.
// Records are stored prepared, as the store will save them, so that they are checked and hashed only once. What becomes of
// each, known before anything is written, is a byte beside it.
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { GazetteError } from '../errors.ts';
import { dateKey, type Order } from '../register/sources/order.ts';
import type { SourceSays } from '../stores/contract/imports/by-hand.ts';
import type { PreparedRecord } from '../stores/contract/prepared-record.ts';
import { type Chunk, ChunkWriter, DUPLICATE, FATES, type Outcome, toChunk, WRITTEN } from './record-chunk.ts';

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

/** The number of records that are walked at once. */
const WALKED = 1000;

/** The number of ids that one statement adds. */
const IDS_AT_ONCE = 32;

const SCHEMA = `
  PRAGMA page_size = 65536;
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -4096;
  CREATE TABLE chunks (first INTEGER PRIMARY KEY, ms INTEGER, rest INTEGER, texts BLOB NOT NULL);
  CREATE TABLE decided (first INTEGER PRIMARY KEY, fates BLOB NOT NULL);
  CREATE TABLE staged (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, id TEXT NOT NULL);
  CREATE TABLE mentioned (id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE lacked (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, is_kept INTEGER NOT NULL);
  BEGIN;
`;

/** The rows of {@link toChunk}. */
const CHUNKS = 'SELECT chunks.first, texts, fates FROM chunks LEFT JOIN decided USING (first)';

/** A record's place in its chunk. */
interface Place {
  readonly chunk: Chunk;
  readonly at: number;
}

/** A staging area. First add records, then seal it, then walk it. */
export class Staging {
  readonly #db: DatabaseSync;
  /** Whether the records will be sorted by date: then each is a chunk of its own, with its date. */
  readonly #isSorted: boolean;
  readonly #insertChunk: StatementSync;
  readonly #insertId: StatementSync;
  readonly #insertIds: StatementSync;
  readonly #mention: StatementSync;
  readonly #decide: StatementSync;
  readonly #chunk = new ChunkWriter();
  /** Places and ids of the current chunk, alternating. */
  #pending: SQLInputValue[] = [];
  #count = 0;
  /** The number of the current chunk's first record. */
  #first = 1;
  #lacking = 0;
  #hasMentioned = false;

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
    const insertIds = (count: number): StatementSync =>
      this.#db.prepare(`INSERT INTO staged (at, id) VALUES ${Array(count).fill('(?, ?)').join(', ')}`);
    this.#insertChunk = this.#db.prepare('INSERT INTO chunks (first, ms, rest, texts) VALUES (?, ?, ?, ?)');
    this.#insertId = insertIds(1);
    this.#insertIds = insertIds(IDS_AT_ONCE);
    this.#mention = this.#db.prepare('INSERT OR IGNORE INTO mentioned (id) VALUES (?)');
    this.#decide = this.#db.prepare('INSERT OR REPLACE INTO decided (first, fates) VALUES (?, ?)');
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
    this.#hasMentioned = true;
  }

  /** Whether it remembers such an id. */
  get hasMentioned(): boolean {
    return this.#hasMentioned;
  }

  /** Completes the staging area. @throws GazetteError `output_failed` when the disk is full. */
  seal(): void {
    if (this.#pending.length > 0) this.#flush();
    guard(() => {
      this.#db.exec('COMMIT; CREATE INDEX staged_id ON staged (id);');
    });
  }

  /** Drops the records with the same id as an earlier one in the file, and gives them in the order of the file. */
  *dropDuplicates(): Generator<StagedDuplicate, void, undefined> {
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
    const chunkOf = this.#db.prepare(`${CHUNKS} WHERE chunks.first <= ? ORDER BY chunks.first DESC LIMIT 1`);
    let chunk: Chunk | null = null;
    for (const { seq, at, earlierAt } of rows) {
      if (chunk === null || Number(seq) >= chunk.first + chunk.records.length) {
        if (chunk !== null) this.#keep(chunk);
        chunk = toChunk(chunkOf.get(seq!)!);
      }
      const place = Number(seq) - chunk.first;
      chunk.fates[place] = DUPLICATE;
      this.#count--;
      yield { record: chunk.records[place]!, at: Number(at), earlierAt: Number(earlierAt) };
    }
    if (chunk !== null) this.#keep(chunk);
  }

  /** What became of the records with this id in the file; null: there are none. */
  find(id: string): 'accepted' | 'refused' | null {
    this.#find ??= this.#db.prepare(
      `SELECT CASE WHEN EXISTS (SELECT 1 FROM staged WHERE id = ?1) THEN 'accepted'
                   WHEN EXISTS (SELECT 1 FROM mentioned WHERE id = ?1) THEN 'refused' END AS fate`,
    );
    return this.#find.get(id)!.fate as 'accepted' | 'refused' | null;
  }

  #find: StatementSync | undefined;

  /** Keeps ids that the file lacks. @param isKept whether their records stay, which is to be remembered @throws `output_failed` */
  lack(ids: readonly string[], isKept = false): void {
    guard(() => {
      this.#db.exec('BEGIN');
      const insert = this.#db.prepare('INSERT INTO lacked (id, is_kept) VALUES (?, ?)');
      for (const id of ids) insert.run(id, Number(isKept));
      this.#db.exec('COMMIT');
    });
    if (!isKept) this.#lacking += ids.length;
  }

  /** The number of ids that the file lacks, but for those that stay. */
  get lacking(): number {
    return this.#lacking;
  }

  /** The ids that the file lacks, but for those that stay, in the order in which they were found, in batches of at most `size`. */
  *lacked(size: number, isKept = false): Generator<readonly string[], void, undefined> {
    const next = this.#db.prepare('SELECT seq, id FROM lacked WHERE seq > ? AND is_kept = ? ORDER BY seq LIMIT ?');
    const after = (seq: SQLOutputValue): Record<string, SQLOutputValue>[] => next.all(seq, Number(isKept), size);
    for (let rows = after(0); rows.length > 0; rows = after(rows.at(-1)!.seq!)) {
      yield rows.map(({ id }) => String(id));
    }
  }

  /**
   * Decides what becomes of each record.
   *
   * @param size the greatest number of records that `compare` is given at once
   * @param compare says it of some records
   * @throws what `compare` throws; GazetteError `output_failed` when the disk is full.
   */
  async decide(
    size: number,
    compare: (records: readonly PreparedRecord[]) => Promise<readonly Outcome[]>,
  ): Promise<void> {
    for (const places of this.#walk('file', size, (fate) => fate !== DUPLICATE)) {
      const outcomes = await compare(places.map(({ chunk, at }) => chunk.records[at]!));
      for (const [index, { chunk, at }] of places.entries()) chunk.fates[at] = FATES[outcomes[index]!];
      for (const chunk of new Set(places.map((place) => place.chunk))) this.#keep(chunk);
    }
  }

  /** All records that are taken, those too that do not change, in the order of the file. */
  *accepted(): Generator<PreparedRecord, void, undefined> {
    for (const places of this.#walk('file', WALKED, (fate) => fate !== DUPLICATE)) {
      for (const { chunk, at } of places) yield chunk.records[at]!;
    }
  }

  /** The records that have to be written, oldest first, in batches of at most `size`, smaller for long records. */
  *batches(order: Order, size: number): Generator<readonly PreparedRecord[], void, undefined> {
    for (const places of this.#walk(order, size, (fate) => WRITTEN.has(fate))) {
      yield places.map(({ chunk, at }) => chunk.records[at]!);
    }
  }

  /** What the source says of the records that stay as they are set by hand, in batches of at most `size`. */
  *kept(size: number): Generator<readonly SourceSays[], void, undefined> {
    for (const places of this.#walk('file', size, (fate) => fate === FATES.kept)) {
      yield places.map(({ chunk, at }) => ({ id: chunk.records[at]!.id, record: chunk.records[at]! }));
    }
    for (const ids of this.lacked(size, true)) yield ids.map((id) => ({ id, record: null }));
  }

  *#walk(
    order: Order | 'file',
    size: number,
    isWanted: (fate: number) => boolean,
  ): Generator<readonly Place[], void, undefined> {
    const isRising = order !== 'newest-first';
    const sort = order === 'by-date' ? 'ms, rest, chunks.first' : isRising ? 'chunks.first' : 'chunks.first DESC';
    let batch: Place[] = [];
    let bytes = 0;
    // SQLite sorts null first, and larger amounts than its cache on disk.
    for (const row of this.#db.prepare(`${CHUNKS} ORDER BY ${sort}`).iterate()) {
      const chunk = toChunk(row);
      const places = [...chunk.fates.keys()].filter((at) => isWanted(chunk.fates[at]!)).map((at) => ({ chunk, at }));
      for (const place of isRising ? places : places.reverse()) {
        batch.push(place);
        if (batch.length < size) continue;
        yield batch;
        batch = [];
        bytes = 0;
      }
      bytes += chunk.bytes;
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

  /** Keeps what was decided about the records of a chunk. */
  #keep({ first, fates }: Chunk): void {
    guard(() => this.#decide.run(first, fates));
  }
}

/** A disk error of SQLite as an error that says what the disk was needed for. */
function guard<T>(act: () => T): T {
  try {
    return act();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `the staging area in the temporary folder cannot be written: ${reason}`;
    throw new GazetteError('output_failed', message, { cause });
  }
}
