// Deflate (RFC 1951) of a zip entry. A long text is cut into blocks that zlib's threads compress side by side. A deviation
// from the design, which gives each block the 32 KiB before it as dictionary: here each stands for itself, ended by a full
// flush. The dictionary saves 1.5 % of the size, measured, but costs a new zlib stream and its priming for every block (a
// sixth of the time), and V8 finds such streams, buffers and all, only in major collections.
// Where the blocks end depends on the bytes alone, so the result is the same whatever the threads do.
import type { TransformOptions } from 'node:stream';
import { constants, crc32, createDeflateRaw, type DeflateRaw, deflateRawSync, type ZlibOptions } from 'node:zlib';

/** Bytes of text in a block: large enough to amortise a job's start, small enough that a whole page fits into one. */
export const DEFLATE_BLOCK_SIZE = 262_144;

/** Blocks in work at once: with the one being filled, at most 1 MiB of text is held. */
const WINDOW = 3;

/** Spreadsheet XML repeats itself so much that higher levels cost far more time than they save bytes. */
const LEVEL = 1;

/** Room for a compressed block in one piece; more is allocated where a block is less compressible. */
const OUTPUT_CHUNK = 65_536;

/** Every write is a block that points to nothing before it, and all it becomes waits to be read. */
const STREAM_OPTIONS: ZlibOptions & Pick<TransformOptions, 'readableHighWaterMark'> = {
  level: LEVEL,
  flush: constants.Z_FULL_FLUSH,
  chunkSize: OUTPUT_CHUNK,
  readableHighWaterMark: Number.MAX_SAFE_INTEGER,
};

/** A part that fits into this window whole is compressed in half the time with it: less memory is cleared. */
const SMALL_SIZE = 8192;
const SMALL: ZlibOptions = { level: LEVEL, windowBits: 13, memLevel: 6, chunkSize: 4096 };

/** The most bytes of UTF-8 one UTF-16 unit can need. */
const MAX_BYTES_PER_UNIT = 3;

/** The final block of a stream that has nothing more to say: fixed codes, end of block (RFC 1951 3.2.6). */
const EMPTY_FINAL_BLOCK: readonly number[] = [0x03, 0x00];

/** What a zip entry says about its content. Sizes are bytes. */
export interface DeflateTotals {
  /** CRC-32 of the content. */
  readonly crc: number;
  readonly size: number;
  readonly compressedSize: number;
}

/** A whole entry's content, compressed. */
export interface DeflatedPart extends DeflateTotals {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

/** Compresses a small part at once. */
export function deflatePart(content: string | Uint8Array): DeflatedPart {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  const compressed = deflateRawSync(
    bytes,
    bytes.length <= SMALL_SIZE ? SMALL : { level: LEVEL, chunkSize: OUTPUT_CHUNK },
  );
  return { crc: crc32(bytes), size: bytes.length, compressedSize: compressed.length, pieces: [compressed] };
}

/**
 * A text of any length, compressed as it comes. The caller asks `isFull` after each record and waits in `relieve()`
 * before the next; compressed bytes are handed to `emit` only inside `relieve()` and `finish()`, in order.
 */
export class BlockDeflater {
  readonly #emit: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #streams: DeflateStream[] = [];
  readonly #free: Buffer<ArrayBuffer>[] = [];
  readonly #pending: Promise<Uint8Array<ArrayBuffer>>[] = [];
  #block: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(DEFLATE_BLOCK_SIZE);
  #length = 0;
  #blocks = 0;
  #crc = 0;
  #size = 0;
  #compressedSize = 0;

  constructor(emit: (bytes: Uint8Array<ArrayBuffer>) => void) {
    this.#emit = emit;
  }

  /** Whether a block has been given to zlib's threads. Until then the text can be finished at once. */
  hasStarted(): boolean {
    return this.#blocks > 0;
  }

  /** Whether as many blocks are in work as may be. */
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

  /** Waits until a further block may be started, handing over what is done. */
  async relieve(): Promise<void> {
    while (this.isFull) await this.#handOverOldest();
  }

  /** The whole text, which is still within its first block. */
  finishSync(): DeflatedPart {
    const part = deflatePart(this.#block.subarray(0, this.#length));
    this.#length = 0;
    return part;
  }

  /** Compresses what is left and hands it all over. */
  async finish(): Promise<DeflateTotals> {
    if (this.#length > 0) this.#startBlock();
    while (this.#pending.length > 0) await this.#handOverOldest();
    this.#handOver(Uint8Array.from(EMPTY_FINAL_BLOCK));
    this.#closeLanes();
    return { crc: this.#crc, size: this.#size, compressedSize: this.#compressedSize };
  }

  /** Waits for the threads; nothing is handed over any more. Never rejects. */
  async abort(): Promise<void> {
    await Promise.allSettled(this.#pending.splice(0));
    this.#closeLanes();
  }

  #startBlock(): void {
    const block = this.#block;
    const content = block.subarray(0, this.#length);
    this.#crc = crc32(content, this.#crc);
    this.#size += content.length;
    const stream = (this.#streams[this.#blocks++ % WINDOW] ??= new DeflateStream());
    const done = stream.deflate(content).finally(() => this.#free.push(block));
    // A failure is thrown where the block is waited for; until then it must not count as unhandled.
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

/** A zlib stream that compresses one block at a time, each on its own, and is used again. */
class DeflateStream {
  readonly #stream: DeflateRaw = createDeflateRaw(STREAM_OPTIONS);
  /** The block in work and those that wait for it: more than one only where a single record fills several. */
  #jobs: Promise<unknown> | null = null;

  constructor() {
    // The write that failed has the same error.
    this.#stream.on('error', () => undefined);
  }

  /** The block, ended on a byte boundary without ending the stream: a flush leaves an empty stored block. */
  deflate(content: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
    // Begun at once where it can be: the caller goes on building rows without letting promises run.
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

  /** A copy of all that waits: the stream writes the next block behind this one into the same memory. */
  #takeOutput(): Uint8Array<ArrayBuffer> {
    // One read() gives everything up to Node 24, and a single piece of it from Node 26 on.
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
