// Deflate (RFC 1951) of a zip entry. A long text is cut into blocks that zlib's threads compress in parallel. This
// deviates from the design, which gives each block the preceding 32 KiB as dictionary: here each block is independent
// and ends with a full flush. The dictionary saves 1.5 % of the size, measured, but needs a new, primed zlib stream for
// every block (a sixth of the time), and V8 frees such streams and their buffers only in major collections.
// The block boundaries depend only on the bytes, so the result does not depend on the threads.
import type { TransformOptions } from 'node:stream';
import { constants, crc32, createDeflateRaw, type DeflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib';

/**
 * Bytes of text in a block: large enough to amortise the start of a job, small enough that a whole page fits into one.
 */
export const DEFLATE_BLOCK_SIZE = 262_144;

/** Blocks being compressed at once. Together with the one being filled, at most 1 MiB of text is held. */
const WINDOW = 3;

/**
 * The level unless the caller chooses another: spreadsheet XML is so repetitive that higher levels cost far more time
 * than they save bytes.
 */
const DEFAULT_LEVEL = 1;

/** The highest level of zlib. Level 0 is not offered: SheetJS cannot read stored entries with descriptors. */
export const MAX_LEVEL = 9;

/** Bytes for a compressed block in one piece; a less compressible block gets more. */
const OUTPUT_CHUNK = 65_536;

/** Every write is an independent block, and all of its output waits to be read. */
const STREAM_OPTIONS: ZlibOptions & Pick<TransformOptions, 'readableHighWaterMark'> = {
  flush: constants.Z_FULL_FLUSH,
  chunkSize: OUTPUT_CHUNK,
  readableHighWaterMark: Number.MAX_SAFE_INTEGER,
};

/** A window for small parts: a part that fits into it takes half the time, because less memory is cleared. */
const SMALL_SIZE = 8192;
const SMALL: ZlibOptions = { windowBits: 13, memLevel: 6, chunkSize: 4096 };

/** The most bytes of UTF-8 that one UTF-16 unit can need. */
const MAX_BYTES_PER_UNIT = 3;

/** An empty final block, which ends a stream: fixed codes, end of block (RFC 1951 3.2.6). */
const EMPTY_FINAL_BLOCK: readonly number[] = [0x03, 0x00];

/** The size and checksum of an entry's content. Sizes are bytes. */
export interface DeflateTotals {
  /** CRC-32 of the content. */
  readonly crc: number;
  readonly size: number;
  readonly compressedSize: number;
}

/** The compressed content of a whole entry. */
export interface DeflatedPart extends DeflateTotals {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

/** Compresses a small part synchronously. `level` is zlib's, 1 to 9. */
export function deflatePart(content: string | Uint8Array, level: number = DEFAULT_LEVEL): DeflatedPart {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  const options = bytes.length <= SMALL_SIZE ? SMALL : { chunkSize: OUTPUT_CHUNK };
  const compressed = deflateRawSync(bytes, { ...options, level });
  return { crc: crc32(bytes), size: bytes.length, compressedSize: compressed.length, pieces: [compressed] };
}

/**
 * Compresses a text of any length as it arrives. The caller checks `isFull` after each record and awaits `relieve()`
 * before the next; compressed bytes are passed to `emit` only inside `relieve()` and `finish()`, in order.
 */
export class BlockDeflater {
  readonly #emit: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #level: number;
  readonly #streams: DeflateStream[] = [];
  readonly #free: Buffer<ArrayBuffer>[] = [];
  readonly #pending: Promise<Uint8Array<ArrayBuffer>>[] = [];
  #block: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(DEFLATE_BLOCK_SIZE);
  #length = 0;
  #blocks = 0;
  #crc = 0;
  #size = 0;
  #compressedSize = 0;

  /** @param level zlib's, 1 to 9 */
  constructor(emit: (bytes: Uint8Array<ArrayBuffer>) => void, level: number = DEFAULT_LEVEL) {
    this.#emit = emit;
    this.#level = level;
  }

  /** Whether a block has been given to zlib's threads. Before that, the text can be finished synchronously. */
  hasStarted(): boolean {
    return this.#blocks > 0;
  }

  /** Whether the maximum number of blocks is being compressed. */
  get isFull(): boolean {
    return this.#pending.length >= WINDOW;
  }

  /** Appends text as UTF-8; a lone surrogate becomes U+FFFD. */
  text(text: string): void {
    if (text.length * MAX_BYTES_PER_UNIT <= DEFLATE_BLOCK_SIZE - this.#length) {
      this.#length += this.#block.write(text, this.#length, 'utf8');
      return;
    }
    const bytes = Buffer.from(text, 'utf8');
    for (let from = 0; from < bytes.length;) {
      const copied = bytes.copy(this.#block, this.#length, from);
      this.#length += copied;
      from += copied;
      if (this.#length === DEFLATE_BLOCK_SIZE) this.#startBlock();
    }
  }

  /** Waits until another block may be started, and hands over finished blocks. */
  async relieve(): Promise<void> {
    while (this.isFull) await this.#handOverOldest();
  }

  /** Compresses the whole text, which must still be within its first block. */
  finishSync(): DeflatedPart {
    const part = deflatePart(this.#block.subarray(0, this.#length), this.#level);
    this.#length = 0;
    return part;
  }

  /** Compresses the rest and hands everything over. */
  async finish(): Promise<DeflateTotals> {
    if (this.#length > 0) this.#startBlock();
    while (this.#pending.length > 0) await this.#handOverOldest();
    this.#handOver(Uint8Array.from(EMPTY_FINAL_BLOCK));
    this.#closeLanes();
    return { crc: this.#crc, size: this.#size, compressedSize: this.#compressedSize };
  }

  /** Waits for the threads; nothing more is handed over. Never rejects. */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#pending.splice(0));
    this.#closeLanes();
  }

  #startBlock(): void {
    const block = this.#block;
    const content = block.subarray(0, this.#length);
    this.#crc = crc32(content, this.#crc);
    this.#size += content.length;
    const stream = (this.#streams[this.#blocks++ % WINDOW] ??= new DeflateStream(this.#level));
    const done = stream.deflate(content).finally(() => this.#free.push(block));
    // The error is thrown where the block is awaited; until then it must not count as an unhandled rejection.
    done.catch(() => undefined);
    this.#pending.push(done);
    this.#block = this.#free.pop() ?? Buffer.allocUnsafeSlow(DEFLATE_BLOCK_SIZE);
    this.#length = 0;
  }

  async #handOverOldest(): Promise<void> {
    const bytes = await this.#pending[0]!;
    void this.#pending.shift();
    this.#handOver(bytes);
  }

  #handOver(bytes: Uint8Array<ArrayBuffer>): void {
    this.#compressedSize += bytes.length;
    this.#emit(bytes);
  }

  #closeLanes(): void {
    for (const stream of this.#streams.splice(0)) stream.close();
  }
}

/** A reusable zlib stream that compresses one independent block at a time. */
class DeflateStream {
  readonly #stream: DeflateRaw;
  /** The current block and those waiting for it. Several wait only if a single record fills several blocks. */
  #jobs: Promise<unknown> | null = null;

  constructor(level: number) {
    this.#stream = createDeflateRaw({ ...STREAM_OPTIONS, level });
    // The failed write reports the same error.
    this.#stream.on('error', () => undefined);
  }

  /** Compresses a block. A flush ends it on a byte boundary with an empty stored block, without ending the stream. */
  deflate(content: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    // Started at once if possible, because the caller builds further rows without letting promises run.
    const job = this.#jobs === null ? this.#write(content) : this.#jobs.then(() => this.#write(content));
    const jobs = job.finally(() => {
      if (this.#jobs === jobs) this.#jobs = null;
    });
    jobs.catch(() => undefined);
    this.#jobs = jobs;
    return job;
  }

  close(): void {
    this.#stream.destroy();
  }

  /** A copy of the waiting output: the stream writes the next block behind it into the same memory. */
  #takeOutput(): Uint8Array<ArrayBuffer> {
    // One read() returns everything up to Node 24, but only one piece from Node 26 on.
    const pieces: Buffer[] = [];
    for (let piece; (piece = this.#stream.read() as Buffer | null) !== null;) pieces.push(piece);
    return pieces.length === 1 ? new Uint8Array(pieces[0]!) : new Uint8Array(Buffer.concat(pieces));
  }

  #write(content: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    return new Promise((resolve, reject) => {
      this.#stream.write(content, (error) => {
        if (error) reject(error);
        else resolve(this.#takeOutput());
      });
    });
  }
}
