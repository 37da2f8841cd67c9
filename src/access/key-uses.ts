// When keys were last used, recorded to the minute and in batches: a busy key costs one write a minute, not one a request.
import type { AccountStore } from '../stores/contract/accounts.ts';

/** How uses are recorded. */
export interface KeyUsesOptions {
  /** How long a use may wait to be recorded, in milliseconds. Default {@link FLUSH_INTERVAL_MS}. */
  readonly intervalMs?: number;
  /** Told when recording failed; what was to be recorded is kept and tried again. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** Few enough writes not to be noticed, and soon enough for whoever looks whether a key is in use. */
const FLUSH_INTERVAL_MS = 10_000;

const MINUTE_MS = 60_000;

/** Gathers the uses of keys and records them from time to time. Close it, or the last ones are lost. */
export class KeyUses {
  readonly #accounts: AccountStore;
  readonly #intervalMs: number;
  readonly #onError: (error: unknown) => void;
  /** Minutes still to be recorded, as milliseconds since 1970, by key. */
  #pending = new Map<string, number>();
  /** The latest minutes recorded, of every key used: there are no more of them than keys. */
  readonly #recorded = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(accounts: AccountStore, options: KeyUsesOptions = {}) {
    this.#accounts = accounts;
    this.#intervalMs = options.intervalMs ?? FLUSH_INTERVAL_MS;
    this.#onError =
      options.onError ??
      ((error: unknown): void => {
        console.error('gazette: the last use of keys could not be recorded', error);
      });
  }

  /** Notes that a key was used. Returns at once. */
  note(keyId: string, atMs: number): void {
    const minute = atMs - (atMs % MINUTE_MS);
    const known = Math.max(this.#recorded.get(keyId) ?? -Infinity, this.#pending.get(keyId) ?? -Infinity);
    if (minute <= known || this.#isClosed) return;
    this.#pending.set(keyId, minute);
    this.#startTimer();
  }

  /** Records what was noted so far. Never rejects: failures go to `onError`. */
  flush(): Promise<void> {
    this.#stopTimer();
    // One write after the other: an earlier one that failed gives its uses to the next.
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Records what was noted so far, and takes no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.flush();
    this.#stopTimer();
  }

  async #write(): Promise<void> {
    const uses = this.#pending;
    if (uses.size === 0) return;
    this.#pending = new Map();
    try {
      await this.#accounts.recordKeyUses(new Map([...uses].map(([id, ms]) => [id, new Date(ms).toISOString()])));
      for (const [id, ms] of uses) this.#recorded.set(id, ms);
    } catch (error) {
      for (const [id, ms] of uses) this.#pending.set(id, Math.max(ms, this.#pending.get(id) ?? ms));
      this.#startTimer();
      this.#onError(error);
    }
  }

  #startTimer(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.flush(), this.#intervalMs);
    // Nothing is kept alive for it: whoever ends the process closes first.
    this.#timer.unref();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
