// Waiting in tests. A test waits for the thing itself: an event, or a condition that is asked until it holds. Time passes
// for its own sake only where nothing can be asked, and then the call says why.
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How long a condition may take to hold, in milliseconds: long, as only a failure ever uses it up, and shorter than the watchdog of
 * tests, which does not know what was waited for. At the whole effort a condition may be the hundredth kill.
 */
const PATIENCE_MS = process.env.GAZETTE_TEST_EFFORT === 'whole' ? 10 * 3_600_000 : 600_000;

/** Between two questions, in milliseconds: the longer it has waited, the longer it waits, as a question costs time too. */
const SHORTEST_MS = 2;
const LONGEST_MS = 25;

/**
 * Waits until a condition holds, and fails when it does not in time.
 *
 * @param what is waited for, for the message of the failure
 * @param holds is asked again and again, every 2 to 25 ms; anything but false, null and undefined holds
 * @returns what `holds` answered at last
 * @throws Error that names `what`
 * @example await until('the second event', () => received.length === 2);
 */
export async function until<T>(
  what: string,
  holds: () => T | Promise<T>,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let pause = SHORTEST_MS; ; pause = Math.min(pause * 1.25, LONGEST_MS)) {
    const answer = await holds();
    if (answer !== false && answer !== null && answer !== undefined)
      return answer as Exclude<T, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`waited ${PATIENCE_MS} ms in vain for ${what}`);
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
