// What a test opens, closed behind it.
import { afterAll, onTestFinished, TestRunner } from 'vitest';

/**
 * Closes a service or a store once the running test has ended, or the file or suite that is being read. What stays open keeps its
 * timers: they work on, and everything that they hold stays in memory, for all files that the process runs after this one. What
 * is opened in `beforeAll` is its own to close.
 */
export function closedAfter<T extends { close(): Promise<void> }>(opened: T): T {
  (TestRunner.getCurrentTest() === undefined ? afterAll : onTestFinished)(() => opened.close());
  return opened;
}
