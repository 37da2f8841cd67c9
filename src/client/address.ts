// The URL at which a walk begins: the given one, with the query parameters from the options.
import { type Filter, filterEntries } from '../register/finding/filter.ts';
import { checkWhole } from '../checks.ts';
import { GazetteError, quote } from '../errors.ts';
import { PAGE_SIZE } from '../register/page.ts';

/** Options of a walk through pages besides its URL. */
export interface PageOptions {
  /** Which records. Default: those that the URL itself selects. */
  readonly filter?: Filter;
  /** Which members or columns, in this order: `['title', 'data.country']`; `id` always comes. Default: what the URL says. */
  readonly fields?: readonly string[];
  /** Records per page, 1 to 100. Default: the value in the URL, else 100. */
  readonly limit?: number;
}

/**
 * Checks a URL. Its query is sent with each request.
 *
 * @throws GazetteError `invalid_option` unless it is an http(s) URL without credentials and without a fragment
 */
export function addressOf(url: string | URL): URL {
  const address = URL.parse(String(url));
  if (address === null || !isHttp(address)) {
    // The text before an `@` may be a password.
    throw invalid(`the address must be an http(s) URL, got ${quote(String(url).replace(/^.*@/s, '…@'))}`);
  }
  if (address.username !== '' || address.password !== '') {
    throw invalid('the address must hold no credentials: give the key by itself');
  }
  if (address.hash !== '') throw invalid('the address must have no fragment (#…): a service is never told of it');
  return address;
}

/** Whether a URL can be requested by HTTP. */
export function isHttp({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/**
 * Adds the options to a URL's query; parameters without an option stay unchanged.
 *
 * @throws GazetteError `invalid_option`
 */
export function addQuery(address: URL, { filter, fields, limit }: PageOptions): void {
  if (limit !== undefined) {
    address.searchParams.set('limit', String(checkWhole('limit', limit, 1, PAGE_SIZE)));
  }
  if (fields !== undefined) address.searchParams.set('fields', fields.join(','));
  for (const name of Object.keys(filter ?? {})) address.searchParams.delete(name);
  for (const [name, value] of filterEntries(filter)) address.searchParams.append(name, value);
}

/**
 * Reads a number from the URL's query.
 *
 * @param fallback the value if it is missing
 * @throws GazetteError `invalid_option`
 */
export function numberIn(address: URL, name: string, fallback: number): number {
  const text = address.searchParams.get(name) ?? String(fallback);
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalid(`${name} in the address must be a whole number, got ${quote(text)}`);
}

function invalid(message: string): GazetteError {
  return new GazetteError('invalid_option', message);
}
