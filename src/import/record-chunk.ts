// Stores some hundred staged records as two blobs: one of their digests, one of all their texts. One database row per
// record would cost as much as reading the record.
import { CONTENT_AT, CONTENT_COLUMNS } from '../stores/rows/columns.ts';
import { DIGEST_LENGTH, PreparedRecord } from '../stores/contract/prepared-record.ts';

/** Records as they are stored on disk. */
export interface RecordChunk {
  readonly digests: Uint8Array;
  /** In UTF-8. */
  readonly texts: Uint8Array;
}

/** A chunk is full once its texts have this length, in UTF-16 units. */
const FULL_LENGTH = 131_072;

/** The maximum number of records in a chunk. */
const FULL_RECORDS = 256;

/** The separator of texts. No column contains it: `columnText()` writes it as JSON does. */
const SEPARATOR = '\0';

/** The text that represents null. No column has this text: `columnText()` adds more after it. */
const NULL = '\u0001';

/** The id and the content. */
const TEXTS_OF_RECORD = 1 + CONTENT_COLUMNS.length;

/** Collects records until it is full. */
export class ChunkWriter {
  readonly #digests: Buffer = Buffer.alloc(FULL_RECORDS * DIGEST_LENGTH);
  #texts: string[] = [];
  #length = 0;
  #count = 0;

  /** Adds a record. @returns whether it is full now */
  add({ id, digest, values }: PreparedRecord): boolean {
    this.#digests.set(digest, this.#count * DIGEST_LENGTH);
    this.#texts.push(id);
    for (const value of values) {
      const text = value === null ? NULL : typeof value === 'number' ? String(value) : value;
      this.#texts.push(text);
      this.#length += text.length;
    }
    this.#count++;
    return this.#count === FULL_RECORDS || this.#length >= FULL_LENGTH;
  }

  /** Returns its content and empties it; the next records overwrite the digests. */
  take(): RecordChunk {
    const chunk = {
      digests: this.#digests.subarray(0, this.#count * DIGEST_LENGTH),
      texts: Buffer.from(this.#texts.join(SEPARATOR)),
    };
    this.#texts = [];
    this.#length = 0;
    this.#count = 0;
    return chunk;
  }
}

/** The records of a chunk, in their order. */
export function recordsOf({ digests, texts }: RecordChunk): PreparedRecord[] {
  const all = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength).toString('utf8').split(SEPARATOR);
  const records: PreparedRecord[] = [];
  for (let at = 0, digestAt = 0; at < all.length; at += TEXTS_OF_RECORD, digestAt += DIGEST_LENGTH) {
    const values: (string | number | null)[] = [];
    for (let column = 0; column < CONTENT_COLUMNS.length; column++) {
      const text = all[at + 1 + column]!;
      values.push(column === CONTENT_AT.observedIsStated ? Number(text) : text === NULL ? null : text);
    }
    const digest = digests.subarray(digestAt, digestAt + DIGEST_LENGTH);
    records.push(new PreparedRecord({ id: all[at]!, digest, values }));
  }
  return records;
}
