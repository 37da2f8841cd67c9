// Pages made on all cores: threads that are handed records and answer what the manifest says of the files they wrote.
// Records come in messages, so that it is all the same where they are from.
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type ErrorCode, type ErrorDetails, GazetteError } from '../../errors.ts';
import type { PageOrder, PageTarget } from './files.ts';
import type { FormatOrigin } from './formats.ts';
import type { Ending } from './layout.ts';
import type { StagedFile } from '../folder/staged-file.ts';

/** What a thread is told: the register from here on, or a page of it. */
export type PoolMessage = TargetMessage | PageMessage;

/** The register that the next pages are of, and the files that are written of each: by ending, where the format is found. */
export interface TargetMessage {
  readonly target: PageTarget;
  readonly writers: readonly SharedWriter[];
}

/** The ending of a file, and where its format is found; null for JSON and HTML. */
export type SharedWriter = readonly [ending: Ending, origin: FormatOrigin | null];

/** A page to be made, with a number for its answer. */
export interface PageMessage {
  readonly id: number;
  readonly order: PageOrder;
}

/** What a thread answers to a page. */
export type PoolAnswer =
  | { readonly id: number; readonly files: readonly StagedFile[] }
  | { readonly id: number; readonly failure: PageFailure };

interface PageFailure {
  readonly message: string;
  readonly known: { readonly code: ErrorCode; readonly details: ErrorDetails } | null;
  readonly stack: string;
}

/**
 * Pages in a thread's hands: one in work, one whose files are on their way to the disk, one that waits. Each is some
 * hundred kilobytes.
 */
const PAGES_PER_THREAD = 3;

/** The young generation of a thread, in MiB: left alone V8 grows it to more than all that a page needs. */
const YOUNG_GENERATION_MIB = 24;

// Sources run as they are, and built they have another ending; a path that a compiler could rewrite only names one of both.
const THREAD = new URL(`./render-worker${extname(import.meta.url)}`, import.meta.url);

/** How many threads there are when nobody says: one for each core, for the thread that reads waits most of its time. */
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

/** Threads that make pages. To be closed however the work ends. */
export class RenderPool {
  /** How many pages may be in work at once. */
  readonly capacity: number;
  readonly #threads: readonly Thread[];
  #lastId = 0;
  #failure: GazetteError | null = null;

  /**
   * @param size how many threads
   * @param script what they run; there is one alone
   */
  constructor(size: number, script: URL = THREAD) {
    this.capacity = size * PAGES_PER_THREAD;
    this.#threads = Array.from({ length: size }, () => this.#start(script));
  }

  /** Tells all threads whose pages come next. None of another register may be in work. */
  open(target: PageTarget, writers: readonly SharedWriter[]): void {
    for (const { worker } of this.#threads) worker.postMessage({ target, writers } satisfies PoolMessage);
  }

  /**
   * Has a page made by the thread that has least to do.
   *
   * @throws GazetteError what {@link makePageFiles} throws; `internal_error` when a thread has ended by itself.
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

  /** Ends all threads, whatever they are at. */
  async close(): Promise<void> {
    this.#failure ??= new GazetteError('aborted', 'the threads of the snapshot were ended');
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
  }

  #start(script: URL): Thread {
    const worker = new Worker(script, { resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB } });
    const thread: Thread = { worker, pending: new Map() };
    worker.on('message', (answer: PoolAnswer) => {
      const page = thread.pending.get(answer.id)!;
      thread.pending.delete(answer.id);
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

  /** After one thread nothing goes on: its pages are missing. */
  #fail(what: string, cause?: Error): void {
    this.#failure ??= new GazetteError('internal_error', `a thread of the snapshot ${what}`, { cause });
    for (const { pending } of this.#threads) {
      for (const { reject } of pending.values()) reject(this.#failure);
      pending.clear();
    }
  }
}

/** A thread's error as this thread throws it. */
function errorOf({ message, known, stack }: PageFailure): Error {
  const cause = new Error(message);
  cause.stack = stack;
  return known === null
    ? new GazetteError('internal_error', `a page cannot be made: ${message}`, { cause })
    : new GazetteError(known.code, message, { cause, details: known.details });
}
