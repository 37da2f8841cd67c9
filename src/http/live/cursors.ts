// The cursors of live answers (10.1 of the Durable Streams protocol): a reader that asks with the last one it was given never meets, in
// a cache, the answer it has.
import { randomInt } from 'node:crypto';

/** Cursors count intervals of so many milliseconds since this moment. */
const [CURSOR_MS, CURSOR_EPOCH] = [20_000, Date.UTC(2024, 9, 9)];

/** A cursor that a client has already is followed by one of up to so many intervals later, an hour. */
const CURSOR_JITTER = 180;

/** The cursor of a moment, in milliseconds since 1970. */
export function cursorAt(ms: number): number {
  return Math.floor((ms - CURSOR_EPOCH) / CURSOR_MS);
}

/** The same, but always later than the one that a reader has. */
export function cursorAfter(given: string | undefined, ms: number): number {
  const [current, had] = [cursorAt(ms), given === undefined ? -1 : Number(given)];
  return had < current ? current : had + randomInt(1, CURSOR_JITTER + 1);
}
