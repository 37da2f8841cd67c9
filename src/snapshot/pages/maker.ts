// Who makes a run's pages: this thread alone while they are few, all cores when they are many, or stand ready from an
// earlier run.
import { defaultThreads, RenderPool } from './render-pool.ts';
import { makePageFiles, type PageOrder, type PageTarget } from './files.ts';
import type { StagedFile } from '../folder/staged-file.ts';

/** From how many pages on threads are worth their start, which takes as long as some ten pages each. */
const MANY_PAGES = 64;

/** From how many pages on threads that stand ready are worth the way there and back. */
const SOME_PAGES = 2;

/** Pages at once without threads: one in work, one on its way to the disk. */
const PAGES_ALONE = 2;

/** Makes the pages of one register after the other. To be closed when no run follows, and after one that failed. */
export class PageMaker {
  readonly #threads: number;
  #pool: RenderPool | null = null;
  #target: PageTarget | null = null;
  #isShared = false;

  /** @param threads how many at most; 1 is this one. Default: one for each core. */
  constructor(threads: number = defaultThreads()) {
    this.#threads = threads;
  }

  /** How many pages may be in work at once. */
  get capacity(): number {
    return this.#isShared ? this.#pool!.capacity : PAGES_ALONE;
  }

  /** Turns to the next register, of which so many pages are to be made. */
  open(target: PageTarget, pages: number): void {
    this.#target = target;
    this.#isShared = this.#threads > 1 && pages >= (this.#pool === null ? MANY_PAGES : SOME_PAGES);
    if (!this.#isShared) return;
    this.#pool ??= new RenderPool(this.#threads);
    this.#pool.open(target);
  }

  /** Makes a page. @throws GazetteError what {@link makePageFiles} and {@link RenderPool.make} throw. */
  async make(order: PageOrder): Promise<readonly StagedFile[]> {
    return this.#isShared ? this.#pool!.make(order) : makePageFiles(this.#target!, order);
  }

  /** Ends the threads. Where a run follows nevertheless, it starts others. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.close();
  }
}
