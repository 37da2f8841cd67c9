// Chooses the threads that create a run's pages: only this one if there are few, all cores if there are many or threads
// of an earlier run are ready.
import { defaultThreads, RenderPool } from './render-pool.ts';
import type { Format } from '../../formats/format.ts';
import { makePageFiles, type PageOrder, type PageTarget } from './files.ts';
import { endingsOf, type PageFormat, type PageWriters } from './formats.ts';
import { type Ending, VIEW_TYPES } from '../../archive/layout.ts';
import type { StagedFile } from '../folder/staged-file.ts';

/** The number of pages from which new threads are worth their start, which takes as long as about ten pages each. */
const MANY_PAGES = 64;

/** The number of pages from which ready threads are worth the transfer. */
const SOME_PAGES = 2;

/** Pages at once without threads: one being created, one being written to disk. */
const PAGES_ALONE = 2;

/** Creates the pages of one register after the other. Close it when no run follows, and after a run that failed. */
export class PageMaker {
  /** In the order they were given. */
  readonly formats: readonly PageFormat[];
  /** The extensions of a page's files, in the order of writing and display. */
  readonly endings: readonly Ending[];
  readonly #threads: number;
  /** All files of a page, and those of formats that only this thread has. */
  readonly #writers: PageWriters;
  readonly #ownWriters: PageWriters;
  #pool: RenderPool | null = null;
  #target: PageTarget | null = null;
  #isShared = false;

  /** @param threads the maximum number; 1 means only this thread. Default: one for each core. */
  constructor(formats: readonly PageFormat[], threads: number = defaultThreads()) {
    this.formats = formats;
    this.endings = endingsOf(formats);
    this.#writers = new Map(this.endings.map((ending) => [ending, this.#formatOf(ending)?.format ?? null]));
    this.#ownWriters = new Map([...this.#writers].filter(([ending]) => this.#formatOf(ending)?.origin === null));
    this.#threads = threads;
  }

  /** The media types of a page's files, by extension. */
  get mediaTypes(): Readonly<Record<Ending, string>> {
    const types = this.formats.map(({ format }) => [format.extension, format.mediaType] as const);
    return { ...VIEW_TYPES, ...Object.fromEntries(types) };
  }

  /** What writes the changes. */
  get atom(): Format {
    return this.#formatOf('atom')!.format;
  }

  /** How many pages may be processed at once. */
  get capacity(): number {
    return this.#isShared ? this.#pool!.capacity : PAGES_ALONE;
  }

  /** Switches to the next register, with this number of pages to create. */
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

  /** Creates a page. @throws GazetteError the errors of {@link makePageFiles} and {@link RenderPool.make}. */
  async make(order: PageOrder): Promise<readonly StagedFile[]> {
    if (!this.#isShared) return this.makeHere(order);
    if (this.#ownWriters.size === 0) return this.#pool!.make(order);
    // Even after a failure, no work on this page continues when the call ends.
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

  /** Creates a page in this thread. @throws GazetteError the errors of {@link makePageFiles}. */
  async makeHere(order: PageOrder): Promise<readonly StagedFile[]> {
    return makePageFiles(this.#target!, order, this.#writers);
  }

  #formatOf(ending: Ending): PageFormat | undefined {
    return this.formats.find(({ format }) => format.extension === ending);
  }

  /** Ends the threads. If another run follows, it starts new ones. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.close();
  }
}
