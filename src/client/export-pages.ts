// Downloads a register as files, page by page, following `Link: rel="next"` to the last page (specification 4.2.2).
import { GazetteError, quote } from '../errors.ts';
import { addQuery, addressOf, type PageOptions } from './address.ts';
import type { ClientOptions } from './client-options.ts';
import { linkTarget } from '../web/link-header.ts';
import { Remembered, repeats } from './repeats.ts';
import { type ReceivedResponse, Requester, where } from './requester.ts';

/** One page as the service sent it. */
export interface FetchedPage {
  /** The page's URL. */
  readonly url: URL;
  /** The answer's header fields. */
  readonly headers: Headers;
  /** The page as a complete file. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The URL of the next page; null on the last one. */
  readonly nextUrl: URL | null;
}

/**
 * The pages of an export, newest first.
 *
 * @param url URL of the export: `https://example.org/api/v1/feeds/permits/records/export.csv`, or of any later page
 * @throws GazetteError `invalid_option`, `foreign_address` if a page links to another origin, `invalid_answer` if it
 *   links back to an earlier page, repeats one or is a page of HTML, `body_too_large`, `request_refused`, `request_failed`, `aborted`.
 * @example
 * let page = 0;
 * // Each page is a complete file with its own header.
 * for await (const { body } of exportPages(url, { key })) await writeFile(`permits-${++page}.csv`, body);
 */
export async function* exportPages(
  url: string | URL,
  options: ClientOptions & PageOptions = {},
): AsyncGenerator<FetchedPage, void, undefined> {
  let address: URL | null = addressOf(url);
  const requester = new Requester(address, options);
  addQuery(address, options);
  const asked = new Remembered();
  let before: ReceivedResponse | undefined;
  while (address !== null) {
    asked.add(address.href);
    const answer = await requester.getPage(address, '*/*');
    const { headers, body } = answer;
    checkIsFile(answer);
    asked.add(address.href);
    const target = linkTarget(headers.get('link'), 'next');
    // RFC 8288 3.1: relative to the page.
    const nextUrl: URL | null = target === null ? null : URL.parse(target, address.href);
    // A different fragment does not make a different page.
    if (nextUrl !== null) nextUrl.hash = '';
    if (target !== null && (nextUrl === null || asked.has(nextUrl.href))) {
      throw new GazetteError(
        'invalid_answer',
        `${where(address)} leads to ${quote(target)}, which is not a further page`,
      );
    }
    if (nextUrl !== null && before !== undefined && isSame(answer, before)) throw repeats(address);
    yield { url: address, headers, body, nextUrl };
    before = answer;
    address = nextUrl;
  }
}

/**
 * What stands before a service may answer 200 with a page of its own: to sign in, or that the service is away.
 *
 * @throws GazetteError `invalid_answer` for HTML where no file of HTML was asked for
 */
export function checkIsFile({ url, headers }: Pick<ReceivedResponse, 'url' | 'headers'>): void {
  if (!/^text\/html\b/i.test(headers.get('content-type') ?? '') || /\.html$/i.test(url.pathname)) return;
  throw new GazetteError(
    'invalid_answer',
    `${where(url)} answered a page of HTML, not the file: see in a browser what stands before the service`,
  );
}

/**
 * Whether a page is the one before: its bytes and its entity tag are the same. Pages on which nothing was found are alike, too:
 * services tell them by their tags, and without tags they are a line with the names of columns, or nothing.
 */
function isSame({ headers, body }: ReceivedResponse, before: ReceivedResponse): boolean {
  const etag = headers.get('etag');
  if (etag !== before.headers.get('etag') || body.length !== before.body.length) return false;
  return (
    (etag !== null || body.indexOf(LF) !== body.lastIndexOf(LF)) && body.every((byte, at) => byte === before.body[at])
  );
}

const LF = 0x0a;
