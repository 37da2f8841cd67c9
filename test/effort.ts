// How much of what is tried at random, or again and again, is tried: one setting, GAZETTE_TEST_EFFORT.
//
//   ci       the default, a hundredth of the whole at most: fifty runs of a property, three kills
//   further  a quarter: the same tests on another release line of Node, where the question is whether it makes a difference
//   whole    the large numbers (`npm run prove`): ten thousand runs of a property, hundreds of kills
import { TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** How many were tried, for the report of `npm run prove`. */
    tried?: number;
    /** What was measured meanwhile, for the same report: a sentence with figures, which no test asserts. */
    measured?: string;
  }
}

/** The settings. */
export type Effort = 'ci' | 'further' | 'whole';

/** How many times as many are tried at the whole effort, where a test does not say. */
const WHOLE = 100;

const set = process.env.GAZETTE_TEST_EFFORT ?? 'ci';
if (set !== 'ci' && set !== 'further' && set !== 'whole')
  throw new Error(`GAZETTE_TEST_EFFORT must be ci, further or whole, got ${JSON.stringify(set)}`);

/** The setting of this run. */
export const EFFORT: Effort = set;

const seed = process.env.GAZETTE_TEST_SEED;
if (seed !== undefined && !/^-?\d{1,10}$/.test(seed))
  throw new Error(`GAZETTE_TEST_SEED must be a whole number, got ${JSON.stringify(seed)}`);

/** What draws the questions of all properties, where it is set (GAZETTE_TEST_SEED). Else each run draws new ones. */
export const SEED: number | null = seed === undefined ? null : Number(seed);

/**
 * How many to try.
 *
 * @param ci so many in CI, and a quarter of them in a further run
 * @param whole so many at the whole effort. Default: a hundred times as many as in CI
 */
export function tries(ci: number, whole: number = ci * WHOLE): number {
  if (EFFORT === 'whole') return whole;
  return EFFORT === 'further' ? Math.ceil(ci / 4) : ci;
}

/**
 * Of a row of cases that are all like their neighbours, such as each write at which a run may break off: every how many is
 * tried. At the whole effort, all are.
 *
 * @param ci every so many in CI, and every fourth of these in a further run
 */
export function stride(ci: number): number {
  if (EFFORT === 'whole') return 1;
  return EFFORT === 'further' ? 4 * ci : ci;
}

/** Says how many the running test has tried; of several the sum counts. Properties say it by themselves. */
export function tried(count: number): void {
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.tried = (test.meta.tried ?? 0) + count;
}

/**
 * Says how long something took while the running test tried it, for the report of `npm run prove`. A test must not fail
 * because of it: a busy machine takes longer.
 *
 * @param what took so long, such as `a killed worker was replaced`
 * @param ms each time, in milliseconds
 */
export function measured(what: string, ms: readonly number[]): void {
  const test = TestRunner.getCurrentTest();
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN).toFixed(0);
  const figures = `${at(0.5)} ms, 99 of 100 within ${at(0.99)} ms, at most ${at(1)} ms`;
  if (test !== undefined) test.meta.measured = `${what}: ${figures} (${ms.length} times)`;
}
