// The walks through the registers of a store, which a test can watch, hold up and fail.
import type { Page } from '../../src/register/page.ts';
import type { ByteRows } from '../../src/register/sources/byte-rows.ts';
import type { RegisterStore } from '../../src/stores/contract/registers.ts';

/** The walks through the registers of a store. */
export class WatchedWalks {
  /** The pages, or groups of rows, that were handed on since the first page. */
  read = 0;
  /** How many of them were rows. */
  rows = 0;
  /** The walks beyond the first page that were begun and are not over. */
  walking = 0;
  /** Waited for, and may fail, before each of them. */
  before: (pages: number) => void | Promise<void> = () => undefined;

  constructor(store: Pick<RegisterStore, 'source'>) {
    const open = store.source.bind(store);
    store.source = async (...given) => {
      const source = await open(...given);
      return {
        ...source,
        pagesAhead: (query) => this.#steps(onePageEach(source.pagesAhead!(query))),
        ...(source.rowsAhead === undefined ? {} : { rowsAhead: (query) => this.#steps(source.rowsAhead!(query)) }),
      };
    };
  }

  async *#steps<Step extends ByteRows | readonly Page[]>(steps: AsyncIterable<Step>): AsyncGenerator<Step> {
    this.walking++;
    try {
      for await (const step of steps) {
        await this.before(this.read);
        this.read++;
        if ('bytes' in step) this.rows++;
        yield step;
      }
    } finally {
      this.walking--;
    }
  }
}

async function* onePageEach(groups: AsyncIterable<readonly Page[]>): AsyncGenerator<readonly Page[]> {
  for await (const pages of groups) for (const page of pages) yield [page];
}
