// What a copy needs to know of a register's changes: whether its history is still the same, and which records were withdrawn.
import { jsonOf, type Requester, where } from '../client/requester.ts';
import { GazetteError, isGazetteError } from '../errors.ts';
import {
  changeToken,
  type ChangeToken,
  readChangeToken,
  readStreamOffset,
  SINCE,
  STREAM_OFFSET,
} from '../register/parameters.ts';
import type { Gaps } from './gaps.ts';

/** How many versions are requested at once when the reason of a gap is searched for. */
const CHANGES_LIMIT = 100;

/** The members of a version that are used. */
interface Change {
  readonly position: number;
  readonly cause: string;
  readonly version: unknown;
  readonly recorded_at: unknown;
}

/**
 * The name of a register's log. A register that was removed and created again has another one.
 *
 * @throws GazetteError `invalid_answer`, `request_refused`, `request_failed`, `aborted`.
 */
export async function logOf(feed: URL, requester: Requester): Promise<string> {
  return (await changesAfter(feed, '0', 1, requester)).next.log;
}

/** The history that a register had when a copy of it was begun. */
export interface Origin {
  /** The name of its log. A register that was removed and created again has another one. */
  readonly log: string;
  /** The number of its last change. */
  readonly change: number;
  /**
   * What nothing changes of the version with this number, not even an erasure. A register that was restored from a backup has
   * another one. Null: there was none.
   */
  readonly version: string | null;
}

/**
 * The history of a register as it is now.
 *
 * @throws GazetteError `invalid_answer`, `request_refused`, `request_failed`, `aborted`.
 */
export async function originOf(feed: URL, requester: Requester): Promise<Origin> {
  const url = new URL(`${feed.href}/stream?offset=now`);
  const offset = (await requester.get(url, 'application/json')).headers.get('stream-next-offset') ?? '';
  const { log, since: change } = readStreamOffset(offset);
  if (!STREAM_OFFSET.pattern!.test(offset) || Number.isNaN(change))
    throw new GazetteError('invalid_answer', `${where(url)} must answer Stream-Next-Offset`);
  if (change === 0) return { log, change, version: null };
  const version = await versionOf(feed, { log, change }, requester);
  if (version !== null) return { log, change, version };
  throw new GazetteError('invalid_answer', `${where(feed)} must answer change ${change}, which it has`);
}

/**
 * Whether a register has this history still, or what came of it.
 *
 * @throws GazetteError `invalid_answer`, `request_refused`, `request_failed`, `aborted`.
 */
export async function hasHistory(feed: URL, origin: Origin, requester: Requester): Promise<boolean> {
  try {
    const version = await versionOf(feed, origin, requester);
    return origin.version === null || version === origin.version;
  } catch (error) {
    if (isGazetteError(error, 'request_refused') && OTHER.has(error.details.code)) return false;
    throw error;
  }
}

/** The refusals of a number of another log, and of one that no change of the register has reached. */
const OTHER: ReadonlySet<unknown> = new Set(['log_restarted', 'invalid_parameter']);

/** What nothing changes of the version with a number; null: there is none. */
async function versionOf(
  feed: URL,
  { log, change }: Pick<Origin, 'log' | 'change'>,
  requester: Requester,
): Promise<string | null> {
  const since = changeToken({ log, since: Math.max(change - 1, 0) });
  const [first] = (await changesAfter(feed, since, 1, requester)).versions;
  if (first === undefined) return null;
  const { position, version, cause, recorded_at } = first;
  return JSON.stringify([position, version, cause, recorded_at]);
}

/**
 * Removes from the gaps the records that were withdrawn when the copy began, or at any time since: one that came back was
 * perhaps not there when its page was read.
 *
 * @returns how many positions
 * @throws GazetteError `invalid_answer`, `request_refused` (with the code `log_restarted` if the register has another log
 *   meanwhile), `request_failed`, `aborted`.
 */
export async function removeWithdrawn(
  feed: URL,
  { log, change: begun }: Origin,
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
  const body = jsonOf(await requester.get(url, 'application/json'), 'request_failed');
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
