// What the suites need of a test runner, whichever it is: a function that takes a title and a test. `test` of node:test, `it`
// of vitest, jest and mocha all are one.

/** A test: it fails by throwing. */
export type TestRun = () => Promise<void>;

/** A runner's `test`. */
export interface Test {
  (title: string, run: TestRun): unknown;
  /** Where the runner has it, skipped tests are shown as such, each with its reason. */
  readonly skip?: (title: string, run: TestRun) => unknown;
}

/** Registers a test, or says why it is skipped. */
export function testOrSkip(test: Test, title: string, reason: string | undefined, run: TestRun): void {
  if (reason === undefined) test(title, run);
  else test.skip?.(`${title} (skipped: ${reason})`, run);
}
