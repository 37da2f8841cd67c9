// The information from a service's `/changes` that a copy needs: whether the register is still the same, and which
// records were withdrawn.
import { jsonOf, type Requester, where } from '../client/requester.ts';
import { isWhole } from '../checks.ts';
import { GazetteError } from '../errors.ts';
import { changeToken, type ChangeToken, readChangeToken, SINCE } from '../register/parameters.ts';
import type { Gaps } from './gaps.ts';

/** How many versions are requested at once when the reason of a gap is searched for. */
const CHANGES_LIMIT = 100;

/** The members of a version that are used. */
interface Change {
  readonly position: number;
  readonly cause: string;
}

/**
 * The name of a register's log. A register that was removed and created again has another one.
 *
 * @throws GazetteError `invalid_answer`, `request_refused`, `request_failed`, `aborted`.
 */
export async function logOf(feed: URL, requester: Requester): Promise<string> {
  return (await changesAfter(feed, '0', 1, requester)).next.log;
}

/**
 * Where the changes of a register end. Undefined: its service does not say it.
 *
 * @throws GazetteError `invalid_answer`, `request_refused`, `request_failed`, `aborted`.
 */
export async function lastChange(feed: URL, requester: Requester): Promise<number | undefined> {
  const { change } = (jsonOf(await requester.get(feed, 'application/json')) ?? {}) as { readonly change?: unknown };
  return isWhole(change, 0) ? change : undefined;
}

/**
 * Removes from the gaps the records that were withdrawn when the copy began, or at any time since: one that came back was
 * perhaps not there when its page was read.
 *
 * @param log the name of the register's log
 * @param begun the number of the register's last change when the copy began; absent: only what is still withdrawn counts
 * @returns how many positions
 * @throws GazetteError `invalid_answer`, `request_refused` (with the code `log_restarted` if the register has another log
 *   meanwhile), `request_failed`, `aborted`.
 */
export async function removeWithdrawn(
  feed: URL,
  { log, begun = Infinity }: { readonly log: string; readonly begun: number | undefined },
  gaps: Gaps,
  requester: Requester,
): Promise<number> {
  const lowest = gaps.ranges.at(-1)?.[1];
  if (lowest === undefined) return 0;
  const withdrawn = new Set<number>();
  // Each position was added by its own change, so later changes of this one have higher numbers.
  for (let since = lowest; ;) {
    // No page has changes of before that moment and of after it.
    const limit = since < begun ? Math.min(CHANGES_LIMIT, begun - since) : CHANGES_LIMIT;
    const { versions, next } = await changesAfter(feed, changeToken({ log, since }), limit, requester);
    for (const { cause, position } of versions) {
      if (cause === 'withdrawn' || cause === 'redacted') withdrawn.add(position);
      else if (since < begun) withdrawn.delete(position);
    }
    // A page that is not full is the end at that moment; a register that is being written to has no other end.
    if (versions.length < limit || next.since <= since) break;
    since = next.since;
  }
  let removed = 0;
  // From the lowest up: the gaps are in an array, and what is taken out of its end moves nothing.
  for (const position of [...withdrawn].sort((a, b) => a - b)) if (gaps.remove(position)) removed++;
  return removed;
}

async function changesAfter(
  feed: URL,
  since: string,
  limit: number,
  requester: Requester,
): Promise<{ readonly versions: readonly Change[]; readonly next: Required<ChangeToken> }> {
  const url = new URL(`${feed.href}/changes?since=${since}&limit=${limit}`);
  const body = jsonOf(await requester.get(url, 'application/json'));
  const { versions, next_since: next } = (body ?? {}) as { readonly versions?: unknown; readonly next_since?: unknown };
  if (Array.isArray(versions) && versions.every(isChange) && typeof next === 'string' && SINCE.pattern.test(next)) {
    const { since: last, log } = readChangeToken(next);
    if (log !== undefined) return { versions, next: { since: last, log } };
  }
  throw new GazetteError('invalid_answer', `${where(url)} must answer { versions, next_since }`);
}

function isChange(value: unknown): value is Change {
  const { position, cause } = (value ?? {}) as Partial<Record<keyof Change, unknown>>;
  return Number.isSafeInteger(position) && typeof cause === 'string';
}
