// Handling an event once although it is delivered at least once (specification 6, "Delivery behaviour" 1 and 2): a claim
// that one handling at a time holds, a lease that frees it after a crash, and a record written with the work or after it.
import { setTimeout as sleep } from 'node:timers/promises';
import { GazetteError, quote } from '../../errors.ts';

/** How long a claim outlives its holder, in milliseconds, unless told: longer than any pause of a living process. */
const LEASE_MS = 60_000;

/** Below it renewing would be most of the work; beyond it a crash would outlast a sender's attempts. */
const SHORTEST_LEASE_MS = 50;
const LONGEST_LEASE_MS = 24 * 60 * 60 * 1000;

/** What came of claiming an event. */
export type ClaimOutcome =
  | { readonly state: 'claimed' }
  | { readonly state: 'handled' }
  /** Another handling holds it, for so many milliseconds more unless it renews. */
  | { readonly state: 'in_progress'; readonly leaseMs: number };

/**
 * Remembers which events were handled. `Transaction` is what a write in the store's own database is given.
 *
 * Times are the store's own, so that receivers whose clocks differ agree.
 */
export interface IdempotencyStore<Transaction> {
  /** Claims an event for `token` unless it was handled or another's claim is alive. */
  claim(eventId: string, token: string, leaseMs: number): Promise<ClaimOutcome>;
  /** Makes the claim last `leaseMs` from now, if it is still held by `token`. */
  renew(eventId: string, token: string, leaseMs: number): Promise<void>;
  /**
   * Does `write` and records the event as handled, in one transaction; durable when it resolves.
   *
   * @throws GazetteError `event_in_progress`, with nothing written, when the claim has gone to another.
   */
  complete<T>(eventId: string, token: string, write: (transaction: Transaction) => T | Promise<T>): Promise<T>;
  /** Gives a claim back, if it is still held by `token` and the event was not handled. */
  release(eventId: string, token: string): Promise<void>;
}

/** Does `write` and records the event as handled, in one transaction: both happen or neither. Once per event. */
export type EventTransaction<Transaction> = <T>(write: (transaction: Transaction) => T | Promise<T>) => Promise<T>;

/** How an event is claimed. */
export interface HandleOnceOptions {
  /**
   * How long a claim outlives a process that crashed, in milliseconds, from 50 to a day. Default 60,000. A living process renews
   * its claim for as long as the work takes.
   */
  readonly leaseMs?: number;
}

/**
 * Does `work` for an event that was not handled yet, and records that it was.
 *
 * What `work` writes through `transaction` takes effect exactly once, whatever crashes when: it is committed together
 * with the record. Whatever else it does (mail, calls of other services) happens at least once: a crash after it and
 * before the record lets the event come again. When `work` does not use `transaction`, the record follows it.
 *
 * When `work` throws before the record is written, the claim is given back and the error goes on; what it throws
 * afterwards goes on as well, but the event stays handled.
 *
 * @returns `done`, or `repeated` for an event that had been handled before; either only once that is durable.
 * @throws GazetteError `event_in_progress` while another handling holds the claim: try again
 *   (`details.retryAfterSeconds`); `invalid_option`; whatever `work` throws.
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
    // Work that does not wait for it, or takes its failure for success, is told below.
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
    // When even that fails, the lease frees the claim.
    await Promise.allSettled([store.release(event.id, token)]);
    throw error;
  } finally {
    stop.abort();
    // Whoever closes the store next closes it under nobody.
    await renewing;
  }
}

/**
 * The answer to a duplicate that comes while the event is handled.
 *
 * @param leaseMs how long the other's claim lasts unless it is renewed
 */
export function eventInProgress(eventId: string, leaseMs: number): GazetteError {
  return new GazetteError('event_in_progress', `the event ${quote(eventId)} is being handled: try again`, {
    details: { retryAfterSeconds: Math.max(1, Math.ceil(leaseMs / 1000)) },
  });
}

async function renewUntil(signal: AbortSignal, everyMs: number, renew: () => Promise<void>): Promise<void> {
  for (;;) {
    await Promise.allSettled([sleep(everyMs, undefined, { signal, ref: false })]);
    if (signal.aborted) return;
    // One that fails is made up for by the next, and a claim that was lost is told by complete().
    await Promise.allSettled([renew()]);
  }
}

function checkLease(leaseMs: number): number {
  if (Number.isSafeInteger(leaseMs) && leaseMs >= SHORTEST_LEASE_MS && leaseMs <= LONGEST_LEASE_MS) return leaseMs;
  throw new GazetteError(
    'invalid_option',
    `leaseMs must be a whole number, ${SHORTEST_LEASE_MS}..${LONGEST_LEASE_MS}, got ${quote(leaseMs)}`,
    { details: { option: 'leaseMs' } },
  );
}
