// The URLs in a page: its own, the first and the next. They keep the path, the format, the filters and the limit. They
// never contain a key, because they are built from the page's query, not from the request's parameters.
import { GazetteError, quote } from '../errors.ts';
import { type Page, PAGE_SIZE, type PageQuery } from '../register/page.ts';
import { pageParameters } from '../register/query.ts';

/** The URL of the page after this one, in the same view; null if this is the last page. */
export function nextUrl(url: URL, query: PageQuery, page: Page): URL | null {
  if (page.nextOffset === null) return null;
  return withQuery(url, {
    offset: page.nextOffset,
    limit: query.limit,
    ...(page.asOf === null ? {} : { asOf: page.asOf }),
    ...(query.filter === undefined ? {} : { filter: query.filter }),
    ...(query.fields === undefined ? {} : { fields: query.fields }),
  });
}

/** The URL of the newest page: the filters, and the limit if it is not the default, without offset and view. */
export function firstUrl(url: URL, query: PageQuery): URL {
  const first = withQuery(url, { ...query, offset: 0 });
  first.searchParams.delete('offset');
  first.searchParams.delete('as_of');
  if (query.limit === PAGE_SIZE) first.searchParams.delete('limit');
  return first;
}

/** The URL by which a page refers to itself: the newest page without paging parameters, others with theirs. */
export function selfUrl(url: URL, query: PageQuery): URL {
  if (query.offset > 0 || query.asOf !== undefined) return withQuery(url, query);
  const self = firstUrl(url, query);
  self.searchParams.delete('limit');
  return self;
}

/** The value of a `Link` header (RFC 8288 3). The text of a URL contains no `>` and no control character. */
export function linkHeader(url: URL, rel: string): string {
  return `<${url.href}>; rel="${rel}"`;
}

/**
 * Checks the public URL that precedes the paths, and removes a slash at its end.
 *
 * @throws GazetteError `invalid_option` unless it is an absolute http(s) URL without query.
 */
export function checkBaseUrl(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || /[?#]/.test(baseUrl)) {
    throw new GazetteError(
      'invalid_option',
      `baseUrl must be an absolute http(s) URL without query, got ${quote(baseUrl)}`,
    );
  }
  return url.href.replace(/\/+$/, '');
}

function withQuery(url: URL, query: PageQuery): URL {
  const result = new URL(url);
  result.hash = '';
  result.search = pageParameters(query).toString();
  return result;
}
