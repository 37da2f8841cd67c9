// The staging area of an import while it is read and checked: a private database on disk, in the system's temporary
// folder, that SQLite deletes by itself however the process ends. Memory stays constant whatever the file's size, but for a
// byte a record, which says what becomes of it. Records are stored prepared, in the columns in which the store will save
// them: they are checked once, and read back without being parsed.
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite';
import { GazetteError } from '../errors.ts';
import { dateKey, type Order } from '../register/sources/order.ts';
import type { HandFate } from '../stores/contract/imports/by-hand.ts';
import type { ProposedRecord } from '../stores/contract/imports/proposals.ts';
import { PreparedRecord } from '../stores/contract/prepared-record.ts';
import { CONTENT_AT, CONTENT_COLUMNS } from '../stores/rows/columns.ts';
import { type Fate, Fates, type Outcome, WRITTEN } from './fates.ts';

/** A checked record and its place in the file. */
export interface StagedRecord {
  readonly record: PreparedRecord;
  readonly at: number;
}

/** A record with the same id as an earlier one. */
export interface StagedDuplicate extends StagedRecord {
  readonly earlierAt: number;
}

/** The text of a batch, in UTF-16 units, above which no more is added: long records must not fill the memory. */
const BATCH_LENGTH = 8_388_608;

/** The number of records that are walked at once. */
const WALKED = 1000;

/** The canonical JSON of own values is null where it is that of the content: often it is. */
const COLUMNS = `id, canonical, ${CONTENT_COLUMNS.join(', ')}`;

const SCHEMA = `
  PRAGMA page_size = 65536;
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA cache_size = -4096;
  CREATE TABLE staged (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, ms INTEGER, rest INTEGER, ${COLUMNS});
  CREATE TABLE mentioned (id TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE lacked (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, by_hand TEXT NOT NULL);
  BEGIN;
`;

type Values = PreparedRecord['values'];

/** A record as it is proposed, and its number from 1. */
interface Place extends ProposedRecord {
  readonly seq: number;
  readonly record: PreparedRecord;
}

/** A staging area. First add records, then seal it, then walk it. */
export class Staging {
  readonly #db: DatabaseSync;
  /** Whether the records will be sorted by date. */
  readonly #isSorted: boolean;
  readonly #insert: StatementSync;
  readonly #record: StatementSync;
  readonly #mention: StatementSync;
  readonly #find: StatementSync;
  readonly #fates = new Fates();
  #staged = 0;
  #duplicates = 0;
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
    const marks = CONTENT_COLUMNS.map(() => '?').join(', ');
    this.#insert = this.#db.prepare(`INSERT INTO staged (at, ms, rest, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ${marks})`);
    this.#record = this.#db.prepare(`SELECT ${COLUMNS} FROM staged WHERE seq = ?`);
    this.#record.setReturnArrays(true);
    this.#mention = this.#db.prepare('INSERT OR IGNORE INTO mentioned (id) VALUES (?)');
    this.#find = this.#db.prepare(
      `SELECT CASE WHEN EXISTS (SELECT 1 FROM staged WHERE id = ?) THEN 'accepted'
                   WHEN EXISTS (SELECT 1 FROM mentioned WHERE id = ?) THEN 'refused' END AS fate`,
    );
  }

  /** The number of records. */
  get count(): number {
    return this.#staged - this.#duplicates;
  }

  /**
   * @param publishedAt its publication date, if the records will be sorted
   * @throws GazetteError `output_failed` when the disk is full.
   */
  add({ record: { id, values, data }, at }: StagedRecord, publishedAt: string | null): void {
    const date = this.#isSorted && publishedAt !== null ? dateKey(publishedAt) : null;
    const canonical = data === values[CONTENT_AT.data] ? null : data;
    guard(() => this.#insert.run(at, date?.ms ?? null, date?.rest ?? null, id, canonical, ...values));
    this.#fates.set(++this.#staged, 'undecided');
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
    for (const row of rows) {
      const [seq, at, earlierAt] = [Number(row.seq), Number(row.at), Number(row.earlierAt)];
      this.#fates.set(seq, 'duplicate');
      this.#duplicates++;
      yield { record: this.#recordAt(seq), at, earlierAt };
    }
  }

  /** What became of the records with this id in the file; null: there are none. */
  find(id: string): 'accepted' | 'refused' | null {
    return this.#find.get(id, id)!.fate as 'accepted' | 'refused' | null;
  }

  /** Keeps ids that the file lacks, each with what becomes of what was set by hand. @throws GazetteError `output_failed` */
  lack(ids: readonly (readonly [id: string, byHand: HandFate | null])[]): void {
    guard(() => {
      this.#db.exec('BEGIN');
      const insert = this.#db.prepare('INSERT INTO lacked (id, by_hand) VALUES (?, ?)');
      for (const [id, byHand] of ids) insert.run(id, byHand ?? '');
      this.#db.exec('COMMIT');
    });
    this.#lacking += ids.filter(([, byHand]) => byHand !== 'kept').length;
  }

  /** The number of ids that the file lacks, but for those that stay. */
  get lacking(): number {
    return this.#lacking;
  }

  /** The ids that the file lacks, but for those that stay, in the order in which they were found, in batches of at most `size`. */
  *lacked(size: number): Generator<readonly string[], void, undefined> {
    for (const records of this.#lacked(size, false)) yield records.map(({ id }) => id);
  }

  *#lacked(size: number, isKept: boolean): Generator<readonly ProposedRecord[], void, undefined> {
    const next = this.#db.prepare(
      "SELECT seq, id, by_hand FROM lacked WHERE seq > ? AND (by_hand = 'kept') = ? ORDER BY seq LIMIT ?",
    );
    const after = (seq: SQLOutputValue): Record<string, SQLOutputValue>[] => next.all(seq, Number(isKept), size);
    for (let rows = after(0); rows.length > 0; rows = after(rows.at(-1)!.seq!)) {
      yield rows.map(({ id, by_hand: byHand }) => ({ id: String(id), record: null, ...byHandOf(byHand) }));
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
    for (const places of this.#walk('file', size, (fate) => fate !== 'duplicate')) {
      const outcomes = await compare(places.map(({ record }) => record));
      for (const [index, { seq }] of places.entries()) this.#fates.set(seq, outcomes[index]!);
    }
  }

  /** All records that are taken, those too that do not change, in the order of the file. */
  *accepted(): Generator<PreparedRecord, void, undefined> {
    for (const places of this.#walk('file', WALKED, (fate) => fate !== 'duplicate')) {
      for (const { record } of places) yield record;
    }
  }

  /** The records that have to be written, oldest first, in batches of at most `size`, smaller for long records. */
  *batches(order: Order, size: number): Generator<readonly PreparedRecord[], void, undefined> {
    for (const places of this.#walk(order, size, (fate) => WRITTEN.has(fate))) {
      yield places.map(({ record }) => record);
    }
  }

  /**
   * All that a proposal would do, in batches of at most `size`: first what the source says of the records that stay as they are set by
   * hand, then what is written, as {@link batches} has it, last what the file lacks.
   */
  *proposed(order: Order, size: number): Generator<readonly ProposedRecord[], void, undefined> {
    for (const places of this.#walk('file', size, (fate) => fate === 'kept')) yield places;
    yield* this.#lacked(size, true);
    for (const places of this.#walk(order, size, (fate) => WRITTEN.has(fate))) yield places;
    yield* this.#lacked(size, false);
  }

  *#walk(
    order: Order | 'file',
    size: number,
    isWanted: (fate: Fate) => boolean,
  ): Generator<readonly Place[], void, undefined> {
    let batch: Place[] = [];
    let length = 0;
    for (const seq of this.#seqs(order)) {
      const fate = this.#fates.get(seq);
      if (!isWanted(fate)) continue;
      const record = this.#recordAt(seq);
      batch.push({ seq, id: record.id, record, ...byHandOf(fate) });
      for (const value of record.values) if (typeof value === 'string') length += value.length;
      if (batch.length < size && length < BATCH_LENGTH) continue;
      yield batch;
      batch = [];
      length = 0;
    }
    if (batch.length > 0) yield batch;
  }

  *#seqs(order: Order | 'file'): Generator<number, void, undefined> {
    if (order === 'newest-first') for (let seq = this.#staged; seq > 0; seq--) yield seq;
    else if (order !== 'by-date') for (let seq = 1; seq <= this.#staged; seq++) yield seq;
    else {
      // SQLite sorts null first, and larger amounts than its cache on disk.
      const sorted = this.#db.prepare('SELECT seq FROM staged ORDER BY ms, rest, seq').iterate();
      for (const { seq } of sorted) yield Number(seq);
    }
  }

  #recordAt(seq: number): PreparedRecord {
    const row = this.#record.get(seq) as unknown as [id: string, canonical: string | null, ...Values];
    const values = row.slice(2);
    return new PreparedRecord({ id: row[0], values, data: row[1] ?? (values[CONTENT_AT.data] as string) });
  }

  /** Frees the disk space. */
  close(): void {
    this.#db.close();
  }
}

function byHandOf(fate: unknown): Pick<ProposedRecord, 'byHand'> {
  return fate === 'kept' || fate === 'asked' ? { byHand: fate } : {};
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
