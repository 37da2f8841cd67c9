// Reads the list of a service's registers, page by page.
import { isObject } from '../checks.ts';
import { GazetteError } from '../errors.ts';
import { PAGE_SIZE } from '../register/page.ts';
import type { RegisterDefinition } from '../register/record.ts';
import { addQuery, addressOf, numberIn } from './address.ts';
import type { ClientOptions } from './client-options.ts';
import { MAX_REPEATED, repeats } from './repeats.ts';
import { jsonOf, Requester, where } from './requester.ts';

/** Options of {@link feeds}. */
export interface FeedsOptions extends ClientOptions {
  /** Registers per page, 1 to 100, of which 1 asks for 2. Default: the value in the URL, else 100. */
  readonly limit?: number;
  /** Only registers that changed since: an RFC 3339 date or date-time. Default: what the URL says. */
  readonly updatedSince?: string;
}

/** A register as a service lists it. */
export interface ListedFeed {
  /** Its id. */
  readonly feed_id: string;
  /** Its title. */
  readonly title: string;
  /** What it is about. */
  readonly description: string;
  /** How many records it has now. */
  readonly total: number;
  /** The number of its latest change. */
  readonly change: number;
  /** When its records or its definition last changed, RFC 3339; null if they never did. */
  readonly last_change: string | null;
  /** Its definition. */
  readonly definition: RegisterDefinition;
  /** Its addresses: `self`, `records`, `facets`, `changes`, `schema`, and `exports` by format. */
  readonly links: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

/**
 * The registers of a service, by id, each once.
 *
 * @param url URL of the list: `https://example.org/api/v1/feeds`
 * @throws GazetteError `invalid_option`, `invalid_answer`, `body_too_large`, `request_refused`, `request_failed`, `aborted`.
 * @example for await (const { feed_id, total } of feeds('https://example.org/api/v1/feeds')) console.log(feed_id, total);
 */
export async function* feeds(
  url: string | URL,
  options: FeedsOptions = {},
): AsyncGenerator<ListedFeed, void, undefined> {
  const list = addressOf(url);
  const requester = new Requester(list, options);
  // A page has room for one that was read and one that was not.
  addQuery(list, { limit: Math.max(options.limit ?? numberIn(list, 'limit', PAGE_SIZE), 2) });
  if (options.updatedSince !== undefined) list.searchParams.set('updated_since', options.updatedSince);
  const first = numberIn(list, 'offset', 0);
  // A register that is created or removed meanwhile shifts the others. Each page therefore begins with one that was read: where
  // it does not, one before it was removed, and the list is read again.
  let [last, compared] = ['', first];
  let [end, repeated] = ['', 0];
  for (;;) {
    const page = feedsPage(jsonOf(await requester.getPage(list, 'application/json')), list);
    const offset = numberIn(list, 'offset', 0);
    const begin = page.feeds[0]?.feed_id;
    if (offset > compared && (begin === undefined || begin > last)) {
      compared = offset;
      list.searchParams.set('offset', String(first));
      [end, repeated] = ['', 0];
      continue;
    }
    const lastOfPage = page.feeds.at(-1)?.feed_id ?? end;
    repeated = lastOfPage > end ? 0 : repeated + 1;
    if (repeated === MAX_REPEATED && page.nextOffset !== null) throw repeats(list);
    end = lastOfPage;
    for (const feed of page.feeds) {
      if (feed.feed_id <= last) continue;
      last = feed.feed_id;
      yield feed;
    }
    if (page.nextOffset === null) return;
    // A page of one register, which a service may answer all the same, has no room for that.
    const next = page.nextOffset - 1 > offset ? page.nextOffset - 1 : (compared = page.nextOffset);
    list.searchParams.set('offset', String(next));
  }
}

function feedsPage(
  body: unknown,
  asked: URL,
): { readonly feeds: readonly ListedFeed[]; readonly nextOffset: number | null } {
  const offset = numberIn(asked, 'offset', 0);
  const { feeds, next_offset: next } = isObject(body) ? body : {};
  // A `next_offset` that does not increase would be requested endlessly.
  const leadsOn = next === null || (Number.isSafeInteger(next) && (next as number) > offset);
  if (!Array.isArray(feeds) || !feeds.every(isFeed) || !leadsOn) {
    const message = `${where(asked)} must answer { feeds, next_offset }, next_offset null or beyond ${offset}`;
    throw new GazetteError('invalid_answer', message);
  }
  return { feeds, nextOffset: next as number | null };
}

function isFeed(value: unknown): value is ListedFeed {
  return isObject(value) && typeof value.feed_id === 'string';
}
