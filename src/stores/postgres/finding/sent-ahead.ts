// Pages of a walk over pg: the next ones are on their way while some are used.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PageQuery } from '../../../register/page.ts';
import { type PageAhead, readAhead } from '../../../register/sources/read-ahead.ts';

/** As {@link readAhead}, over pg. */
export async function* sentAhead<P extends PageAhead>(
  read: (query: PageQuery) => Promise<readonly P[]>,
  query: PageQuery,
): AsyncGenerator<readonly P[], void, undefined> {
  for await (const pages of readAhead(read, query)) {
    // The next pages are asked for, but pg sends a statement only in the next tick, which does not come while these are
    // used without waiting for anything: the server would stand idle meanwhile.
    await nextTurn();
    yield pages;
  }
}
