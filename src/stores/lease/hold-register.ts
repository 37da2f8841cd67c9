// Works on a register under a lease: takes it, renews it while the work runs, and ends it. Whatever changes many records
// of a register, or its history, comes here: imports, redactions, removals. The work goes on after the database was away.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { markProcess } from '../../files/process-mark.ts';
import { LEASE_RENEWAL_MS, type LeaseHolder, type LeaseStore, type NewLease } from '../contract/leases.ts';
import type { RegisterStore } from '../contract/registers.ts';
import { carryOut } from './carry-out.ts';
import type { HeldRegister } from './held-register.ts';
import { askAgain, type AskAgainOptions, pause } from './asking-again.ts';
import { marksOf, takeLease } from './take-lease.ts';

/** What to do while another process works on the register. */
export interface WaitOptions {
  /** True waits until the register is free, false refuses at once and names `--wait`. Default: there is no such option to name. */
  readonly wait?: boolean;
  /** Called once when the work begins to wait. */
  readonly onWait?: (holder: LeaseHolder) => void;
  /** Ends a wait, also for a database that is away. */
  readonly signal?: AbortSignal;
}

/** Options of work on a register. */
export interface HoldOptions extends WaitOptions {
  /** The command and its file, such as `import permits.csv`, for the message to others. */
  readonly what: string;
  /** As in {@link NewLease.ofMirror}. */
  readonly ofMirror?: boolean;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Runs `work` while no other process works on the register. `work` makes every write with {@link HeldRegister.write}, which is
 * refused as soon as the lease belongs to another.
 *
 * @throws GazetteError `unknown_feed`; `register_busy` when another works on the register; `import_superseded` from a
 *   write after this process was stopped for longer than the lease lasts; `output_failed` where the folder of the store
 *   cannot be written; `aborted` while waiting; the errors of `work`.
 */
export async function holdRegister<T>(
  store: RegisterStore,
  feedId: string,
  options: HoldOptions,
  work: (hold: HeldRegister) => Promise<T>,
): Promise<T> {
  const { leases } = store;
  const token = randomUUID();
  const mark = markProcess(marksOf(leases), token);
  if (mark === null && leases.marks !== null) throw unmarked(leases.marks);
  try {
    await waitForLease(leases, feedId, token, options);
  } catch (error) {
    // Without an answer, the store may have the lease.
    if (isGazetteError(error, 'store_unavailable')) mark?.leave();
    else mark?.end();
    throw error;
  }
  const renewal = setInterval(() => {
    // A lease that was lost is noticed by the next write, and a store that does not answer is asked again.
    leases.renew(token).catch(() => undefined);
  }, LEASE_RENEWAL_MS);
  renewal.unref();
  try {
    const hold = holdOf(leases, token, options.signal);
    await finishBegun(store, feedId, hold, options);
    return await work(hold);
  } finally {
    clearInterval(renewal);
    await leases.release(token).then(
      () => mark?.end(),
      // The work is done or has failed. Others of this host find the mark without its process; for those of other hosts,
      // the lease ends by its time.
      () => mark?.leave(),
    );
  }
}

function holdOf(leases: LeaseStore, token: string, signal: AbortSignal | undefined): HeldRegister {
  let writes = 0;
  const again = { before: () => leases.renew(token), signal };
  return {
    ask: (question) => steady(leases, again, question),
    write: (send) => {
      const under = { lease: token, write: ++writes };
      return steady(leases, again, () => send(under));
    },
  };
}

/** Finishes what was approved, where the process ended that carried it out. */
async function finishBegun(
  store: RegisterStore,
  feedId: string,
  hold: HeldRegister,
  options: Pick<HoldOptions, 'now' | 'signal'>,
): Promise<void> {
  for (const begun of await hold.ask(() => store.imports.proposals.begun(feedId)))
    await carryOut(store, hold, begun, options);
}

/** {@link askAgain} of a database. A file is not away: what keeps it from being used does not pass by itself. */
function steady<T>({ marks }: LeaseStore, options: AskAgainOptions, question: () => Promise<T>): Promise<T> {
  return marks === null ? askAgain(question, options) : question();
}

async function waitForLease(
  leases: LeaseStore,
  feedId: string,
  token: string,
  { what, ofMirror = false, now = Date.now, wait, onWait, signal }: HoldOptions,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const since = new Date(now()).toISOString();
    const lease: NewLease = { token, what, ofMirror, host: hostname(), pid: process.pid, since };
    const held = await steady(leases, { signal }, () => takeLease(leases, feedId, lease));
    if (held === null) return;
    if (wait !== true) throw registerBusy(feedId, held, wait !== undefined);
    if (isFirst) onWait?.(held);
    await pause(signal);
  }
}

/** The error when another process works on the register. @param mayWait whether who asks has `--wait` */
function registerBusy(feedId: string, { what, host, pid, since }: LeaseHolder, mayWait: boolean): GazetteError {
  return new GazetteError(
    'register_busy',
    `register ${quote(feedId)} is in use by ${quote(what)} (process ${pid} on ${host}, since ${since}); run the command again when that has ended${mayWait ? ', or with --wait' : ''}`,
    { details: { feed_id: feedId, what, host, pid, since } },
  );
}

/** The error where others could not see that this process runs. */
function unmarked(folder: string): GazetteError {
  return new GazetteError('output_failed', `the folder ${quote(folder)} of the store cannot be written`, {
    details: { folder },
  });
}
