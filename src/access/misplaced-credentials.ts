// Credentials in a place where they do not belong: in a URL, which is logged, cached and passed on, or in a header that
// is not read here. They are refused, so that a caller with a key never gets the public's answer by mistake. Errors
// contain no part of them.
import { GazetteError } from '../errors.ts';
import type { Asking } from './access.ts';
import { containsApiKey, hasKeyForm } from './api-key.ts';

/**
 * Query parameters in which people send keys, refused with any value. Upper and lower case and punctuation do not
 * matter: `apiKey` is `api_key`.
 */
export const CREDENTIAL_PARAMETERS: readonly string[] = [
  'api_key',
  'x_api_key',
  'api_token',
  'token',
  'access_token',
  'access_key',
  'auth_token',
  'auth',
  'authorization',
  'bearer',
  'bearer_token',
  'password',
  'secret',
];

/** Header fields in which other services take keys; a request without `Authorization` is refused for one of them. */
const CREDENTIAL_HEADERS: readonly string[] = [
  'x-api-key',
  'api-key',
  'apikey',
  'x-api-token',
  'x-auth-token',
  'x-access-token',
  'x-authorization',
];

/** Header fields that have another purpose: only one of our keys in them is refused. */
const OTHER_HEADERS: readonly string[] = ['proxy-authorization', 'cookie'];

/** A URL that was encoded more often than this was not made by mistake. */
const MAX_DECODINGS = 4;

const BY_FOLDED_NAME = new Map(CREDENTIAL_PARAMETERS.map((name) => [folded(name), name]));

/**
 * Refuses a request with credentials in its URL or in the wrong header.
 *
 * @throws GazetteError `credentials_in_url`, `misplaced_credentials`
 */
export function refuseMisplacedCredentials({ url, headers }: Asking): void {
  refuseKeysInUrl(url);
  const hasAuthorization = headers.get('authorization') !== null;
  for (const name of CREDENTIAL_HEADERS) {
    const value = headers.get(name);
    // With a key in the right place, another service's key may pass through.
    if (value !== null && (!hasAuthorization || value.includes('gz_'))) throw misplaced(name);
  }
  for (const name of OTHER_HEADERS) if (containsApiKey(headers.get(name) ?? '')) throw misplaced(name);
}

/**
 * Refuses a URL that contains a key, in its path or its query, in any encoding; one that has a parameter of
 * {@link CREDENTIAL_PARAMETERS}; and one with a value in the form of a key that was mistyped: `key` is the publisher's
 * key of a record, and easily mistaken.
 *
 * @throws GazetteError `credentials_in_url`, which names a parameter of that list, and no value.
 */
function refuseKeysInUrl(url: string): void {
  const query = url.indexOf('?');
  for (const [name, value] of new URLSearchParams(query === -1 ? '' : url.slice(query))) {
    const parameter = BY_FOLDED_NAME.get(folded(name));
    if (parameter !== undefined || hasKeyForm(value)) throw inUrl(parameter);
  }
  if (containsApiKey(decoded(url))) throw inUrl();
}

function inUrl(parameter?: string): GazetteError {
  return new GazetteError(
    'credentials_in_url',
    `do not send a key in a URL${parameter === undefined ? '' : ` (parameter ${parameter})`}: send it as the header Authorization: Bearer <key>, and rotate it if this one was real`,
    { details: parameter === undefined ? {} : { parameter } },
  );
}

function misplaced(header: string): GazetteError {
  return new GazetteError(
    'misplaced_credentials',
    `the header ${header} is not read here: send the key as the header Authorization: Bearer <key>`,
  );
}

/** The text with its ASCII characters decoded, also if they were encoded repeatedly. */
function decoded(url: string): string {
  let text = url;
  for (let i = 0; i < MAX_DECODINGS && text.includes('%'); i++) {
    text = text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }
  return text;
}

/** A name without what spellings differ in. */
function folded(name: string): string {
  return name.toLowerCase().replace(/[^a-z]/g, '');
}
