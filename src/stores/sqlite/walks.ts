// Long walks through the registers of a SQLite file. The first records are read in the calling thread. When a walk
// continues, a thread with its own connection reads the rest, so that a document is written while its next records are
// read. If the thread fails, the walk continues without it.
import { foundAhead } from '../logic/finding/found-ahead.ts';
import { filterIn, indexOf, termFilter } from '../logic/finding/filter-index.ts';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Page, type PageQuery, startPosition } from '../../register/page.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import { recordOf, type ShownAs, slotOf, type SqlRow } from '../rows/columns.ts';
import { readAhead } from '../../register/sources/read-ahead.ts';
import { pagesOf } from '../rows/register-source.ts';
import type { SqliteConnection } from './connection.ts';
import { selectPage } from './finding/pages.ts';
import type { SqliteReads } from './reads.ts';

/** What a thread reads; see walk-thread.ts. */
export interface WalkOrder {
  readonly path: string;
  /** The register's number. */
  readonly register: number;
  /** The query for the records, newest first, from {@link selectPage}. */
  readonly select: string;
  /** Its parameters before the two slots and the count. */
  readonly values: readonly string[];
  /** Records per page. */
  readonly limit: number;
}

/** The messages of a thread: it is ready; rows from the given slot down, in parts; the register is gone. */
export type WalkAnswer = 'ready' | 'gone' | { readonly rows: readonly SqlRow[]; readonly isLast: boolean };

/**
 * The number of positions that a walk must have left for a thread to be worth its start, which takes about thirty
 * milliseconds.
 */
const LONG_WALK = 10_000;

/**
 * The number of reads, of a few hundred records each, before a thread starts: a caller that wants only some pages does
 * not need one.
 */
const READS_BEFORE = 3;

/** The size of a thread's young generation, in MiB: it holds some hundred rows at a time. */
const YOUNG_GENERATION_MIB = 16;

// The extension is `.ts` in the sources and another one in the build. A compiler could rewrite a literal path, which
// names only one of both.
const THREAD = new URL(`./walk-thread${extname(import.meta.url)}`, import.meta.url);

/** The walks through one store's registers. One walk at a time has a thread. */
export class SqliteWalks {
  readonly #connection: SqliteConnection;
  readonly #reads: SqliteReads;
  #thread: WalkThread | null = null;
  #ending: Promise<unknown> | null = null;

  constructor(connection: SqliteConnection, reads: SqliteReads) {
    this.#connection = connection;
    this.#reads = reads;
  }

  /** {@link RegisterSource.pagesAhead} of the register of this number. */
  async *pages(shown: ShownAs, number: number, query: PageQuery): AsyncGenerator<readonly Page[], void, undefined> {
    const filter = termFilter(shown, query);
    if (filter !== null) {
      const read = foundAhead((next) => this.#reads.found(shown, number, filter, next));
      yield* readAhead(read, query);
      return;
    }
    let thread: WalkThread | null = null;
    let reads = 0;
    let isOver = false;
    const read = async (query: PageQuery): Promise<readonly Page[]> => {
      const { asOf, offset, signal } = query;
      const rows = (await thread?.rowsFrom(slotOf(number, startPosition(asOf as number, offset)))) ?? null;
      if (rows !== null) return pagesOf(rows, (row) => recordOf(shown, row), query, asOf as number);
      // Nothing here awaits anything: others get their turn between two reads.
      await nextTurn();
      throwIfAborted(signal);
      // These requests are no longer needed.
      if (isOver) return [];
      const pages = this.#reads.pagesAhead(shown, number, query);
      if (++reads === READS_BEFORE) thread = this.#start(shown, number, query);
      return pages;
    };
    const end = (): void => {
      isOver = true;
      if (thread !== null) this.#end(thread);
    };
    query.signal?.addEventListener('abort', end, { once: true });
    try {
      yield* readAhead(read, query);
    } finally {
      query.signal?.removeEventListener('abort', end);
      end();
    }
  }

  /** Ends the thread, before the connection is closed: the last connection to close a file cleans up after all. */
  async close(): Promise<void> {
    if (this.#thread !== null) this.#end(this.#thread);
    await this.#ending;
  }

  #start(shown: ShownAs, number: number, query: PageQuery): WalkThread | null {
    const { asOf, offset, limit } = query;
    const path = this.#connection.file;
    const { kind, values } = indexOf(filterIn(shown, query));
    const isLong = startPosition(asOf as number, offset) >= LONG_WALK;
    if (
      path === null ||
      kind === 'both' ||
      kind === 'terms' ||
      !isLong ||
      this.#thread !== null ||
      availableParallelism() < 2
    )
      return null;
    const order = { path, register: number, select: selectPage(kind), values, limit };
    const thread = new WalkThread(order, () => {
      if (this.#thread === thread) this.#thread = null;
    });
    this.#thread = thread;
    return thread;
  }

  #end(thread: WalkThread): void {
    if (this.#thread !== thread) return;
    this.#thread = null;
    this.#ending = Promise.all([this.#ending, thread.end()]);
  }
}

/** A thread that reads the rows of one walk. It keeps the process alive only while a request is pending. */
class WalkThread {
  readonly #worker: Worker;
  #state: 'starting' | 'ready' | 'gone' = 'starting';
  #rows: SqlRow[] = [];
  #answer: (rows: SqlRow[] | null) => void = ignore;

  /** @param onEnd called when the thread has ended, for any reason */
  constructor(order: WalkOrder, onEnd: () => void) {
    this.#worker = new Worker(THREAD, {
      workerData: order,
      // The options of the process may not be valid for a thread.
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: WalkAnswer) => {
      if (answer === 'ready') this.#state = 'ready';
      else if (answer === 'gone') this.#settle(null);
      else this.#take(answer);
    });
    // For example a file that cannot be opened here, or an error of SQLite: reading in the main thread will report it.
    for (const event of ['error', 'messageerror']) {
      this.#worker.on(event, () => {
        this.#gone();
      });
    }
    this.#worker.on('exit', () => {
      this.#gone();
      onEnd();
    });
  }

  /** Rows from a slot down; null if the thread has not started, has ended, or does not find the register. */
  async rowsFrom(slot: number): Promise<SqlRow[] | null> {
    if (this.#state !== 'ready') return null;
    this.#worker.ref();
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#worker.postMessage(slot);
    });
  }

  /** Ends the thread, even during a read. */
  async end(): Promise<void> {
    this.#gone();
    await this.#worker.terminate();
  }

  #take({ rows, isLast }: { readonly rows: readonly SqlRow[]; readonly isLast: boolean }): void {
    this.#rows.push(...rows);
    if (!isLast) return;
    const all = this.#rows;
    this.#rows = [];
    this.#settle(all);
  }

  #settle(rows: SqlRow[] | null): void {
    this.#worker.unref();
    const answer = this.#answer;
    this.#answer = ignore;
    answer(rows);
  }

  #gone(): void {
    this.#state = 'gone';
    this.#settle(null);
  }
}

function ignore(): void {
  // No request is pending.
}
