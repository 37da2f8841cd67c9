// Counted pages of a source: they show whether a reader reads ahead, and whether it closes what it opened.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Page } from '../register/page.ts';
import type { RegisterRecord } from '../register/record.ts';

/** Records as pages of `size`, the last with `nextOffset: null`; an empty list gives one empty page. */
export function pagesOfSize(records: readonly RegisterRecord[], size = 100): Page[] {
  const pages: Page[] = [];
  for (let start = 0; start === 0 || start < records.length; start += size) {
    const end = start + size;
    pages.push({ records: records.slice(start, end), nextOffset: end < records.length ? end : null, asOf: null });
  }
  return pages;
}

/** A walk over pages that counts requests. */
export class CountedPages implements AsyncIterable<Page> {
  /** The number of pages returned so far. */
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
        // A real source waits for its store here, so that a reader that reads ahead gets the chance to do so.
        await nextTurn();
      }
    } finally {
      this.closed = true;
    }
  }
}
