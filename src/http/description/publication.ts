// What an operator says of a service to its readers: openapi.json and the reference show it, and errors and the public's
// notes name where keys are to be had.
import { GazetteError, quote } from '../../errors.ts';
import { isHttpUrl } from '../../register/url.ts';

/** What an operator says of a service. */
export interface PublicationOptions {
  /** Its name, at most 200 characters. Default `Public register feed service`. */
  readonly title?: string | undefined;
  /** Where to ask: an e-mail address, or a page. Default: none is named. */
  readonly contact?: string | undefined;
  /** The page with the terms of use. Default: none is named. */
  readonly termsUrl?: string | undefined;
  /** The page with the licence of the data. Default: none is named. */
  readonly licenceUrl?: string | undefined;
  /** The page where people get a key or renew it. Default: none is named. */
  readonly keysUrl?: string | undefined;
}

/** The same, checked. */
export interface Publication {
  readonly title: string;
  readonly contact: { readonly email: string } | { readonly url: string } | null;
  readonly termsUrl: string | null;
  readonly licenceUrl: string | null;
  readonly keysUrl: string | null;
}

/** The name of a service whose operator gives none. */
export const DEFAULT_TITLE = 'Public register feed service';

const MAX_TITLE_LENGTH = 200;

/** One `@` between what mail servers accept (RFC 5321 4.1.2, without quoted names). */
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/;

/** Checks the options. @throws GazetteError `invalid_option` */
export function checkPublication(options: PublicationOptions): Publication {
  const { title = DEFAULT_TITLE, contact } = options;
  if (title.trim() === '' || title.length > MAX_TITLE_LENGTH || /\p{Cc}/u.test(title)) {
    throw invalid('title', `one line of 1..${MAX_TITLE_LENGTH} characters`, title);
  }
  return {
    title,
    contact: contact === undefined ? null : contactOf(contact),
    termsUrl: pageOf('termsUrl', options.termsUrl),
    licenceUrl: pageOf('licenceUrl', options.licenceUrl),
    keysUrl: pageOf('keysUrl', options.keysUrl),
  };
}

function contactOf(contact: string): { readonly email: string } | { readonly url: string } {
  if (EMAIL.test(contact)) return { email: contact };
  if (isHttpUrl(contact)) return { url: contact };
  throw invalid('contact', 'an e-mail address, or an absolute http(s) URL', contact);
}

function pageOf(option: string, value: string | undefined): string | null {
  if (value === undefined) return null;
  if (isHttpUrl(value)) return value;
  throw invalid(option, 'an absolute http(s) URL', value);
}

function invalid(option: string, expected: string, value: string): GazetteError {
  return new GazetteError('invalid_option', `${option} must be ${expected}, got ${quote(value)}`, {
    details: { option },
  });
}
