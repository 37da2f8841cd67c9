// A walk through a register, a group of pages at a time: while the caller uses one group, the next one is read.
import type { Page, PageQuery } from '../page.ts';

/** What a group needs of a page; its records may still have to be made. */
export type PageAhead = Pick<Page, 'nextOffset' | 'asOf'>;

/**
 * The groups of pages from the query's offset on, in the query's view or that of the first page.
 *
 * @param read returns the requested page and as many following ones as are best read at once
 */
export async function* readAhead<P extends PageAhead>(
  read: (query: PageQuery) => Promise<readonly P[]>,
  query: PageQuery,
): AsyncGenerator<readonly P[], void, undefined> {
  for (let reading: Promise<readonly P[]> | null = read(query); reading !== null;) {
    const pages: readonly P[] = await reading;
    const { nextOffset, asOf } = pages.at(-1)!;
    reading = nextOffset === null ? null : read({ ...query, offset: nextOffset, ...(asOf === null ? {} : { asOf }) });
    // A caller that stops early never asks for these, so their failure must not become an unhandled rejection.
    reading?.catch(() => undefined);
    yield pages;
  }
}
