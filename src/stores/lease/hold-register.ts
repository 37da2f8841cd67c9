// Works on a register under a lease: takes it, renews it while the work runs, and ends it. Whatever changes many records
// of a register, or its history, comes here: imports, redactions, removals.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { GazetteError, quote } from '../../errors.ts';
import { isProcessGone, markProcess, removeMark } from '../../files/process-mark.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import { toEpochMs } from '../../register/time.ts';
import { type Lease, LEASE_MS, LEASE_RENEWAL_MS, type LeaseHolder } from '../contract/leases.ts';
import type { RegisterStore } from '../contract/registers.ts';

/** What to do while another process works on the register. */
export interface WaitOptions {
  /** Waits until the register is free. Default: refuses at once. */
  readonly wait?: boolean;
  /** Called once when the work begins to wait. */
  readonly onWait?: (holder: LeaseHolder) => void;
  /** Ends a wait. */
  readonly signal?: AbortSignal;
}

/** Options of work on a register. */
export interface HoldOptions extends WaitOptions {
  /** The command and its file, such as `import permits.csv`, for the message to others. */
  readonly what: string;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** How often a waiting process asks whether the register is free, in milliseconds. */
const ASK_AGAIN_MS = 250;

/**
 * Runs `work` while no other process works on the register. `work` passes its token to every write, which is refused as
 * soon as the lease belongs to another.
 *
 * @throws GazetteError `unknown_feed`; `register_busy` when another works on the register; `import_superseded` from a
 *   write after this process was stopped for longer than the lease lasts; `aborted` while waiting; the errors of `work`.
 */
export async function holdRegister<T>(
  store: RegisterStore,
  feedId: string,
  options: HoldOptions,
  work: (token: string) => Promise<T>,
): Promise<T> {
  const token = randomUUID();
  const now = options.now ?? Date.now;
  const mark = markProcess(token);
  try {
    await takeLease(store, feedId, token, now, options);
    const renewal = setInterval(() => {
      // A lease that was lost is noticed by the next write, and a store that does not answer is asked again.
      store.leases.renew(token, { until: timeAfter(now, LEASE_MS) }).catch(() => undefined);
    }, LEASE_RENEWAL_MS);
    renewal.unref();
    try {
      return await work(token);
    } finally {
      clearInterval(renewal);
      // The work is done or has failed. A lease that cannot be ended any more ends by itself.
      await store.leases.release(token).catch(() => undefined);
    }
  } finally {
    mark?.end();
  }
}

async function takeLease(
  store: RegisterStore,
  feedId: string,
  token: string,
  now: () => number,
  { what, wait = false, onWait, signal }: HoldOptions,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const lease: Lease = {
      token,
      what,
      host: hostname(),
      pid: process.pid,
      since: timeAfter(now, 0),
      until: timeAfter(now, LEASE_MS),
    };
    // The process was on this host and was killed: nobody needs to wait for its lease to end.
    const last = await store.leases.find(feedId);
    const over = last !== null && isProcessGone(last.token) ? last.token : null;
    const held = await store.leases.take(feedId, lease, over === null ? {} : { over });
    if (over !== null) removeMark(over);
    if (held === null) return;
    if (!wait) throw registerBusy(feedId, held);
    if (isFirst) onWait?.(held);
    await sleep(ASK_AGAIN_MS, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
      throwIfAborted(signal);
      throw error;
    });
  }
}

/**
 * Whether a lease still keeps others out: it has not ended, and its process is not known to be gone.
 *
 * @param now milliseconds since 1970
 */
export function isHeld({ until, token }: Lease, now: number): boolean {
  return toEpochMs(until) > now && !isProcessGone(token);
}

/** The error when another process works on the register. */
function registerBusy(feedId: string, { what, host, pid, since }: LeaseHolder): GazetteError {
  return new GazetteError(
    'register_busy',
    `register ${quote(feedId)} is in use by ${quote(what)} (process ${pid} on ${host}, since ${since}); run the command again when that has ended, or with --wait`,
    { details: { feed_id: feedId, what, host, pid, since } },
  );
}

function timeAfter(now: () => number, ms: number): string {
  return new Date(now() + ms).toISOString();
}
