// Small tools the tests of every format share: collect a document's bytes, cut records into pages, walk pages as a
// source would while counting what is asked of it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encode, type EncodeOptions } from '../../src/formats/encode.ts';
import type { DocumentHead, Format, FormatOptions } from '../../src/formats/format.ts';
import type { Page } from '../../src/register/page.ts';
import type { RegisterRecord } from '../../src/register/record.ts';

/** All chunks as one buffer. */
export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

/** The whole document a format makes of pages. */
export async function encodeAll<Options extends FormatOptions>(
  format: Format<Options>,
  head: DocumentHead,
  pages: Iterable<Page> | AsyncIterable<Page>,
  options?: Options & EncodeOptions,
): Promise<Buffer> {
  return collect(encode(pages, format, head, options));
}

/** Records as pages of `size`, the last with `nextOffset: null`; no record gives one empty page. */
export function pagesOfSize(records: readonly RegisterRecord[], size = 100): Page[] {
  const pages: Page[] = [];
  for (let start = 0; start === 0 || start < records.length; start += size) {
    const end = start + size;
    pages.push({ records: records.slice(start, end), nextOffset: end < records.length ? end : null, asOf: null });
  }
  return pages;
}

/** A walk over pages that tells what was asked of it. */
export class CountedPages implements AsyncIterable<Page> {
  /** Pages handed out so far. */
  pulled = 0;
  /** Whether the walk was closed, by its end or by the reader. */
  closed = false;
  readonly #pages: readonly Page[];
  readonly #failure: { readonly after: number; readonly error: Error } | undefined;

  /** With `failure` the walk throws `error` instead of the page after the first `after`. */
  constructor(pages: readonly Page[], failure?: { readonly after: number; readonly error: Error }) {
    this.#pages = pages;
    this.#failure = failure;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Page, void, undefined> {
    try {
      for (const page of this.#pages) {
        if (this.pulled === this.#failure?.after) throw this.#failure.error;
        this.pulled++;
        yield page;
        // A real source waits for its store here, so that whoever reads ahead gets the chance to.
        await nextTurn();
      }
    } finally {
      this.closed = true;
    }
  }
}
