// The driver: pages in, chunks of bytes out. All chunking lives here. Text is encoded at once into blocks of 128 KiB,
// each handed over whole: the consumer owns what it gets.
import { GazetteError } from '../errors.ts';
import type { Page } from '../register/page.ts';
import { throwIfAborted } from '../register/source.ts';
import { checkOptionNames } from './check-options.ts';
import type { FeedHead, Format, FormatOptions, Output } from './format.ts';

/** Bytes in a block: large enough to amortise a hand-over, small enough to stay in the second-level cache. */
const BLOCK_SIZE = 131_072;

/** Bytes in the first block, each later one being twice as large up to the full size: most documents are small pages. */
const FIRST_BLOCK_SIZE = 16_384;

const NO_BLOCK: Buffer<ArrayBuffer> = Buffer.alloc(0);

/** The most bytes of UTF-8 one UTF-16 unit can need. */
const MAX_BYTES_PER_UNIT = 3;

/** What {@link encode} takes besides the format's own options. */
export interface EncodeOptions {
  /** Cancels the source's reads and ends the document unfinished. */
  readonly signal?: AbortSignal;
}

/**
 * Writes pages as one document of a format. Nothing is buffered beyond a block and a page; the source is read only as
 * fast as the chunks are taken. Ending the iteration early, a failing source and a failing sink all close the source
 * and abort the sink.
 *
 * @throws GazetteError `aborted` once `signal` fires, `invalid_option` for one the format does not have, and whatever the
 *   source or the sink throws.
 * @example for await (const chunk of encode(pages(source), csv, head)) response.write(chunk);
 */
export async function* encode<Options extends FormatOptions>(
  pages: AsyncIterable<Page> | Iterable<Page>,
  format: Format<Options>,
  head: FeedHead,
  options?: Options & EncodeOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const signal = options?.signal;
  throwIfAborted(signal);
  checkOptionNames(format, options);
  const blocks = new Blocks();
  const sink = format.open(blocks, head, options);
  let failure: { readonly reason: unknown } | null = null;
  let closed = false;
  try {
    let first = true;
    for await (const page of pages) {
      throwIfAborted(signal);
      const written = sink.write(page);
      if (written !== undefined) await written;
      // The first page goes out at once: whoever waits sees bytes as early as possible.
      yield* blocks.take(first);
      first = false;
    }
    throwIfAborted(signal);
    await sink.close();
    closed = true;
    yield* blocks.take(true);
  } catch (error) {
    failure = { reason: error };
    throw error;
  } finally {
    if (!closed) {
      // Made only where it is needed: an error with its stack takes as long as several records.
      await sink.abort?.(failure === null ? new GazetteError('aborted', 'the reader went away') : failure.reason);
    }
  }
}

/** An {@link Output} that fills blocks and hands them over. A block is allocated when something is to be put into it. */
class Blocks implements Output {
  #full: Uint8Array<ArrayBuffer>[] = [];
  #block: Buffer<ArrayBuffer> = NO_BLOCK;
  #length = 0;
  #nextSize = FIRST_BLOCK_SIZE;

  text(text: string): void {
    const most = text.length * MAX_BYTES_PER_UNIT;
    if (most > this.#block.length - this.#length) {
      this.#finishBlock();
      if (most > BLOCK_SIZE) {
        // Buffer.from may hand out a slice of Node's shared pool for small texts; this one is too long for it.
        this.#full.push(Buffer.from(text, 'utf8'));
        return;
      }
      this.#startBlock(most);
    }
    // A lone surrogate comes out as U+FFFD by itself.
    this.#length += this.#block.write(text, this.#length, 'utf8');
  }

  bytes(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.length > this.#block.length - this.#length) {
      this.#finishBlock();
      if (bytes.length > BLOCK_SIZE / 2) {
        this.#full.push(bytes);
        return;
      }
      this.#startBlock(bytes.length);
    }
    this.#block.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** The blocks that are full, and the begun one too when `all`. */
  take(all: boolean): Uint8Array<ArrayBuffer>[] {
    if (all) this.#finishBlock();
    const full = this.#full;
    if (full.length > 0) this.#full = [];
    return full;
  }

  #startBlock(least: number): void {
    while (this.#nextSize < least) this.#nextSize *= 2;
    this.#block = Buffer.allocUnsafeSlow(this.#nextSize);
    if (this.#nextSize < BLOCK_SIZE) this.#nextSize *= 2;
  }

  #finishBlock(): void {
    if (this.#length > 0) this.#full.push(this.#block.subarray(0, this.#length));
    this.#block = NO_BLOCK;
    this.#length = 0;
  }
}
