// How much of what is tried at random is tried. On the project's own Node all of it; where the same tests run again on
// other release lines of Node, a quarter: what is asked there is whether the line makes a difference.

/** Whether this is such a further run: `.ci/run` says so. */
export const IS_FURTHER_RUN: boolean = process.env.GAZETTE_TEST_EFFORT === 'further';

/** So many on the project's own Node, a quarter of them in a further run. */
export function tries(count: number): number {
  return IS_FURTHER_RUN ? Math.ceil(count / 4) : count;
}
