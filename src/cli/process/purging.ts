// Tries again what others held up: rewriting the parts of a store that may still hold erased content. Every command that
// opens a store for writing does it once, `gazette serve` as long as it runs.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { PendingPurge } from '../../stores/contract/purges.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';

/** How long a repeated purge waits for others, in milliseconds. On PostgreSQL, readers queue behind it meanwhile. */
const WAIT_MS = 2000;

/** How often a running service asks whether a purge is pending, in milliseconds. */
const ASK_EVERY_MS = 60_000;

/** Says what is still to be rewritten, and who will do it. */
export function sayPending(io: Io, { parts, askedAt }: PendingPurge): void {
  say(
    io,
    `other processes hold up the purge of ${askedAt}: what was erased may still be in ${parts.join(', ')}; the next command that opens the store, and gazette serve, try again`,
  );
}

/**
 * Goes on with a pending purge. A failure is said and not thrown: it is not that of the command.
 *
 * @returns the purge that is still pending
 */
export async function retryPurge(io: Io, { purges, isReadOnly }: ServiceStore): Promise<PendingPurge | null> {
  if (isReadOnly === true) return null;
  const before = await purges.pending();
  if (before === null) return null;
  try {
    const after = await purges.run({ waitMs: WAIT_MS });
    if (after === null) say(io, `purged the store of what was erased at ${before.askedAt}`);
    return after;
  } catch (error) {
    say(
      io,
      `the purge of ${before.askedAt} failed and will be tried again: ${error instanceof Error ? error.message : String(error)}`,
    );
    return null;
  }
}

/** Purging that goes on beside other work. */
export interface Purging {
  /** Ends it, after the part in work. */
  stop(): Promise<void>;
}

/** Tries pending purges from now on, until it is stopped. */
export function keepPurging(io: Io, store: ServiceStore): Purging {
  const stopping = new AbortController();
  const { signal } = stopping;
  const purge = async (): Promise<void> => {
    while (!signal.aborted) {
      await retryPurge(io, store).catch(() => null);
      await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const ended = purge();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
