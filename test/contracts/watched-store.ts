// A store whose walks a test can watch, hold up and fail.
import type { Page, PageQuery } from '../../src/register/page.ts';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { DelegatingStore } from './delegating-store.ts';

/** A store whose walks a test can watch, hold up and fail. */
export class WatchedStore extends DelegatingStore {
  /** The pages that were handed on since the first one. */
  read = 0;
  /** The walks beyond the first page that were begun and are not over. */
  walking = 0;
  /** Waited for, and may fail, before each page after the first one. */
  before: (pages: number) => void | Promise<void> = () => undefined;

  override async source(id: string): Promise<RegisterSource> {
    const source = await super.source(id);
    return { ...source, pagesAhead: (query) => this.#pages(source, query) };
  }

  async *#pages(source: RegisterSource, query: PageQuery): AsyncGenerator<readonly Page[]> {
    this.walking++;
    try {
      for await (const pages of source.pagesAhead!(query)) {
        for (const page of pages) {
          await this.before(this.read);
          this.read++;
          yield [page];
        }
      }
    } finally {
      this.walking--;
    }
  }
}
