// Records when keys were last used, to the minute and in batches: a busy key costs one write a minute instead of one
// per request.
import type { AccountStore } from '../stores/contract/accounts.ts';

/** How uses are recorded. */
export interface KeyUsesOptions {
  /** How long a use may wait before it is recorded, in milliseconds. Default {@link FLUSH_INTERVAL_MS}. */
  readonly intervalMs?: number;
  /** Called when recording failed; the uses are kept and recorded later. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** Long enough that the writes are negligible, short enough to see soon whether a key is in use. */
const FLUSH_INTERVAL_MS = 10_000;

const MINUTE_MS = 60_000;

/** Collects the uses of keys and records them at intervals. Close it, or the last ones are lost. */
export class KeyUses {
  readonly #accounts: AccountStore;
  readonly #intervalMs: number;
  readonly #onError: (error: unknown) => void;
  /** Minutes still to be recorded, as milliseconds since 1970, by key. */
  #pending = new Map<string, number>();
  /** The latest recorded minute of every used key; it cannot hold more entries than there are keys. */
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

  /** Notes that a key was used. Returns immediately. */
  note(keyId: string, atMs: number): void {
    const minute = atMs - (atMs % MINUTE_MS);
    const known = Math.max(this.#recorded.get(keyId) ?? -Infinity, this.#pending.get(keyId) ?? -Infinity);
    if (minute <= known || this.#isClosed) return;
    this.#pending.set(keyId, minute);
    this.#startTimer();
  }

  /** Records all uses noted so far. Never rejects: failures go to `onError`. */
  flush(): Promise<void> {
    this.#stopTimer();
    // Writes run one after the other, and a failed one leaves its uses to the next.
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Records all uses noted so far, and accepts no more. */
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
    // The timer does not keep the process alive; close it before the process ends.
    this.#timer.unref();
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
