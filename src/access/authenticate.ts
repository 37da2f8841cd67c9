// Finds out who sent a request, from the key in its Authorization header. The key is looked up for every request, so a
// revocation takes effect immediately; the look-up is skipped only if the store reports that nothing has changed (one on
// PostgreSQL that answers from memory may learn of it within a second).
// Errors never contain any part of the credentials that were sent.
import { GazetteError } from '../errors.ts';
import { type Made, Shared } from '../shared.ts';
import type { AccountStore, ApiKeyEntry, FoundKey } from '../stores/contract/accounts.ts';
import { type Access, type Authenticate, PUBLIC_ACCESS } from './access.ts';
import { checkProduct } from '../stores/rows/keys.ts';
import { digestText, isApiKey } from './api-key.ts';
import { refuseMisplacedCredentials } from './misplaced-credentials.ts';
import { accountStateAt, keyStateAt } from './state.ts';

/** Which keys are valid, and how they are read. */
export interface AuthenticatorOptions {
  readonly accounts: AccountStore;
  /** The product whose keys are valid here, compared exactly (specification 5.4). */
  readonly product: string;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
  /** Whether HTTP Basic with the key as password is accepted too, for feed readers without Bearer. Default false. */
  readonly allowBasic?: boolean;
  /** Called with every successful use of a key. */
  readonly onUse?: (keyId: string, atMs: number) => void;
}

/** How many keys are kept. */
const MAX_KEYS = 1000;

/** Schemes whose credentials contain no comma (RFC 9110 11.2, token68). */
const COMMALESS = /^[ \t]*(?:bearer|basic)(?:[ \t]|$)/i;

/** A scheme that may have parameters, and therefore commas. */
const OTHER_SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]/;

/**
 * Creates a function that finds out who sent a request.
 *
 * @throws GazetteError `invalid_option` for a malformed product.
 * @example
 * const authenticate = createAuthenticator({ accounts: store.accounts, product: 'gazette' });
 * const { tier } = await authenticate(new Request('https://example.org/')); // 'public'
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { accounts, product, now = Date.now, allowBasic = false, onUse } = options;
  checkProduct(product);
  const stillHolds = (_: string, since: number): boolean => accounts.isUnchanged?.(since) === true;
  const known = new Shared<string, FoundKey | null, number>({ capacity: MAX_KEYS, stillHolds });
  return async (request, stamp) => {
    refuseMisplacedCredentials(request);
    const authorization = request.headers.get('authorization');
    if (authorization === null) return PUBLIC_ACCESS;
    const key = readKey(authorization, allowBasic);
    if (isReceipt(key)) return { tier: 'public', receipt: key };
    const digest = digestText(key);
    let found = stamp === undefined ? undefined : known.get(digest, stamp);
    if (found === undefined) {
      // A key that was found before was checked then.
      checkForm(key);
      const lookUp = (): Promise<FoundKey | null> => accounts.findKey(Buffer.from(digest, 'latin1'));
      // Those that there are not are not kept: anybody can make them up.
      const make = async (): Promise<Made<FoundKey | null>> => {
        const value = await lookUp();
        return { value, isLasting: value !== null };
      };
      found = stamp === undefined ? await lookUp() : (await known.of(digest, stamp, make)).value;
    }
    if (found === null) {
      throw new GazetteError('unknown_key', 'there is no such key; it may belong to another service');
    }
    const atMs = now();
    const access = checkFound(found, product, atMs);
    onUse?.(found.key.id, atMs);
    return access;
  };
}

/** The text in the place of a key; empty if there is none. @throws GazetteError `repeated_credentials` */
function readKey(authorization: string, allowBasic: boolean): string {
  if (isRepeated(authorization)) {
    throw new GazetteError(
      'repeated_credentials',
      'the header Authorization must be sent once; it was sent more than once',
    );
  }
  const [, scheme = '', credentials = ''] = /^(\S*)[ \t]+(\S+)$/.exec(authorization) ?? [];
  return keyIn(scheme.toLowerCase(), credentials, allowBasic) ?? '';
}

/** Whether a text in the place of a key is a receipt. Who sold it checks it. */
function isReceipt(key: string): boolean {
  return key.startsWith('gzr_');
}

/** @throws GazetteError `malformed_key` */
function checkForm(key: string): void {
  if (isApiKey(key)) return;
  throw new GazetteError(
    'malformed_key',
    'the header Authorization must be Bearer and a whole key of this service, which starts with gz_ and has 42 characters',
  );
}

function keyIn(scheme: string, credentials: string, allowBasic: boolean): string | null {
  if (scheme === 'bearer') return credentials;
  if (scheme !== 'basic' || !allowBasic) return null;
  // RFC 7617 2: the user name ends at the first colon; the name does not matter here.
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? null : pair.slice(colon + 1);
}

/** Whether it is two headers, which `Headers` joins with a comma (RFC 9110 5.3), and not one with parameters. */
function isRepeated(authorization: string): boolean {
  const [first, ...others] = authorization.split(',');
  if (others.length === 0) return false;
  return COMMALESS.test(first!) || !OTHER_SCHEME.test(first!) || others.some((part) => COMMALESS.test(part));
}

/** @throws GazetteError `revoked_key`, `rotated_key`, `expired_key`, `wrong_product`, `account_suspended`, `access_lapsed`, in this order. */
function checkFound({ key, account }: FoundKey, product: string, atMs: number): Access {
  const named = `the key ending in ${key.lastFour}`;
  const keyState = keyStateAt(key, atMs);
  if (keyState === 'revoked') throw refusal('revoked_key', `${named} was revoked at ${key.revokedAt}`, key);
  if (keyState === 'ended') {
    throw refusal('rotated_key', `${named} was replaced by another one and ended at ${key.endsAt}`, key);
  }
  if (keyState === 'expired') throw refusal('expired_key', `${named} worked until ${key.expiresAt}`, key);
  if (key.product !== product) throw refusal('wrong_product', `${named} is not for the product ${product}`, key);
  const accountState = accountStateAt(account, atMs);
  if (accountState === 'suspended') throw refusal('account_suspended', `the account of ${named} is suspended`, key);
  const paysByReading = key.budget !== undefined;
  if (accountState === 'active' && !paysByReading) return { tier: 'pro', account, key };
  // Who has spent all of it still reads what was bought.
  if (paysByReading || account.balance !== undefined) {
    return { tier: 'public', account, buyer: { account, key, paysByReading } };
  }
  if (account.accessUntil === null) throw refusal('access_lapsed', `the account of ${named} has no paid access`, key);
  throw refusal('access_lapsed', `paid access of the account of ${named} ended at ${account.accessUntil}`, key);
}

function refusal(
  code: 'revoked_key' | 'rotated_key' | 'expired_key' | 'wrong_product' | 'account_suspended' | 'access_lapsed',
  message: string,
  key: ApiKeyEntry,
): GazetteError {
  return new GazetteError(code, message, { details: { key: key.id } });
}
