// Handles an event once although it is delivered at least once (specification 6, "Delivery behaviour" 1 and 2). One
// handling at a time holds a claim, a lease frees the claim after a crash, and a record of the handled event is written
// with the work or after it.
import { setTimeout as sleep } from 'node:timers/promises';
import { checkWhole } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';

/**
 * The default time after which a claim expires if its holder crashed, in milliseconds: longer than any pause of a
 * living process.
 */
const LEASE_MS = 60_000;

/**
 * With a shorter lease, renewing would be most of the work; with a longer one, a crash would outlast a sender's
 * attempts.
 */
const SHORTEST_LEASE_MS = 50;
const LONGEST_LEASE_MS = 24 * 60 * 60 * 1000;

/** Databases cannot compute with every number of milliseconds. */
const LONGEST_AGE_MS = 100 * 365 * LONGEST_LEASE_MS;

/** The result of claiming an event. */
export type ClaimOutcome =
  | { readonly state: 'claimed' }
  | { readonly state: 'handled' }
  /** Another handling holds it for this many milliseconds, or longer if it renews. */
  | { readonly state: 'in_progress'; readonly leaseMs: number };

/**
 * Remembers which events were handled. `Transaction` is the type that a write in the store's own database receives.
 *
 * Times come from the store's clock, so that receivers with different clocks agree.
 */
export interface IdempotencyStore<Transaction> {
  /** Claims an event for `token`, unless it was handled or another claim is still valid. */
  claim(eventId: string, token: string, leaseMs: number): Promise<ClaimOutcome>;
  /** Extends the claim to `leaseMs` from now, if `token` still holds it. */
  renew(eventId: string, token: string, leaseMs: number): Promise<void>;
  /**
   * Runs `write` and records the event as handled, in one transaction, which is durable when the promise resolves.
   *
   * @throws GazetteError `event_in_progress`, with nothing written, when another handling has taken the claim.
   */
  complete<T>(eventId: string, token: string, write: (transaction: Transaction) => T | Promise<T>): Promise<T>;
  /** Releases a claim, if `token` still holds it and the event was not handled. */
  release(eventId: string, token: string): Promise<void>;
  /**
   * Deletes events that were handled long ago, and claims that ended so long ago. An event that is deleted is handled
   * again if it comes again. Other handlings can go on meanwhile.
   *
   * @param options.olderThan how long ago they were handled, at least, in milliseconds, from 0 to a hundred years. It should be
   *   longer than the sender keeps deliveries, which can be replayed: gazette keeps them for 30 days.
   * @returns how many were deleted
   * @throws GazetteError `invalid_option`
   */
  prune(options: { readonly olderThan: number }): Promise<number>;
}

/** How many events a store looks at in one transaction while it deletes old ones, so that others need not wait long. */
export const PRUNE_PAGE = 1000;

/**
 * Runs `write` and records the event as handled, in one transaction: both happen or neither. Call it once per event.
 */
export type EventTransaction<Transaction> = <T>(write: (transaction: Transaction) => T | Promise<T>) => Promise<T>;

/** Options for claiming an event. */
export interface HandleOnceOptions {
  /**
   * After which time the claim of a crashed process expires, in milliseconds, from 50 to a day. Default 60,000. A
   * living process renews its claim as long as the work takes.
   */
  readonly leaseMs?: number;
}

/**
 * Runs `work` for an event that was not handled yet, and records the event as handled.
 *
 * Writes of `work` through `transaction` take effect exactly once, at whatever moment a process crashes: they are
 * committed together with the record. All other effects (mail, calls of other services) happen at least once: if the
 * process crashes after them and before the record, the event is delivered again. If `work` does not use `transaction`,
 * the record is written after it.
 *
 * If `work` throws before the record is written, the claim is released and the error is rethrown. If it throws
 * afterwards, the error is rethrown as well, but the event remains handled.
 *
 * @returns `done`, or `repeated` for an event that had been handled before; either only once that is durable.
 * @throws GazetteError `event_in_progress` while another handling holds the claim: try again
 *   (`details.retryAfterSeconds`); `invalid_option`; any error that `work` throws.
 *
 * @example
 * await handleOnce(event, store, (transaction) =>
 *   transaction((db) => db.prepare('INSERT INTO seen (record) VALUES (?)').run(event.id)));
 */
export async function handleOnce<Transaction>(
  event: { readonly id: string },
  store: IdempotencyStore<Transaction>,
  work: (transaction: EventTransaction<Transaction>) => unknown,
  options: HandleOnceOptions = {},
): Promise<'done' | 'repeated'> {
  const leaseMs = checkLease(options.leaseMs ?? LEASE_MS);
  const token = crypto.randomUUID();
  const outcome = await store.claim(event.id, token, leaseMs);
  if (outcome.state === 'handled') return 'repeated';
  if (outcome.state === 'in_progress') throw eventInProgress(event.id, outcome.leaseMs);

  let completed: Promise<unknown> | undefined;
  const transaction: EventTransaction<Transaction> = (write) => {
    if (completed !== undefined) throw new GazetteError('invalid_option', 'transaction() can be called once per event');
    const result = store.complete(event.id, token, write);
    // If `work` does not await the transaction, or ignores its failure, the error is thrown below.
    completed = result;
    completed.catch(() => undefined);
    return result;
  };
  const stop = new AbortController();
  const renewing = renewUntil(stop.signal, leaseMs / 3, () => store.renew(event.id, token, leaseMs));
  try {
    await work(transaction);
    await (completed ?? store.complete(event.id, token, () => undefined));
    return 'done';
  } catch (error) {
    await Promise.allSettled([completed]);
    // If even that fails, the claim is freed when its lease ends.
    await Promise.allSettled([store.release(event.id, token)]);
    throw error;
  } finally {
    stop.abort();
    // A renewal must not be running when the caller closes the store next.
    await renewing;
  }
}

/**
 * The error for a duplicate that arrives while the event is being handled.
 *
 * @param leaseMs how long the other claim is valid unless it is renewed
 */
export function eventInProgress(eventId: string, leaseMs: number): GazetteError {
  return new GazetteError('event_in_progress', `the event ${quote(eventId)} is being handled: try again`, {
    details: { retryAfterSeconds: Math.max(1, Math.ceil(leaseMs / 1000)) },
  });
}

/** The age as it was given. @throws GazetteError `invalid_option` */
export function checkAge({ olderThan }: { readonly olderThan: number }): number {
  const expected = 'a whole number of milliseconds, from 0 to a hundred years';
  return checkWhole('olderThan', olderThan, 0, LONGEST_AGE_MS, expected);
}

async function renewUntil(signal: AbortSignal, everyMs: number, renew: () => Promise<void>): Promise<void> {
  for (;;) {
    await Promise.allSettled([sleep(everyMs, undefined, { signal, ref: false })]);
    if (signal.aborted) return;
    // If a renewal fails, the next one makes up for it; complete() reports a lost claim.
    await Promise.allSettled([renew()]);
  }
}

function checkLease(leaseMs: number): number {
  const expected = `a whole number, ${SHORTEST_LEASE_MS}..${LONGEST_LEASE_MS}`;
  return checkWhole('leaseMs', leaseMs, SHORTEST_LEASE_MS, LONGEST_LEASE_MS, expected);
}
