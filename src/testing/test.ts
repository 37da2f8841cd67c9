// The interface of a test runner that the suites need: a function that takes a title and a test. `test` of node:test,
// `it` of vitest, jest and mocha all fit.

import { format } from 'node:util';

/** A test: it fails by throwing. */
export type TestRun = () => Promise<void>;

/** A runner's `test`. */
export interface Test {
  (title: string, run: () => Promise<void>): unknown;
  /** Shows skipped tests as such, each with its reason, if the runner supports it. */
  readonly skip?: (title: string, run: () => Promise<void>) => unknown;
}

/** Registers a test, or reports why it is skipped. */
export function testOrSkip(test: Test, title: string, reason: string | undefined, run: TestRun): void {
  if (reason === undefined) test(title, run);
  else test.skip?.(`${title} (skipped: ${reason})`, run);
}

/** Tests whose titles begin with the same words. */
export function group(test: Test, words: string, register: (test: Test) => void): void {
  register((title, run) => test(`${words} ${title}`, run));
}

/** A test for each case; `%s` and `%j` in its title are replaced by the case's values, as in `util.format()`. */
export function each<Case>(
  test: Test,
  title: string,
  cases: readonly Case[],
  run: (...values: Case extends readonly unknown[] ? Case : [Case]) => Promise<void>,
): void {
  for (const one of cases) {
    const values = (Array.isArray(one) ? one : [one]) as Case extends readonly unknown[] ? Case : [Case];
    const places = title.match(/%[sj]/g)?.length ?? 0;
    test(format(title, ...values.slice(0, places)), () => run(...values));
  }
}

/** Tests with code that runs before each of them, and code that runs after each of them, however it ends. */
export function around(test: Test, before: () => Promise<void>, after: () => Promise<void>): Test {
  return (title, run) =>
    test(title, async () => {
      await before();
      try {
        await run();
      } finally {
        await after();
      }
    });
}
