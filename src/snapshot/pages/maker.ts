// Who makes a run's pages: this thread alone while they are few, all cores when they are many, or stand ready from an
// earlier run.
import { defaultThreads, RenderPool } from './render-pool.ts';
import type { Format } from '../../formats/format.ts';
import { makePageFiles, type PageOrder, type PageTarget } from './files.ts';
import { endingsOf, type PageFormat, type PageWriters } from './formats.ts';
import type { Ending } from './layout.ts';
import type { StagedFile } from '../folder/staged-file.ts';

/** From how many pages on threads are worth their start, which takes as long as some ten pages each. */
const MANY_PAGES = 64;

/** From how many pages on threads that stand ready are worth the way there and back. */
const SOME_PAGES = 2;

/** Pages at once without threads: one in work, one on its way to the disk. */
const PAGES_ALONE = 2;

/** Makes the pages of one register after the other. To be closed when no run follows, and after one that failed. */
export class PageMaker {
  /** In the order they were given. */
  readonly formats: readonly PageFormat[];
  /** The endings of a page's files, in the order they are written and shown. */
  readonly endings: readonly Ending[];
  readonly #threads: number;
  /** All files of a page; and those of formats that this thread alone has. */
  readonly #writers: PageWriters;
  readonly #ownWriters: PageWriters;
  #pool: RenderPool | null = null;
  #target: PageTarget | null = null;
  #isShared = false;

  /** @param threads how many at most; 1 is this one. Default: one for each core. */
  constructor(formats: readonly PageFormat[], threads: number = defaultThreads()) {
    this.formats = formats;
    this.endings = endingsOf(formats);
    this.#writers = new Map(this.endings.map((ending) => [ending, this.#formatOf(ending)?.format ?? null]));
    this.#ownWriters = new Map([...this.#writers].filter(([ending]) => this.#formatOf(ending)?.origin === null));
    this.#threads = threads;
  }

  /** What writes the changes. */
  get atom(): Format {
    return this.#formatOf('atom')!.format;
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
    const shared = this.endings.filter((ending) => !this.#ownWriters.has(ending));
    this.#pool.open(
      target,
      shared.map((ending) => [ending, this.#formatOf(ending)?.origin ?? null]),
    );
  }

  /** Makes a page. @throws GazetteError what {@link makePageFiles} and {@link RenderPool.make} throw. */
  async make(order: PageOrder): Promise<readonly StagedFile[]> {
    if (!this.#isShared) return this.makeHere(order);
    if (this.#ownWriters.size === 0) return this.#pool!.make(order);
    // Whatever failed, nothing of this page is in work when the call ends.
    const parts = await Promise.allSettled([
      this.#pool!.make(order),
      makePageFiles(this.#target!, order, this.#ownWriters),
    ]);
    const files = parts.flatMap((part) => {
      if (part.status === 'rejected') throw part.reason;
      return part.value;
    });
    return this.endings.map((ending) => files.find(({ name }) => name.endsWith(`.${ending}`))!);
  }

  /** Makes a page in this thread. @throws GazetteError what {@link makePageFiles} throws. */
  async makeHere(order: PageOrder): Promise<readonly StagedFile[]> {
    return makePageFiles(this.#target!, order, this.#writers);
  }

  #formatOf(ending: Ending): PageFormat | undefined {
    return this.formats.find(({ format }) => format.extension === ending);
  }

  /** Ends the threads. Where a run follows nevertheless, it starts others. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.close();
  }
}
