// Goes on with what earlier commands could not end: removals of registers and imports that were interrupted, and purges that
// others held up. Every command that opens a store for writing does it once, `gazette serve` as long as it runs.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceStore } from '../../stores/contract/accounts.ts';
import type { PendingPurge } from '../../stores/contract/purges.ts';
import { isGazetteError } from '../../errors.ts';
import { holdRegister } from '../../stores/lease/hold-register.ts';
import { say } from '../io/say.ts';
import type { Io } from '../io/io.ts';

/** How long a repeated purge waits for others, in milliseconds. On PostgreSQL, readers queue behind it meanwhile. */
const WAIT_MS = 2000;

/** How often a running service asks whether anything is unfinished, in milliseconds. */
const ASK_EVERY_MS = 60_000;

/** What became of unfinished work. */
export interface Resumed {
  /** The registers whose removal was completed now. */
  readonly removed: readonly string[];
  /** The purge that is still pending; null: none is. */
  readonly pending: PendingPurge | null;
}

/** Says what is still to be rewritten, and who will do it. */
export function sayPending(io: Io, { parts, askedAt, failure }: PendingPurge): void {
  const why =
    failure === undefined
      ? `other processes hold up the purge of ${askedAt}`
      : `the purge of ${askedAt} failed (${failure})`;
  say(
    io,
    `${why}: what was erased may still be in ${parts.join(', ')}; the next command that opens the store, and gazette serve, try again`,
  );
}

/**
 * Goes on with what is unfinished. A failure is said and not thrown: it is not that of the command.
 *
 * @param signal ends it, after the rows in work
 */
export async function resumeWork(io: Io, store: ServiceStore, signal?: AbortSignal): Promise<Resumed> {
  if (store.isReadOnly === true) return { removed: [], pending: null };
  const removed = await completeRemovals(io, store, signal);
  await finishImports(io, store, signal);
  return { removed, pending: await retryPurge(io, store) };
}

async function completeRemovals(io: Io, store: ServiceStore, signal?: AbortSignal): Promise<readonly string[]> {
  try {
    const removed = await store.completeRemovals(signal === undefined ? {} : { signal });
    for (const id of removed) {
      say(io, `removed what was left of the register ${id}, whose removal had been interrupted`);
    }
    return removed;
  } catch (error) {
    if (signal?.aborted !== true) sayFailed(io, 'the removal of a register', error);
    return [];
  }
}

/** Discards proposals that waited for too long, and carries out what was approved and is in nobody's work. */
async function finishImports(io: Io, store: ServiceStore, signal: AbortSignal | undefined): Promise<void> {
  const { proposals } = store.imports;
  await proposals.tidy(new Date().toISOString());
  for (const { feedId, number } of await proposals.begun()) {
    try {
      // Whoever takes a register finishes what was begun on it.
      const what = `imports approve ${number}`;
      await holdRegister(store, feedId, { what, ...(signal && { signal }) }, () => Promise.resolve());
      say(io, `carried out the rest of import ${number} of ${feedId}, which had been interrupted`);
    } catch (error) {
      const isOthers = isGazetteError(error, 'register_busy') || isGazetteError(error, 'unknown_feed');
      if (!isOthers && signal?.aborted !== true) sayFailed(io, `import ${number} of ${feedId}`, error);
    }
  }
}

async function retryPurge(io: Io, { purges }: ServiceStore): Promise<PendingPurge | null> {
  const before = await purges.pending();
  if (before === null) return null;
  try {
    const after = await purges.run({ waitMs: WAIT_MS });
    if (after === null) say(io, `purged the store of what was erased at ${before.askedAt}`);
    return after;
  } catch (error) {
    sayFailed(io, `the purge of ${before.askedAt}`, error);
    return null;
  }
}

function sayFailed(io: Io, what: string, error: unknown): void {
  say(io, `${what} failed and will be tried again: ${error instanceof Error ? error.message : String(error)}`);
}

/** Work that goes on beside other work. */
export interface Resuming {
  /** Ends it, after the part in work. */
  stop(): Promise<void>;
}

/** Goes on with what is unfinished from now on, until it is stopped. */
export function keepResuming(io: Io, store: ServiceStore): Resuming {
  const stopping = new AbortController();
  const { signal } = stopping;
  const resume = async (): Promise<void> => {
    while (!signal.aborted) {
      const resumed = await resumeWork(io, store, signal).catch(() => null);
      // What others hold up ends with them; the rest is for the operator.
      if (resumed?.pending?.failure !== undefined) sayPending(io, resumed.pending);
      await sleep(ASK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  const ended = resume();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
