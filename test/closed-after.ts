// What a test opens, closed behind it.
import { onTestFinished, TestRunner } from 'vitest';

/**
 * Closes a service or a store once the running test has ended. What stays open keeps its timers: they work on, and everything
 * that they hold stays in memory, for all files that the process runs after this one. What is opened for a whole file, outside
 * of a test, is its own to close.
 */
export function closedAfter<T extends { close(): Promise<void> }>(opened: T): T {
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => opened.close());
  return opened;
}
