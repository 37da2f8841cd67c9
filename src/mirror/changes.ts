// The information from a service's `/changes` that a copy needs: whether the register is still the same, and which
// records were withdrawn.
import { jsonOf, type Requester, where } from '../client/requester.ts';
import { GazetteError, isGazetteError } from '../errors.ts';
import type { Gaps } from './gaps.ts';

/** How many versions are requested at once when the reason of a gap is searched for. */
const CHANGES_LIMIT = 100;

/** The members of a version that are used. */
interface Change {
  readonly record_id: string;
  readonly position: number;
  readonly cause: string;
  readonly recorded_at: string;
}

/**
 * Identifies a register, as opposed to one that was removed and created again with the same id, by the change number
 * `asOf`. That change exists, because each position was added by its own change.
 *
 * @throws GazetteError `invalid_answer`, `request_refused`, `request_failed`, `aborted`.
 */
export async function originOf(feed: URL, asOf: number, requester: Requester): Promise<string> {
  if (asOf === 0) return '';
  try {
    const [version] = (await changesAfter(feed, asOf - 1, 1, requester)).versions;
    return version === undefined ? '' : `${version.record_id} ${version.recorded_at}`;
  } catch (error) {
    // A register with fewer changes is a different one.
    if (isGazetteError(error, 'request_refused') && error.details.code === 'invalid_parameter') return '';
    throw error;
  }
}

/**
 * Removes withdrawn records from the gaps: the last change of a position counts.
 *
 * @returns how many positions
 * @throws GazetteError `invalid_answer`, `request_refused`, `request_failed`, `aborted`.
 */
export async function removeWithdrawn(feed: URL, gaps: Gaps, requester: Requester): Promise<number> {
  const lowest = gaps.ranges.at(-1)?.[1];
  if (lowest === undefined) return 0;
  const withdrawn = new Set<number>();
  // Each position was added by its own change, so later changes of this one have higher numbers.
  for (let since = lowest; ;) {
    const { versions, next } = await changesAfter(feed, since, CHANGES_LIMIT, requester);
    for (const { cause, position } of versions) {
      if (cause === 'withdrawn' || cause === 'redacted') withdrawn.add(position);
      else withdrawn.delete(position);
    }
    // A page that is not full is the end at that moment; a register that is being written to has no other end.
    if (versions.length < CHANGES_LIMIT || next <= since) break;
    since = next;
  }
  let removed = 0;
  for (const position of withdrawn) if (gaps.remove(position)) removed++;
  return removed;
}

async function changesAfter(
  feed: URL,
  since: number,
  limit: number,
  requester: Requester,
): Promise<{ readonly versions: readonly Change[]; readonly next: number }> {
  const url = new URL(`${feed.href}/changes?since=${since}&limit=${limit}`);
  const body = jsonOf(await requester.get(url, 'application/json'));
  const { versions, next_since: next } = (body ?? {}) as { readonly versions?: unknown; readonly next_since?: unknown };
  if (Array.isArray(versions) && versions.every(isChange) && Number.isSafeInteger(next)) {
    return { versions, next: next as number };
  }
  throw new GazetteError('invalid_answer', `${where(url)} must answer { versions, next_since }`);
}

function isChange(value: unknown): value is Change {
  const { record_id: id, position, cause, recorded_at: at } = (value ?? {}) as Partial<Record<keyof Change, unknown>>;
  return (
    typeof id === 'string' && Number.isSafeInteger(position) && typeof cause === 'string' && typeof at === 'string'
  );
}
