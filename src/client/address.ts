// Where a walk begins: the address as it was given, and what the options add to its query.
import { GazetteError, quote } from '../errors.ts';
import { type Filter, PAGE_SIZE } from '../register/page.ts';

/** What a walk through pages may ask for besides its address. */
export interface PageOptions {
  /** Which records. Default: those that the address itself asks for. */
  readonly filter?: Filter;
  /** Records in a page, 1 to 100. Default: what the address itself asks for, else 100. */
  readonly limit?: number;
}

/**
 * An address that can be asked. Its query goes along with each request.
 *
 * @throws GazetteError `invalid_option` unless it is an http(s) URL without credentials and without a fragment
 */
export function addressOf(url: string | URL): URL {
  const address = URL.parse(String(url));
  if (address === null || !isHttp(address)) {
    // What stands before an `@` may be a password.
    throw invalid(`the address must be an http(s) URL, got ${quote(String(url).replace(/^.*@/s, '…@'))}`);
  }
  if (address.username !== '' || address.password !== '') {
    throw invalid('the address must hold no credentials: give the key by itself');
  }
  if (address.hash !== '') throw invalid('the address must have no fragment (#…): a service is never told of it');
  return address;
}

/** Whether an address can be asked by HTTP at all. */
export function isHttp({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/**
 * Adds to an address what the options ask for; what they do not name stays as the address has it.
 *
 * @throws GazetteError `invalid_option`
 */
export function addQuery(address: URL, { filter, limit }: PageOptions): void {
  if (limit !== undefined) {
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > PAGE_SIZE) {
      throw invalid(`limit must be 1..${PAGE_SIZE}, got ${quote(limit)}`);
    }
    address.searchParams.set('limit', String(limit));
  }
  if (filter?.documentType !== undefined) address.searchParams.set('document_type', filter.documentType);
  if (filter?.facilityId !== undefined) address.searchParams.set('facility_id', filter.facilityId);
}

/**
 * A number of the address's own query.
 *
 * @param fallback where it names none
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
