// Completes the indexes by which records are found, for commands that work on registers: after a definition by which other
// records would be found.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isGazetteError } from '../../errors.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import type { FindingStore } from '../../stores/contract/finding.ts';
import type { Io } from '../io/io.ts';
import { say } from '../io/say.ts';

/** How often the progress is said, in milliseconds. */
const SAY_EVERY_MS = 5000;

/**
 * Completes the index of a register, and says so if it was not. Others may do so at once, and any may be killed.
 *
 * @throws GazetteError `aborted`, `store_busy`
 */
export async function completeIndex(io: Io, finding: FindingStore, feedId: string, signal: AbortSignal): Promise<void> {
  if (!(await finding.incomplete()).includes(feedId)) return;
  let next = performance.now() + SAY_EVERY_MS;
  try {
    for (let isComplete = false; !isComplete;) {
      throwIfAborted(signal);
      const { done, all } = await finding.build(feedId);
      isComplete = done >= all;
      if (!isComplete && performance.now() >= next) {
        next = performance.now() + SAY_EVERY_MS;
        say(io, `indexing the records of ${feedId}: ${done} of ${all}`);
      }
      await nextTurn();
    }
    say(io, `indexed the records of ${feedId}`);
  } catch (error) {
    // Another process removed it.
    if (!isGazetteError(error, 'unknown_feed')) throw error;
  }
}
