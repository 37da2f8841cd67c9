// Records when keys were last used, to the minute, and for how many requests, in batches: a busy key costs one write a
// minute instead of one per request. A process that is killed loses the uses of its last minute.
import type { AccountStore } from '../stores/contract/accounts.ts';

/** How uses are recorded. */
export interface KeyUsesOptions {
  /** How long a use may wait before it is recorded, in milliseconds. Default {@link FLUSH_INTERVAL_MS}. */
  readonly intervalMs?: number;
  /** Called when recording failed; the uses are kept and recorded later. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** After how many intervals uses are recorded that came within a minute that is recorded already. */
const LATE = 6;

/** Long enough that the writes are negligible, short enough to see soon whether a key is in use. */
const FLUSH_INTERVAL_MS = 10_000;

const MINUTE_MS = 60_000;

/** Uses of a key: the minute of the last, as milliseconds since 1970, and how many. */
interface PendingUse {
  readonly minute: number;
  readonly requests: number;
}

/** Collects the uses of keys and records them at intervals. Close it, or the last ones are lost. */
export class KeyUses {
  readonly #accounts: AccountStore;
  readonly #intervalMs: number;
  readonly #onError: (error: unknown) => void;
  /** What is still to be recorded, by key. */
  #pending = new Map<string, PendingUse>();
  /** The latest recorded minute of every used key; it cannot hold more entries than there are keys. */
  readonly #recorded = new Map<string, number>();
  #soon: NodeJS.Timeout | undefined;
  #late: NodeJS.Timeout | undefined;
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
    if (this.#isClosed) return;
    this.#add(keyId, { minute: atMs - (atMs % MINUTE_MS), requests: 1 });
  }

  /**
   * Records all uses noted so far, if any of them came in a minute that is not recorded. Never rejects: failures go to
   * `onError`.
   */
  flush(): Promise<void> {
    return this.#flush(false);
  }

  /** Records all uses noted so far, and accepts no more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#flush(true);
    this.#stopTimers();
  }

  /** @param isLate whether uses within recorded minutes are recorded too, although nothing else is */
  #flush(isLate: boolean): Promise<void> {
    this.#stopTimers();
    // Writes run one after the other, and a failed one leaves its uses to the next.
    this.#writing = this.#writing.then(() => this.#write(isLate));
    return this.#writing;
  }

  async #write(isLate: boolean): Promise<void> {
    const uses = this.#pending;
    if (uses.size === 0) return;
    if (!isLate && ![...uses].some(([id, use]) => this.#isNew(id, use))) {
      this.#startTimers(false);
      return;
    }
    this.#pending = new Map();
    try {
      await this.#accounts.recordKeyUses(
        new Map([...uses].map(([id, { minute, requests }]) => [id, { at: new Date(minute).toISOString(), requests }])),
      );
      for (const [id, use] of uses) if (this.#isNew(id, use)) this.#recorded.set(id, use.minute);
    } catch (error) {
      for (const [id, use] of uses) this.#add(id, use);
      this.#onError(error);
    }
  }

  #add(keyId: string, use: PendingUse): void {
    const { minute, requests } = this.#pending.get(keyId) ?? { minute: use.minute, requests: 0 };
    this.#pending.set(keyId, { minute: Math.max(minute, use.minute), requests: requests + use.requests });
    this.#startTimers(this.#isNew(keyId, use));
  }

  #isNew(keyId: string, { minute }: PendingUse): boolean {
    return minute > (this.#recorded.get(keyId) ?? -Infinity);
  }

  /** @param isNew whether there is something that must not wait until it is late */
  #startTimers(isNew: boolean): void {
    this.#late ??= this.#timer(true, this.#intervalMs * LATE);
    if (isNew) this.#soon ??= this.#timer(false, this.#intervalMs);
  }

  #timer(isLate: boolean, delayMs: number): NodeJS.Timeout {
    // It does not keep the process alive; close it before the process ends.
    return setTimeout(() => void this.#flush(isLate), delayMs).unref();
  }

  #stopTimers(): void {
    clearTimeout(this.#soon);
    clearTimeout(this.#late);
    this.#soon = undefined;
    this.#late = undefined;
  }
}
