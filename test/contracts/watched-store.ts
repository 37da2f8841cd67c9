// A store whose walks a test can watch, hold up and fail.
import type { Page } from '../../src/register/page.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { DelegatingStore } from './delegating-store.ts';

/** A store whose walks a test can watch, hold up and fail. */
export class WatchedStore extends DelegatingStore {
  /** The pages, or groups of rows, that were handed on since the first page. */
  read = 0;
  /** The walks beyond the first page that were begun and are not over. */
  walking = 0;
  /** Waited for, and may fail, before each of them. */
  before: (pages: number) => void | Promise<void> = () => undefined;

  override async source(id: string): Promise<RegisterSource> {
    const source = await super.source(id);
    return {
      ...source,
      pagesAhead: (query) => this.#steps(onePageEach(source.pagesAhead!(query))),
      ...(source.rowsAhead === undefined ? {} : { rowsAhead: (query) => this.#steps(source.rowsAhead!(query)) }),
    };
  }

  async *#steps<Step>(steps: AsyncIterable<Step>): AsyncGenerator<Step> {
    this.walking++;
    try {
      for await (const step of steps) {
        await this.before(this.read);
        this.read++;
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
