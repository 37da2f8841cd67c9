// How many segments of an index are read at once, few where a page is soon full, many where nothing is found; and when others get
// their turn.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfAborted } from '../../../register/sources/source.ts';

/** By how much they grow at most, from one: to ask again takes longer than to look into so many segments for a word. */
const GROWTH = 256;

/** By how much more is read than what a page seems to need. */
export const MARGIN = 1.25;

/** One at first, then more and more, but no more than a page seems to need. */
export class Pace {
  #next = 1;
  #segments = 0;
  #found = 0;

  /** Notes how many slots were found in so many segments. */
  read(segments: number, found: number): void {
    this.#segments += segments;
    this.#found += found;
    this.#next *= GROWTH;
  }

  /** How many to read for so many slots. */
  next(missing: number): number {
    if (this.#found === 0) return this.#next;
    const needed = Math.ceil(((missing * this.#segments) / this.#found) * MARGIN);
    this.#next = Math.max(Math.min(this.#next, needed), 1);
    return this.#next;
  }
}

/** For how long a request reads before others get their turn, in milliseconds: a store may answer at once. */
const TURN_MS = 8;

/** To be awaited before each read: others get their turn now and then. @throws GazetteError `aborted` */
export function turnsOf(signal: AbortSignal | undefined): () => Promise<void> {
  let ends = performance.now() + TURN_MS;
  return async () => {
    throwIfAborted(signal);
    if (performance.now() < ends) return;
    await nextTurn();
    throwIfAborted(signal);
    ends = performance.now() + TURN_MS;
  };
}
