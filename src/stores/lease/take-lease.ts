// Decides whether a lease still keeps others out. Between processes of one host the mark of the holder's process alone
// says it; between hosts, the lease's time by the database's clock.
import { tmpdir } from 'node:os';
import { markState, removeMark } from '../../files/process-mark.ts';
import type { Lease, LeaseStore, NewLease } from '../contract/leases.ts';

/** The folder in which processes of this host mark that they work on a register of the store. */
export function marksOf({ marks }: Pick<LeaseStore, 'marks'>): string {
  return marks ?? tmpdir();
}

/**
 * Whether a lease still keeps others out.
 *
 * @param folder where marks are
 */
export function isHeld(
  { marks }: Pick<LeaseStore, 'marks'>,
  { token, isVoid }: Lease,
  folder: string = marksOf({ marks }),
): boolean {
  const state = markState(folder, token);
  if (state === 'running' || state === 'gone') return state === 'running';
  // All holders are on this host and have marks: one that is missing was removed, or is another user's.
  return marks === null ? !isVoid : state === 'unknown';
}

/**
 * Takes a register, if need be over a lease that is void.
 *
 * @param folder where marks are
 * @returns null when it was taken, otherwise the lease that keeps others out
 * @throws GazetteError `unknown_feed`
 */
export async function takeLease(
  leases: LeaseStore,
  feedId: string,
  lease: NewLease,
  folder: string = marksOf(leases),
): Promise<Lease | null> {
  let held = await leases.take(feedId, lease);
  while (held !== null) {
    if (isHeld(leases, held, folder)) return held;
    const over = held;
    held = await leases.take(feedId, lease, { over });
    if (held === null) removeMark(folder, over.token);
  }
  return null;
}
