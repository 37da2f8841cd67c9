// Some hundred staged records as two blobs: their digests, and all their texts in one. A row of a database for each record
// would cost as much as reading it did.
import { CONTENT_AT, CONTENT_COLUMNS } from '../stores/rows/columns.ts';
import { DIGEST_LENGTH, PreparedRecord } from '../stores/contract/prepared-record.ts';

/** Records as they lie on disk. */
export interface RecordChunk {
  readonly digests: Uint8Array;
  /** In UTF-8. */
  readonly texts: Uint8Array;
}

/** A chunk is full once its texts have this length, in UTF-16 units. */
const FULL_LENGTH = 131_072;

/** The most records in a chunk. */
const FULL_RECORDS = 256;

/** What parts the texts. No column has it: `columnText()` writes it as JSON does. */
const SEPARATOR = '\0';

/** What stands for null. No column is this text: `columnText()` puts more behind it. */
const NULL = '\u0001';

/** The id and the content. */
const TEXTS_OF_RECORD = 1 + CONTENT_COLUMNS.length;

/** Takes records until it is full. */
export class ChunkWriter {
  readonly #digests: Buffer = Buffer.alloc(FULL_RECORDS * DIGEST_LENGTH);
  #texts: string[] = [];
  #length = 0;
  #count = 0;

  /** Takes a record. @returns whether it is full now */
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

  /** What it has taken, which it forgets; the digests are overwritten by the next that it takes. */
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

/** The records of a chunk, in its order. */
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
