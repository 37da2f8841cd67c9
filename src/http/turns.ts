// Gives way to the event loop. Without it, all requests that arrive together begin in the same turn of the loop, and no
// timer, no stop and no other connection runs until the last one is answered. Here they wait in a queue instead, and
// each turn does only a few milliseconds of work.

/** Milliseconds of work per turn: several answers, but less than monitors of the loop's delay report as late. */
const TURN_MS = 5;

/** Starts work in the order of arrival, a limited amount per turn. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** When the work of this turn began, by `performance.now()`; null if none has begun. */
  #beganAt: number | null = null;

  /** Returns undefined to begin immediately, else a promise to wait for. */
  take(): Promise<void> | undefined {
    if (this.#waiting.length === 0) {
      if (this.#beganAt === null) {
        this.#begin();
        return undefined;
      }
      if (!this.#isOver()) return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #begin(): void {
    this.#beganAt = performance.now();
    setImmediate(() => {
      this.#beganAt = null;
      if (this.#waiting.length === 0) return;
      this.#begin();
      this.#letNextBegin();
    });
  }

  #letNextBegin(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    next();
    // Checks again when all immediate work of this turn is done, since ticks come after the last microtask.
    queueMicrotask(() => {
      process.nextTick(() => {
        if (!this.#isOver()) this.#letNextBegin();
      });
    });
  }

  #isOver(): boolean {
    return this.#beganAt !== null && performance.now() - this.#beganAt >= TURN_MS;
  }
}
