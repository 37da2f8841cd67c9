// A walk through a register, a group of pages at a time: while one is handed on, the next one is read.
import type { Page, PageQuery } from '../../register/page.ts';

/**
 * The groups of pages from the query's offset on, within its view or that of the first page.
 *
 * @param read answers the page asked for and as many behind it as are best read at once
 */
export async function* readAhead(
  read: (query: PageQuery) => Promise<readonly Page[]>,
  query: PageQuery,
): AsyncGenerator<readonly Page[], void, undefined> {
  for (let reading: Promise<readonly Page[]> | null = read(query); reading !== null;) {
    const pages: readonly Page[] = await reading;
    const { nextOffset, asOf } = pages.at(-1)!;
    reading = nextOffset === null ? null : read({ ...query, offset: nextOffset, ...(asOf === null ? {} : { asOf }) });
    // Whoever has seen enough never asks for these, and then nobody minds that they cannot be read.
    reading?.catch(() => undefined);
    yield pages;
  }
}
