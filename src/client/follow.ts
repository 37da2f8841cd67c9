// Follows a register as it changes: the versions that there are, and then each as it comes, read from its stream
// (https://github.com/durable-streams/durable-streams).
import { isObject } from '../checks.ts';
import { GazetteError } from '../errors.ts';
import type { Filter } from '../register/finding/filter.ts';
import { CURSOR, LIVE, STREAM_OFFSET } from '../register/parameters.ts';
import type { StreamMessage } from '../register/record.ts';
import { addQuery, addressOf } from './address.ts';
import type { ClientOptions } from './client-options.ts';
import { jsonOf, Requester, where, type ReceivedResponse } from './requester.ts';

const OFFSET = STREAM_OFFSET.pattern!;

/** Options of {@link follow}. `timeoutMs` must be longer than the 25 seconds for which the service waits. */
export interface FollowOptions extends Omit<ClientOptions, 'cache'> {
  /** Where to begin: what {@link FollowOptions.onOffset} gave, `-1` at the beginning, `now` with what comes. Default: the value in the URL, else `-1`. */
  readonly offset?: string;
  /** Only versions of records that match before or after them. Default: what the URL itself selects. */
  readonly filter?: Filter;
  /** Called with the place to go on from, once all versions before it were taken. Keep the last one, and begin there the next time. */
  readonly onOffset?: (offset: string) => void;
}

/**
 * The versions of a register, oldest first, and then each as it comes, without end: until the loop is left or `signal` fires. Broken
 * connections and restarts of the service lose none and repeat none.
 *
 * @param url URL of the stream: `https://example.org/api/v1/feeds/permits/stream`
 * @throws GazetteError `invalid_option`, `invalid_answer`, `body_too_large`, `request_refused` (with the code `log_restarted` if the register
 *   was made again: remove the copy and begin with `-1`; 401 once the key has ended), `request_failed`, `aborted`.
 * @example
 * for await (const { record_id, record, matches } of follow(url, { key, offset, onOffset: (next) => (offset = next) })) {
 *   if (record === null || matches === false) copy.delete(record_id);
 *   else copy.set(record_id, record);
 * }
 */
export async function* follow(
  url: string | URL,
  options: FollowOptions = {},
): AsyncGenerator<StreamMessage, void, undefined> {
  const address = addressOf(url);
  const requester = new Requester(address, options);
  addQuery(address, options);
  const offset = options.offset ?? address.searchParams.get('offset') ?? '-1';
  if (!OFFSET.test(offset)) {
    throw new GazetteError('invalid_option', 'offset must be what onOffset was given, -1 or now', {
      details: { option: 'offset' },
    });
  }
  address.searchParams.set('offset', offset);
  for (const name of [LIVE.name, CURSOR.name]) address.searchParams.delete(name);
  for (;;) {
    const answer = await requester.get(address, 'application/json');
    const next = answer.headers.get('stream-next-offset');
    const versions = answer.body.length === 0 ? [] : versionsIn(answer);
    const isEnd = answer.headers.has('stream-up-to-date');
    const isSame = next === address.searchParams.get('offset');
    if (next === null || !OFFSET.test(next) || (isSame && (versions.length > 0 || !isEnd))) {
      throw new GazetteError('invalid_answer', `${where(address)} must say where its next versions are`);
    }
    yield* versions;
    if (!isSame) options.onOffset?.(next);
    address.searchParams.set('offset', next);
    if (!isEnd) continue;
    address.searchParams.set(LIVE.name, 'long-poll');
    const cursor = answer.headers.get('stream-cursor');
    if (cursor !== null) address.searchParams.set(CURSOR.name, cursor);
  }
}

function versionsIn(answer: ReceivedResponse): readonly StreamMessage[] {
  const body = jsonOf(answer);
  if (Array.isArray(body) && body.every(isVersion)) return body;
  throw new GazetteError('invalid_answer', `${where(answer.url)} must answer a list of versions`);
}

function isVersion(value: unknown): value is StreamMessage {
  return isObject(value) && typeof value.record_id === 'string' && Number.isSafeInteger(value.change);
}
