// A register as files, a page at a time, along `Link: rel="next"` until there is none (specification 4.2.2).
import { GazetteError, quote } from '../errors.ts';
import type { Filter } from '../register/page.ts';
import { linkTarget } from './link-header.ts';
import { addressOf } from './records.ts';
import { type ClientOptions, Requester, where } from './requester.ts';

/** What {@link exportPages} takes. */
export interface ExportPagesOptions extends ClientOptions {
  readonly filter?: Filter;
  /** Records in a page, 1 to 100. Default: the service's own, 100. */
  readonly limit?: number;
}

/** One page as the service sent it. */
export interface FetchedPage {
  readonly url: URL;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Where the next page is; null on the last. */
  readonly nextUrl: URL | null;
}

/**
 * The pages of an export, newest first.
 *
 * @param url of the export: `https://example.org/api/v1/feeds/permits/records/export.csv`, or of any later page
 * @throws GazetteError `invalid_option`, `foreign_address` where a page leads to another origin, `invalid_answer` where
 *   it leads back to itself, and what {@link Requester.get} throws.
 * @example for await (const { body } of exportPages(url, { key })) await file.write(body);
 */
export async function* exportPages(
  url: string | URL,
  options: ExportPagesOptions = {},
): AsyncGenerator<FetchedPage, void, undefined> {
  let address: URL | null = addressOf(url);
  const requester = new Requester(address, options);
  if (options.limit !== undefined) address.searchParams.set('limit', String(options.limit));
  if (options.filter?.documentType !== undefined)
    address.searchParams.set('document_type', options.filter.documentType);
  if (options.filter?.facilityId !== undefined) address.searchParams.set('facility_id', options.filter.facilityId);
  const asked = new Set<string>();
  while (address !== null) {
    asked.add(address.href);
    const { headers, body } = await requester.get(address, '*/*');
    const target = linkTarget(headers.get('link'), 'next');
    // RFC 8288 3.1: relative to the page.
    const nextUrl: URL | null = target === null ? null : URL.parse(target, address.href);
    if (target !== null && (nextUrl === null || asked.has(nextUrl.href))) {
      throw new GazetteError('invalid_answer', `${where(address)} leads to ${quote(target)}, which leads nowhere new`);
    }
    yield { url: address, headers, body, nextUrl };
    address = nextUrl;
  }
}
