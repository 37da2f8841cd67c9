// Those who wait for a register to change. One look for all of them finds what has changed, whose key has ended and whose time is
// over: a thousand who wait cost one look, and no timer each.
import { GazetteError } from '../../errors.ts';
import type { RegisterView, RegisterViews } from '../../views/registers.ts';

/** The time between two looks, in milliseconds. */
const LOOK_EVERY_MS = 300;

/** How often it is looked whether a reader may still read, in milliseconds: what ended is noticed within a second. */
const ADMIT_EVERY_MS = 600;

/** Somebody who waits. */
export interface Waiting {
  readonly feedId: string;
  /** The log that it reads, and the change that it has. */
  readonly log: string;
  readonly since: number;
  /** When it wants to wait no longer, as `performance.now()` counts. */
  readonly untilMs: number;
  /** Whose answers are the same: it is looked once for all of them whether they may still read. */
  readonly caller: string;
  /** @throws what ends its access */
  readonly admit: () => Promise<void>;
  /** Ends the wait: it went away. */
  readonly signal: AbortSignal;
}

/** How a wait ended: with the register as it has changed; `time`: it is over; `stopped`: the service stops, or the reader is gone. */
export type Woken = RegisterView | 'time' | 'stopped';

/** One who waits, and what it is told. */
interface Entry {
  readonly reader: Waiting;
  readonly wake: (woken: Woken) => void;
  readonly fail: (error: unknown) => void;
}

/** What is found once for several. */
type Found<T> = { readonly value: T } | { readonly error: unknown };

/** The readers of a service that wait. */
export class LiveReaders {
  readonly #registers: RegisterViews;
  readonly #stamp: () => number | undefined;
  readonly #waiting = new Set<Entry>();
  #timer: NodeJS.Timeout | null = null;
  #admittedAt = 0;
  #isStopped = false;

  /** @param stamp that of the store, if it has one */
  constructor(registers: RegisterViews, stamp: () => number | undefined) {
    this.#registers = registers;
    this.#stamp = stamp;
  }

  /** How many wait. */
  get count(): number {
    return this.#waiting.size;
  }

  /** @throws GazetteError `not_ready` where the service stops: who comes back at once would only be sent away again */
  refuseWhereStopped(): void {
    if (this.#isStopped) throw new GazetteError('not_ready', 'the service is being stopped: ask again in a moment');
  }

  /**
   * Waits until a register has more than a reader has, or its time is over.
   *
   * @throws what ended its access; GazetteError `unknown_feed`, and the errors of the store
   */
  async wait(reader: Waiting): Promise<Woken> {
    if (this.#isStopped || reader.signal.aborted) return 'stopped';
    let entry: Entry | undefined;
    const leave = (): void => entry?.wake('stopped');
    try {
      return await new Promise<Woken>((wake, fail) => {
        entry = { reader, wake, fail };
        this.#waiting.add(entry);
        reader.signal.addEventListener('abort', leave, { once: true });
        this.#timer ??= this.#lookLater();
      });
    } finally {
      reader.signal.removeEventListener('abort', leave);
      this.#waiting.delete(entry!);
    }
  }

  /** Lets nobody wait any longer. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const { wake } of this.#waiting) wake('stopped');
  }

  #lookLater(): NodeJS.Timeout {
    // Who waits has a connection, which keeps the process.
    return setTimeout(() => {
      void this.#look().finally(() => {
        this.#timer = this.#isStopped || this.#waiting.size === 0 ? null : this.#lookLater();
      });
    }, LOOK_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    const stamp = this.#stamp();
    const now = performance.now();
    const admits = now - this.#admittedAt >= ADMIT_EVERY_MS;
    if (admits) this.#admittedAt = now;
    const views = new Map<string, Promise<Found<RegisterView>>>();
    const callers = new Map<string, Promise<Found<void>>>();
    const checks = [...this.#waiting].map(async ({ reader, wake, fail }) => {
      if (admits) {
        const admitted = await once(callers, `${reader.feedId} ${reader.caller}`, reader.admit);
        if ('error' in admitted) {
          fail(admitted.error);
          return;
        }
      }
      const view = await once(views, reader.feedId, () => this.#registers.view(reader.feedId, stamp));
      if ('error' in view) fail(view.error);
      else if (view.value.entry.log !== reader.log || view.value.entry.change > reader.since) wake(view.value);
      else if (reader.untilMs <= now) wake('time');
    });
    await Promise.all(checks);
  }
}

/** What is asked for the first time for a key is kept for the others. */
function once<T>(found: Map<string, Promise<Found<T>>>, key: string, ask: () => Promise<T>): Promise<Found<T>> {
  let promise = found.get(key);
  if (promise === undefined) {
    promise = ask().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    found.set(key, promise);
  }
  return promise;
}
