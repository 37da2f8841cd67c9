// How much of what is tried at random, or again and again, is tried: one setting, GAZETTE_TEST_EFFORT.
//
//   ci       the default: a hundred runs of a property, some eight kills
//   further  a quarter: the same tests on another release line of Node, where the question is whether it makes a difference
//   whole    the large numbers (`npm run prove`): ten thousand runs of a property, hundreds of kills
import { TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** How many were tried, for the report of `npm run prove`. */
    tried?: number;
  }
}

/** The settings. */
export type Effort = 'ci' | 'further' | 'whole';

/** How many times as many are tried at the whole effort, where a test does not say. */
const WHOLE = 50;

const set = process.env.GAZETTE_TEST_EFFORT ?? 'ci';
if (set !== 'ci' && set !== 'further' && set !== 'whole')
  throw new Error(`GAZETTE_TEST_EFFORT must be ci, further or whole, got ${JSON.stringify(set)}`);

/** The setting of this run. */
export const EFFORT: Effort = set;

/**
 * How many to try.
 *
 * @param ci so many in CI, and a quarter of them in a further run
 * @param whole so many at the whole effort. Default: fifty times as many as in CI
 */
export function tries(ci: number, whole: number = ci * WHOLE): number {
  if (EFFORT === 'whole') return whole;
  return EFFORT === 'further' ? Math.ceil(ci / 4) : ci;
}

/** How long a test that tries so many may take, in milliseconds: at the whole effort, as many times longer. */
export function timeLimit(ciMs: number): number {
  return EFFORT === 'whole' ? ciMs * WHOLE : ciMs;
}

/** Says how many the running test has tried; of several the sum counts. Properties say it by themselves. */
export function tried(count: number): void {
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.tried = (test.meta.tried ?? 0) + count;
}
