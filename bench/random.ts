// A small seeded generator of pseudo-random numbers (mulberry32): the same seed gives the same data on every machine,
// so that two runs of a benchmark write the same bytes. Not for secrets.

/** A stream of numbers that its seed decides. */
export class Random {
  #state: number;

  /** `seed` is any 32-bit integer. */
  constructor(seed: number) {
    // Neighbouring seeds would begin alike without mixing.
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  }

  /** The next number, from 0 up to but not including 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 up to but not including `end`. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** Whether an event of this probability happens. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the items, each as likely as the others. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}
