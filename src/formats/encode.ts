// The driver: pages in, chunks of bytes out. The consumer owns each chunk unless it lets the memory be reused.
import { GazetteError } from '../errors.ts';
import { noFields } from '../register/finding/chosen-fields.ts';
import type { Page } from '../register/page.ts';
import type { ByteRows } from '../register/sources/byte-rows.ts';
import { throwIfAborted } from '../register/sources/source.ts';
import { Blocks } from './blocks.ts';
import { checkOptionNames } from './check-options.ts';
import type { DocumentHead, Format, FormatOptions, Sink } from './format.ts';

/** Options of {@link encode} besides the format's own. */
export interface EncodeOptions {
  /** Cancels the source's reads and ends the document before it is complete. */
  readonly signal?: AbortSignal;
  /**
   * Whether a chunk's memory is reused when the next chunk is requested. Set it for consumers that are done with each
   * chunk by then, such as file writers: a long document then creates almost no garbage. Default false: the consumer
   * keeps its chunks.
   */
  readonly reusesChunks?: boolean;
}

/**
 * Writes pages as one document of a format. At most one block and one page are buffered; the source is read only as
 * fast as the chunks are taken. If the iteration ends early, or the source or the sink fails, the source is closed and
 * the sink is aborted.
 *
 * @throws GazetteError `aborted` once `signal` fires, `invalid_option` for an option that the format does not have,
 *   `invalid_parameter` for fields that it does not take, and any error of the source or the sink.
 * @example for await (const chunk of encode(pages(source), csv, head)) response.write(chunk);
 */
export function encode<Options extends FormatOptions>(
  pages: AsyncIterable<Page> | Iterable<Page>,
  format: Format<Options>,
  head: DocumentHead,
  options?: Options & EncodeOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  return encodeWalk(pages, format, head, options);
}

/** The same, of which a format that takes them may be given rows. */
export async function* encodeWalk<Options extends FormatOptions>(
  pages: AsyncIterable<Page | ByteRows> | Iterable<Page>,
  format: Format<Options>,
  head: DocumentHead,
  options?: Options & EncodeOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const signal = options?.signal;
  const reuses = options?.reusesChunks === true;
  throwIfAborted(signal);
  checkOptionNames(format, options);
  if (head.fields !== undefined && format.takesFields !== true) throw noFields(format.name);
  const blocks = new Blocks();
  const sink = format.open(blocks, head, options);
  let failure: { readonly reason: unknown } | null = null;
  let closed = false;
  try {
    let first = true;
    for await (const page of pages) {
      throwIfAborted(signal);
      const written = 'bytes' in page ? writeRows(sink, page) : sink.write(page);
      if (written !== undefined) await written;
      // The first page is handed over at once, so that the client sees bytes as early as possible.
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
      // The error is created only here: an error with its stack takes as long as several records.
      await sink.abort?.(failure === null ? new GazetteError('aborted', 'the reader went away') : failure.reason);
    }
  }
}

/** Writes the records that the sink does not take as bytes from their values. */
async function writeRows(sink: Sink, rows: ByteRows): Promise<void> {
  const { bytes, nextOffset, asOf } = rows;
  for (let at = 0; (at = sink.writeRows!(rows, at)) < bytes.length;) {
    const { record, end } = rows.recordAt(at);
    if (record !== null) await sink.write({ records: [record], nextOffset, asOf });
    at = end;
  }
}

function* handOver(blocks: Blocks, all: boolean, reuses: boolean): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
  for (const block of blocks.take(all)) {
    yield block;
    if (reuses) blocks.giveBack(block);
  }
}
