// Stores some hundred staged records as one blob of all their texts. One database row per record would cost as much as
// reading the record.
import type { SQLOutputValue } from 'node:sqlite';
import { CONTENT_AT, CONTENT_COLUMNS } from '../stores/rows/columns.ts';
import { PreparedRecord, type RecordComparison } from '../stores/contract/prepared-record.ts';

/** A chunk is full once its texts have this length, in UTF-16 units. */
const FULL_LENGTH = 131_072;

/** The maximum number of records in a chunk. */
const FULL_RECORDS = 256;

/** The separator of texts. No column contains it, and no JSON: `columnText()` writes it as JSON does. */
const SEPARATOR = '\0';

/** The text that represents null. No column has this text: `columnText()` adds more after it. */
const NULL = '\u0001';

/** The text that represents the same own values as in the content: often they are canonical already. */
const SAME = '';

/** The id, the content, and the canonical JSON of the own values. */
const TEXTS_OF_RECORD = 2 + CONTENT_COLUMNS.length;

/** Collects records until it is full. */
export class ChunkWriter {
  #texts: string[] = [];
  #length = 0;
  #count = 0;

  /** Adds a record. @returns whether it is full now */
  add({ id, values, data }: PreparedRecord): boolean {
    const canonical = data === values[CONTENT_AT.data] ? SAME : data;
    this.#texts.push(id, canonical);
    this.#length += canonical.length;
    for (const value of values) {
      const text = value === null ? NULL : typeof value === 'number' ? String(value) : value;
      this.#texts.push(text);
      this.#length += text.length;
    }
    this.#count++;
    return this.#count === FULL_RECORDS || this.#length >= FULL_LENGTH;
  }

  /** Returns its content, as it is stored on disk, and empties it. */
  take(): Buffer {
    const chunk = Buffer.from(this.#texts.join(SEPARATOR));
    this.#texts = [];
    this.#length = 0;
    this.#count = 0;
    return chunk;
  }
}

/** The records of texts that a {@link ChunkWriter} gave, in their order. */
export function recordsOf(texts: Uint8Array): PreparedRecord[] {
  const all = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength).toString('utf8').split(SEPARATOR);
  const records: PreparedRecord[] = [];
  for (let at = 0; at < all.length; at += TEXTS_OF_RECORD) {
    const values: (string | number | null)[] = [];
    for (let column = 0; column < CONTENT_COLUMNS.length; column++) {
      const text = all[at + 2 + column]!;
      values.push(column === CONTENT_AT.observedIsStated ? Number(text) : text === NULL ? null : text);
    }
    const data = all[at + 1]!;
    records.push(
      new PreparedRecord({ id: all[at]!, values, data: data === SAME ? (values[CONTENT_AT.data] as string) : data }),
    );
  }
  return records;
}

/** What becomes of a record. `kept`: it stays as it is set by hand, which is to be remembered. */
export type Outcome = RecordComparison['outcome'] | 'kept';

/** The bytes that say so. */
export const FATES: Readonly<Record<Outcome, number>> = {
  added: 0,
  changed: 1,
  restored: 2,
  unchanged: 3,
  redacted: 4,
  kept: 6,
};

/** The byte of a record with the same id as an earlier one. */
export const DUPLICATE = 5;

/** The bytes of records that have to be written. */
export const WRITTEN: ReadonlySet<number> = new Set([FATES.added, FATES.changed, FATES.restored]);

/** Some hundred records that are stored as one row. */
export interface Chunk {
  /** The number of its first record, from 1. */
  readonly first: number;
  readonly records: readonly PreparedRecord[];
  /** A byte for each record. */
  readonly fates: Uint8Array;
  /** How long the texts are. */
  readonly bytes: number;
}

/** The chunk in a row of `first`, `texts` as a {@link ChunkWriter} gave them, and `fates`, null before anything is decided. */
export function toChunk({ first, texts, fates }: Readonly<Record<string, SQLOutputValue>>): Chunk {
  const records = recordsOf(texts as Uint8Array);
  return {
    first: first as number,
    records,
    // Where nothing was decided, all are new.
    fates: (fates as Uint8Array | null) ?? new Uint8Array(records.length).fill(FATES.added),
    bytes: (texts as Uint8Array).length,
  };
}
