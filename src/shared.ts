// Work that is done once for all who ask for the same at the same time, and what came of it, kept while it holds. What is
// shared holds nothing of a caller: the key has everything that shapes it.

/** What has been made. */
export interface Made<Value> {
  readonly value: Value;
  /** Whether it may be given to those who come later too. False: what it is made of may have changed meanwhile. */
  readonly isLasting: boolean;
}

/** How much is kept, and for how long. */
export interface SharedOptions<Key, Value, Stamp> {
  /** The most that is kept, as `weigh` counts it. What nobody asked for again goes first; 0: nothing is kept. */
  readonly capacity: number;
  /** What a value takes of the capacity. Default: 1 each. */
  readonly weigh?: (value: Value) => number;
  /** Whether what was made under an earlier stamp holds now. Default: it holds under an equal stamp alone. */
  readonly stillHolds?: (key: Key, since: Stamp) => boolean;
  /** Whether what was made may be kept, asked in the moment in which it is: what was to be forgotten meanwhile may not. */
  readonly mayKeep?: (value: Value) => boolean;
}

/** Something that is kept. */
interface Kept<Value, Stamp> {
  readonly value: Value;
  readonly stamp: Stamp;
  readonly weight: number;
  /** Whether it was asked for since it was kept, or was last spared for it. */
  wasAsked: boolean;
}

/** Something on its way. */
interface Running<Value, Stamp> {
  readonly stamp: Stamp;
  readonly value: Promise<Value>;
  readonly abandoned: AbortController;
  /** How many wait for it. */
  waiting: number;
}

/** How often somebody waits for others who fail, and makes it again; then their error is the answer. */
const MOST_FAILED = 2;

/**
 * Values by key, each made under a stamp: a plain value that is another one once what values are made of may have changed.
 * Who asks takes the stamp before, so that what is made is as new as its stamp at least.
 */
export class Shared<Key, Value, Stamp = unknown> {
  readonly #capacity: number;
  readonly #weigh: (value: Value) => number;
  readonly #stillHolds: (key: Key, since: Stamp) => boolean;
  readonly #mayKeep: (value: Value) => boolean;
  /** The oldest first. What is asked for stays in its place: a map in which it were moved would be copied at every few requests. */
  readonly #kept = new Map<Key, Kept<Value, Stamp>>();
  readonly #running = new Map<Key, Running<Value, Stamp>>();
  #weight = 0;

  constructor(options: SharedOptions<Key, Value, Stamp>) {
    this.#capacity = options.capacity;
    this.#weigh = options.weigh ?? (() => 1);
    this.#stillHolds = options.stillHolds ?? (() => false);
    this.#mayKeep = options.mayKeep ?? (() => true);
  }

  /** What is kept and holds under this stamp; undefined: nothing. */
  get(key: Key, stamp: Stamp): Value | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined || !(kept.stamp === stamp || this.#stillHolds(key, kept.stamp))) return undefined;
    kept.wasAsked = true;
    return kept.value;
  }

  keep(key: Key, stamp: Stamp, value: Value): void {
    this.delete(key);
    const weight = this.#weigh(value);
    if (weight > this.#capacity) return;
    for (const [oldest, entry] of this.#kept) {
      if (this.#weight + weight <= this.#capacity) break;
      this.delete(oldest);
      if (entry.wasAsked) this.#put(oldest, { ...entry, wasAsked: false });
    }
    this.#put(key, { value, stamp, weight, wasAsked: false });
  }

  /**
   * What is kept; otherwise makes it, or waits for who makes it under this stamp already. If that one fails, its error is its
   * own: those who waited make it again, one of them for all, twice at most.
   *
   * @param make is given a signal that aborts once all who wait have gone away
   * @param caller the signal of who asks. If it aborts, the others still get what they wait for
   * @throws the errors of `make`, and the reason of `caller` if it has aborted before
   */
  async of(
    key: Key,
    stamp: Stamp,
    make: (signal: AbortSignal) => Promise<Made<Value>>,
    caller?: AbortSignal,
  ): Promise<{ readonly value: Value; readonly hasWaited: boolean }> {
    for (let failed = 0; ; failed++) {
      caller?.throwIfAborted();
      const kept = this.get(key, stamp);
      if (kept !== undefined) return { value: kept, hasWaited: failed > 0 };
      const running = this.#running.get(key);
      if (running?.stamp !== stamp) {
        return { value: await this.#wait(key, this.#start(key, stamp, make), caller), hasWaited: failed > 0 };
      }
      try {
        return { value: await this.#wait(key, running, caller), hasWaited: true };
      } catch (error) {
        if (caller?.aborted === true || failed === MOST_FAILED) throw error;
      }
    }
  }

  /** Deletes what is kept of these, such as what has to be erased. What is on its way is kept if it is lasting and may be. */
  deleteWhere(isOne: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#kept) if (isOne(value)) this.delete(key);
  }

  delete(key: Key): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#weight -= kept.weight;
  }

  #put(key: Key, kept: Kept<Value, Stamp>): void {
    this.#kept.set(key, kept);
    this.#weight += kept.weight;
  }

  #start(key: Key, stamp: Stamp, make: (signal: AbortSignal) => Promise<Made<Value>>): Running<Value, Stamp> {
    const abandoned = new AbortController();
    const run = async (): Promise<Value> => {
      try {
        const { value, isLasting } = await make(abandoned.signal);
        // Otherwise another one was begun under a later stamp.
        if (isLasting && this.#running.get(key) === running && this.#mayKeep(value)) this.keep(key, stamp, value);
        return value;
      } finally {
        if (this.#running.get(key) === running) this.#running.delete(key);
      }
    };
    const running: Running<Value, Stamp> = { stamp, abandoned, waiting: 0, value: Promise.resolve().then(run) };
    this.#running.set(key, running);
    return running;
  }

  async #wait(key: Key, running: Running<Value, Stamp>, caller: AbortSignal | undefined): Promise<Value> {
    running.waiting++;
    const leave = (): void => {
      if (--running.waiting > 0) return;
      // Nobody must join what will not be finished.
      if (this.#running.get(key) === running) this.#running.delete(key);
      running.abandoned.abort(caller!.reason);
    };
    caller?.addEventListener('abort', leave, { once: true });
    try {
      return await running.value;
    } finally {
      caller?.removeEventListener('abort', leave);
    }
  }
}
