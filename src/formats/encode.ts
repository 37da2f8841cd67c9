// The driver: pages in, chunks of bytes out. The consumer owns what it gets, unless it gives the memory back.
import { GazetteError } from '../errors.ts';
import type { Page } from '../register/page.ts';
import { throwIfAborted } from '../register/source.ts';
import { Blocks } from './blocks.ts';
import { checkOptionNames } from './check-options.ts';
import type { DocumentHead, Format, FormatOptions } from './format.ts';

/** What {@link encode} takes besides the format's own options. */
export interface EncodeOptions {
  /** Cancels the source's reads and ends the document unfinished. */
  readonly signal?: AbortSignal;
  /**
   * Whether the memory of a chunk is used again once the next chunk is asked for: for readers that are done with each by
   * then, as writers of files are. It saves a long document nearly all of its garbage. Default false: chunks are given away.
   */
  readonly reusesChunks?: boolean;
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
  head: DocumentHead,
  options?: Options & EncodeOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const signal = options?.signal;
  const reuses = options?.reusesChunks === true;
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
      yield* handOver(blocks, first, reuses);
      first = false;
    }
    throwIfAborted(signal);
    await sink.close();
    closed = true;
    yield* handOver(blocks, true, reuses);
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

function* handOver(blocks: Blocks, all: boolean, reuses: boolean): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  for (const block of blocks.take(all)) {
    yield block;
    if (reuses) blocks.giveBack(block);
  }
}
