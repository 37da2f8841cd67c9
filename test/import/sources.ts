// Byte sources for the tests of ingest: texts cut anywhere, and sources that know how far they were read and whether
// they were closed.
import type { ByteSource } from '../../src/import/readers/byte-source.ts';
import type { RawRecord, RecordReader } from '../../src/import/readers/raw-record.ts';

/** A file with this content, in pieces of `size` bytes (all at once by default). */
export function source(content: string | Uint8Array, size?: number, name?: string): ByteSource {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    name: name ?? 'file.json',
    *open() {
      const step = Math.min(size ?? Infinity, bytes.length);
      for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
    },
  };
}

/** All records of a reader. */
export async function readAll(reader: RecordReader): Promise<RawRecord[]> {
  const records: RawRecord[] = [];
  for await (const batch of reader.batches()) records.push(...batch.records);
  return records;
}

/** All values of a reader. */
export async function valuesOf(reader: RecordReader): Promise<unknown[]> {
  return (await readAll(reader)).map(({ value }) => value);
}

/** A file of pieces that counts what was taken of it, and can fail or wait after the last. */
export class WatchedSource implements ByteSource {
  readonly name = 'watched.json';
  readonly #pieces: Iterable<string>;
  readonly #end: 'end' | 'throw' | 'wait';
  readonly #waits = Promise.withResolvers<undefined>();
  /** Resolves when the last piece is taken and another is asked for. */
  readonly waits: Promise<undefined> = this.#waits.promise;
  taken = 0;
  closed = 0;

  constructor(pieces: Iterable<string>, end: 'end' | 'throw' | 'wait' = 'end') {
    this.#pieces = pieces;
    this.#end = end;
  }

  async *open(signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for (const piece of this.#pieces) {
        this.taken++;
        yield new TextEncoder().encode(piece);
      }
      if (this.#end === 'throw') throw new Error('the disk is gone');
      if (this.#end === 'wait') {
        this.#waits.resolve(undefined);
        await new Promise<void>((resolve) => {
          signal?.addEventListener('abort', () => {
            resolve();
          });
        });
      }
    } finally {
      this.closed++;
    }
  }
}
