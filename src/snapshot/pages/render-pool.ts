// Creates pages on all cores: threads receive records and return the manifest's entries of the files they wrote.
// Records are sent in messages, so their source does not matter.
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, type ErrorDetails, GazetteError } from '../../errors.ts';
import type { PageOrder, PageTarget } from './files.ts';
import type { FormatOrigin } from './formats.ts';
import type { Ending } from '../../archive/layout.ts';
import type { StagedFile } from '../folder/staged-file.ts';

/** A message to a thread: the register of the following pages, or one page. */
export type PoolMessage = TargetMessage | PageMessage;

/** The register of the next pages, and the files to write of each: by extension, with where to load the format. */
export interface TargetMessage {
  readonly target: PageTarget;
  readonly writers: readonly SharedWriter[];
}

/** The extension of a file, and where to load its format; null for JSON and HTML. */
export type SharedWriter = readonly [ending: Ending, origin: FormatOrigin | null];

/** A page to create, with a number for its answer. */
export interface PageMessage {
  readonly id: number;
  readonly order: PageOrder;
}

/** A thread's answer to a page. */
export type PoolAnswer =
  | { readonly id: number; readonly files: readonly StagedFile[] }
  | { readonly id: number; readonly failure: PageFailure };

interface PageFailure {
  readonly message: string;
  readonly known: { readonly code: ErrorCode; readonly details: ErrorDetails } | null;
  readonly stack: string;
}

/**
 * Pages per thread: one being created, one being written to disk, one that waits. Each takes some hundred kilobytes.
 */
const PAGES_PER_THREAD = 3;

/** The size of a thread's young generation, in MiB: by default V8 grows it to more than a page needs. */
const YOUNG_GENERATION_MIB = 24;

// The extension is `.ts` in the sources and another one in the build. A compiler could rewrite a literal path, which
// names only one of both.
const THREAD = new URL(`./render-worker${extname(import.meta.url)}`, import.meta.url);

/** The default number of threads: one for each core, because the thread that reads mostly waits. */
export function defaultThreads(): number {
  return availableParallelism();
}

interface Thread {
  readonly worker: Worker;
  readonly pending: Map<number, PendingPage>;
}

interface PendingPage {
  readonly resolve: (files: readonly StagedFile[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Threads that create pages. Close it however the work ends. */
export class RenderPool {
  /** How many pages may be processed at once. */
  readonly capacity: number;
  readonly #threads: readonly Thread[];
  #lastId = 0;
  #failure: GazetteError | null = null;

  /**
   * @param size how many threads
   * @param script what they run; there is only one
   */
  constructor(size: number, script: URL = THREAD) {
    this.capacity = size * PAGES_PER_THREAD;
    this.#threads = Array.from({ length: size }, () => this.#start(script));
  }

  /** Tells all threads the register of the next pages. No page of another register may still be in work. */
  open(target: PageTarget, writers: readonly SharedWriter[]): void {
    for (const { worker } of this.#threads) worker.postMessage({ target, writers } satisfies PoolMessage);
  }

  /**
   * Has a page created by the least busy thread.
   *
   * @throws GazetteError the errors of {@link makePageFiles}; `internal_error` when a thread has ended unexpectedly.
   */
  async make(order: PageOrder): Promise<readonly StagedFile[]> {
    if (this.#failure !== null) throw this.#failure;
    const idlest = this.#threads.reduce((best, thread) => (thread.pending.size < best.pending.size ? thread : best));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      idlest.pending.set(id, { resolve, reject });
      idlest.worker.postMessage({ id, order } satisfies PoolMessage);
    });
  }

  /** Ends all threads, even during work. */
  async close(): Promise<void> {
    this.#failure ??= new GazetteError('aborted', 'the threads of the snapshot were ended');
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(script: URL): Thread {
    const worker = new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB } });
    const thread: Thread = { worker, pending: new Map() };
    worker.on('message', (answer: PoolAnswer) => {
      const page = thread.pending.get(answer.id);
      thread.pending.delete(answer.id);
      if (page === undefined) return; // refused already, because another thread has failed
      if ('files' in answer) page.resolve(answer.files);
      else page.reject(errorOf(answer.failure));
    });
    worker.on('error', (error: Error) => {
      this.#fail(`failed: ${error.message}`, error);
    });
    worker.on('exit', (code) => {
      this.#fail(`ended with ${code}`);
    });
    return thread;
  }

  /** When one thread has ended, the work cannot continue: its pages are missing. */
  #fail(what: string, cause?: Error): void {
    this.#failure ??= new GazetteError('internal_error', `a thread of the snapshot ${what}`, { cause });
    for (const { pending } of this.#threads) {
      for (const { reject } of pending.values()) reject(this.#failure);
      pending.clear();
    }
  }
}

/** A thread's error, to be thrown by this thread. */
function errorOf({ message, known, stack }: PageFailure): Error {
  const cause = new Error(message);
  cause.stack = stack;
  return known === null
    ? new GazetteError('internal_error', `a page cannot be made: ${message}`, { cause })
    : new GazetteError(known.code, message, { cause, details: known.details });
}
