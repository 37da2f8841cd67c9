// Completes the indexes by which records are found in the background of a service, after a change of a definition. Another
// process may do the same at once, and each may be stopped at any time.
import { setTimeout as sleep } from 'node:timers/promises';
import { isGazetteError } from '../../errors.ts';
import type { FindingStore, IndexProgress } from '../../stores/contract/finding.ts';

/** What is completed. */
export type Indexes = Pick<FindingStore, 'incomplete' | 'build'>;

/** How the indexes are completed. */
export interface IndexBuilderOptions {
  /** Called when a register's index begins to be completed, each time another tenth is done, and at its end. */
  readonly onProgress?: (feedId: string, progress: IndexProgress) => void;
  /** Called with a failure; the index is completed later. */
  readonly onError?: (error: unknown) => void;
  /** How long after its end the next look for incomplete indexes begins, in milliseconds. Default {@link LOOK_INTERVAL_MS}. */
  readonly intervalMs?: number;
}

/** Another process may change a definition: a minute later, this one takes part. */
const LOOK_INTERVAL_MS = 60_000;

/** The least pause between two batches, in milliseconds: requests come first. */
const LEAST_PAUSE_MS = 5;

/** Completes the indexes of a store until it is closed. */
export class IndexBuilder {
  readonly #finding: Indexes;
  readonly #options: IndexBuilderOptions;
  readonly #progress = new Map<string, IndexProgress>();
  readonly #stop = new AbortController();
  #working: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(finding: Indexes, options: IndexBuilderOptions = {}) {
    this.#finding = finding;
    this.#options = options;
  }

  /** The indexes that are being completed, by the register's id. */
  get progress(): ReadonlyMap<string, IndexProgress> {
    return this.#progress;
  }

  /** Begins, and looks for incomplete indexes at intervals from then on. */
  start(): void {
    this.#working = this.#look();
  }

  /** Stops after the batch that is being indexed. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#timer);
    await this.#working;
  }

  async #look(): Promise<void> {
    try {
      for (const feedId of await this.#finding.incomplete()) await this.#complete(feedId);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#options.onError?.(error);
    }
    this.#progress.clear();
    if (this.#stop.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.start();
    }, this.#options.intervalMs ?? LOOK_INTERVAL_MS);
    this.#timer.unref();
  }

  async #complete(feedId: string): Promise<void> {
    let told = -1;
    while (!this.#stop.signal.aborted) {
      const startedAt = performance.now();
      const progress = await this.#next(feedId);
      if (progress === null) break;
      const { done, all } = progress;
      this.#progress.set(feedId, progress);
      const tenth = done >= all ? 10 : Math.floor((10 * done) / all);
      if (tenth > told) this.#options.onProgress?.(feedId, progress);
      told = Math.max(tenth, told);
      if (done >= all) break;
      // At most half of the time is for the index.
      await this.#pause(Math.max(performance.now() - startedAt, LEAST_PAUSE_MS));
    }
    this.#progress.delete(feedId);
  }

  /** Indexes the next records; null: the register was removed. */
  async #next(feedId: string): Promise<IndexProgress | null> {
    try {
      return await this.#finding.build(feedId);
    } catch (error) {
      if (isGazetteError(error, 'unknown_feed')) return null;
      throw error;
    }
  }

  async #pause(ms: number): Promise<void> {
    // Closing ends it; it keeps no process alive.
    await sleep(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }
}
