// Gives way to the event loop. Requests that come together are all begun in one turn of it, however many they are, and
// until the last of them is answered no timer, no stop and no other connection has its say. Here they wait in line
// instead, and each turn of the loop does as much of it as a few milliseconds allow.

/** Milliseconds of work in a turn: some answers, and a part of what readers of the loop's delay call late. */
const TURN_MS = 5;

/** Lets work begin in the order in which it came, a turn's worth at a time. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  /** When the work of this turn began, by `performance.now()`; null before it has. */
  #beganAt: number | null = null;

  /** Undefined: begin at once. Else begin when it resolves. */
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
    // Looked at again once all that this one could do at once is done: ticks come after the last microtask.
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
