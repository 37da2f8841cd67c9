// Waiting in tests. A test waits for the thing itself: an event, or a condition that is asked until it holds. Time passes
// for its own sake only where nothing can be asked, and then the call says why.
import { setTimeout as sleep } from 'node:timers/promises';

/** How long a condition may take to hold by default, in milliseconds: long, as only a failure ever uses it up. */
const PATIENCE_MS = 20_000;

/** Between two questions, in milliseconds: the longer it has waited, the longer it waits, as a question costs time too. */
const SHORTEST_MS = 2;
const LONGEST_MS = 25;

/**
 * Waits until a condition holds, and fails when it does not in time.
 *
 * @param what is waited for, for the message of the failure
 * @param holds is asked again and again, every 2 to 25 ms; anything but false, null and undefined holds
 * @param patienceMs how long it is asked. Default: 20 seconds
 * @returns what `holds` answered at last
 * @throws Error that names `what`
 * @example await until('the second event', () => received.length === 2);
 */
export async function until<T>(
  what: string,
  holds: () => T | Promise<T>,
  patienceMs: number = PATIENCE_MS,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + patienceMs;
  for (let pause = SHORTEST_MS; ; pause = Math.min(pause * 1.25, LONGEST_MS)) {
    const answer = await holds();
    if (answer !== false && answer !== null && answer !== undefined)
      return answer as Exclude<T, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`waited ${patienceMs} ms in vain for ${what}`);
    await sleep(pause);
  }
}

/**
 * Lets time pass, where time is the thing itself: a moment drawn at random, a lease that runs out, or the proof that
 * nothing happens.
 *
 * @param ms milliseconds
 * @param why nothing can be asked instead
 */
export async function letPass(ms: number, why: string): Promise<void> {
  if (why === '') throw new Error('letPass() must say why');
  await sleep(ms);
}
