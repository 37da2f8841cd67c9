// Reads what has changed in a register, oldest first, in a loop over `/changes` (specification 4.3).
import { GazetteError } from '../errors.ts';
import { isObject } from '../checks.ts';
import type { Filter } from '../register/finding/filter.ts';
import { readChangeToken, SINCE } from '../register/parameters.ts';
import type { RecordVersion } from '../register/record.ts';
import { linkTarget } from '../web/link-header.ts';
import { addQuery, addressOf } from './address.ts';
import type { ClientOptions } from './client-options.ts';
import { jsonOf, type ReceivedResponse, Requester, where } from './requester.ts';

/** Options of {@link changes}. */
export interface ChangesOptions extends ClientOptions {
  /** Where to begin: what {@link ChangesOptions.onNextSince} gave, or `0`. Default: the value in the URL, else `0`. */
  readonly since?: string;
  /** Only versions of records that match before or after them. Default: what the URL itself selects. */
  readonly filter?: Filter;
  /** Versions per request, 1 to 100. Default: the value in the URL, else the service's. */
  readonly limit?: number;
  /** Whether each version carries its statement. Default: the URL decides. */
  readonly withStatement?: boolean;
  /**
   * Called with the place to go on from, once all versions before it were taken: after each page, also after one without
   * versions. Keep the last one, and begin there the next time.
   */
  readonly onNextSince?: (since: string) => void;
}

/**
 * The versions that were recorded after `since`, oldest first, withdrawals included, up to the present end. With a filter,
 * `matches: false` says that the record no longer matches: a copy of what matches removes it.
 *
 * @param url URL of the changes: `https://example.org/api/v1/feeds/permits/changes`
 * @throws GazetteError `invalid_option`, `invalid_answer`, `body_too_large`, `request_refused` (with the code `log_restarted` if the register
 *   was made again: remove the copy and begin with `0`), `request_failed`, `aborted`.
 * @example
 * const filter = { document_type: 'adopted' };
 * for await (const { record_id, cause, matches } of changes(url, { key, since, filter, onNextSince: (next) => (since = next) })) {
 *   if (cause === 'withdrawn' || cause === 'redacted' || matches === false) copy.delete(record_id);
 *   else copy.add(record_id);
 * }
 */
export async function* changes(
  url: string | URL,
  options: ChangesOptions = {},
): AsyncGenerator<RecordVersion, void, undefined> {
  const address = addressOf(url);
  const requester = new Requester(address, options);
  addQuery(address, options);
  if (options.since !== undefined) address.searchParams.set('since', checkSince(options.since));
  if (options.withStatement === true) address.searchParams.set('statement', '1');
  for (;;) {
    const answer = await requester.getPage(address, 'application/json');
    const { versions, nextSince } = changesPage(answer);
    const isEnd = linkTarget(answer.headers.get('link'), 'next') === null;
    if (!isEnd && !isAfter(nextSince, address.searchParams.get('since') ?? '0')) {
      throw new GazetteError('invalid_answer', `${where(address)} must lead on where it has a next page`);
    }
    yield* versions;
    options.onNextSince?.(nextSince);
    if (isEnd) return;
    address.searchParams.set('since', nextSince);
  }
}

function checkSince(since: string): string {
  if (SINCE.pattern.test(since)) return since;
  throw new GazetteError('invalid_option', 'since must be what onNextSince was given, such as 9f8e7d6c.41, or 0', {
    details: { option: 'since' },
  });
}

/** Whether a place is a later one of the same log. */
function isAfter(next: string, since: string): boolean {
  const [there, here] = [readChangeToken(next), readChangeToken(since)];
  return there.since > here.since && (here.log === undefined || there.log === here.log);
}

function changesPage(answer: ReceivedResponse): {
  readonly versions: readonly RecordVersion[];
  readonly nextSince: string;
} {
  const body = jsonOf(answer);
  const { versions, next_since: nextSince } = isObject(body) ? body : {};
  if (
    Array.isArray(versions) &&
    versions.every(isVersion) &&
    typeof nextSince === 'string' &&
    SINCE.pattern.test(nextSince)
  ) {
    return { versions, nextSince };
  }
  throw new GazetteError('invalid_answer', `${where(answer.url)} must answer { versions, next_since }`);
}

function isVersion(value: unknown): value is RecordVersion {
  return isObject(value) && typeof value.record_id === 'string' && Number.isSafeInteger(value.version);
}
