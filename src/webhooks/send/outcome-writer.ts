// Writes outcomes to the store: those that arrive during one write share the next.
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryOutcome } from '../../stores/contract/deliveries.ts';

/**
 * How long outcomes wait for others, in milliseconds: each write waits for the disk, and on SQLite so does sending. A
 * crash repeats the deliveries of this additional time.
 */
const GATHER_MS = 25;

/** The pause between two attempts to write, in milliseconds. */
const RETRY_MS = 500;

/** Writes outcomes in batches. */
export class OutcomeWriter {
  readonly #settle: (outcomes: readonly DeliveryOutcome[]) => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #next: { readonly outcomes: DeliveryOutcome[]; readonly written: Promise<void> } | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isStopped = false;
  #hasDropped = false;

  constructor(settle: (outcomes: readonly DeliveryOutcome[]) => Promise<void>, onError: (error: unknown) => void) {
    this.#settle = settle;
    this.#onError = onError;
  }

  /**
   * Resolves once they are recorded. If the store fails, the write is repeated, so that sent deliveries are not sent
   * again.
   */
  write(outcomes: readonly DeliveryOutcome[]): Promise<void> {
    if (outcomes.length === 0) return Promise.resolve();
    if (this.#next === null) {
      const batch: DeliveryOutcome[] = [];
      const before = this.#writing;
      const written = before.then(() => this.#write(batch));
      this.#next = { outcomes: batch, written };
      this.#writing = written;
    }
    this.#next.outcomes.push(...outcomes);
    return this.#next.written;
  }

  /** Whether outcomes were dropped. */
  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  /** From now on, outcomes that cannot be written are dropped. */
  stop(): void {
    this.#isStopped = true;
  }

  async #write(batch: readonly DeliveryOutcome[]): Promise<void> {
    await sleep(GATHER_MS);
    this.#next = null;
    for (;;) {
      try {
        await this.#settle(batch);
        return;
      } catch (error) {
        this.#onError(error);
        if (this.#isStopped) {
          this.#hasDropped = true;
          return;
        }
      }
      await sleep(RETRY_MS);
    }
  }
}
