// Accounts and keys in the form that every store uses: their columns, the checks before a write, and the errors that
// all stores share. Times are stored in UTC to the millisecond, so that they sort correctly as text.
import { GazetteError, quote } from '../../errors.ts';
import { isDateTime } from '../../register/time.ts';
import { checkRateLimit } from '../../web/rate-limit.ts';
import type { SqlRow } from './columns.ts';
import { asFlag, asNumber, asText, asTextOrNull, type Shape, shape } from './sql.ts';
import type { Account, ApiKeyEntry, FoundKey, NewAccount, NewApiKey } from '../contract/accounts.ts';

/** An account's columns. */
export const ACCOUNT: Shape<Account> = shape(
  ['id', 'access_until', 'is_suspended', 'limit_requests', 'limit_seconds', 'created_at'],
  ([id, accessUntil, isSuspended, requests, seconds, createdAt]) => ({
    id: asText(id),
    accessUntil: asTextOrNull(accessUntil),
    isSuspended: asFlag(isSuspended),
    limit: requests === null ? null : { limit: asNumber(requests), windowSeconds: asNumber(seconds) },
    createdAt: asText(createdAt),
  }),
);

/** Adds the columns of limits to the tables with this prefix. Older code counts as it did, by key. */
export function accountLimitsSql(prefix: string): string {
  const add = (column: string): string => `ALTER TABLE ${prefix}accounts ADD COLUMN ${column} integer;`;
  return `${add('limit_requests')}\n${add('limit_seconds')}`;
}

/** A key's columns. */
export const KEY: Shape<ApiKeyEntry> = shape(
  ['id', 'account_id', 'product', 'last_four', 'created_at', 'last_used_at', 'ends_at', 'revoked_at'],
  ([id, accountId, product, lastFour, createdAt, lastUsedAt, endsAt, revokedAt]) => ({
    id: asText(id),
    accountId: asText(accountId),
    product: asText(product),
    lastFour: asText(lastFour),
    createdAt: asText(createdAt),
    lastUsedAt: asTextOrNull(lastUsedAt),
    endsAt: asTextOrNull(endsAt),
    revokedAt: asTextOrNull(revokedAt),
  }),
);

const ACCOUNT_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** SHA-256. */
const DIGEST_BYTES = 32;

/** The query of `findKey()` up to its parameter, the digest, for tables with this prefix. */
export function selectFoundKey(prefix: string): string {
  return `SELECT ${KEY.of('k')}, ${ACCOUNT.of('a')} FROM ${prefix}api_keys k JOIN ${prefix}accounts a ON a.id = k.account_id WHERE k.digest =`;
}

/** A row of {@link selectFoundKey}. */
export function foundKeyOf(row: SqlRow): FoundKey {
  return { key: KEY.read(row), account: ACCOUNT.read(row.slice(KEY.columns.length)) };
}

/** The stored form of a new account. @throws GazetteError `invalid_option` */
export function keptAccount({ id, accessUntil, limit = null, createdAt }: NewAccount): Account {
  if (!ACCOUNT_ID.test(id)) {
    throw invalid('account', '1..64 of a-z 0-9 - and not starting with -', quote(id));
  }
  return {
    id,
    accessUntil: accessUntil === null ? null : keptTime('accessUntil', accessUntil),
    isSuspended: false,
    limit: limit === null ? null : checkRateLimit('limit', limit),
    createdAt: keptTime('createdAt', createdAt),
  };
}

/** The stored form of a new key, without its digest. @throws GazetteError `invalid_option` */
export function keptKey({ id, accountId, product, digest, lastFour, createdAt }: NewApiKey): ApiKeyEntry {
  checkDigest(digest);
  return {
    id,
    accountId,
    product,
    lastFour,
    createdAt: keptTime('createdAt', createdAt),
    lastUsedAt: null,
    endsAt: null,
    revokedAt: null,
  };
}

/** @throws GazetteError `invalid_option` for a digest that is not SHA-256 */
export function checkDigest(digest: Uint8Array): void {
  if (digest.length !== DIGEST_BYTES) throw invalid('digest', `${DIGEST_BYTES} bytes`, String(digest.length));
}

/** A date-time in UTC to the millisecond. @throws GazetteError `invalid_option`, naming the option `option` */
export function keptTime(option: string, time: string): string {
  const kept = isDateTime(time) ? new Date(time).toISOString() : '';
  // At the ends of the calendar, an offset leads to years that a date-time cannot express.
  if (!isDateTime(kept)) throw invalid(option, 'an RFC 3339 date-time such as 2026-05-02T10:00:00Z', quote(time));
  return kept;
}

/** The error for an account that does not exist. */
export function unknownAccount(accountId: string): GazetteError {
  return new GazetteError('unknown_account', `there is no account ${quote(accountId)}`, {
    details: { account: accountId },
  });
}

/** The error for an account id that is already taken. */
export function accountExists(accountId: string): GazetteError {
  return new GazetteError('account_exists', `account ${quote(accountId)} exists already`, {
    details: { account: accountId },
  });
}

/** The error for a key that does not exist. */
export function unknownKey(keyId: string): GazetteError {
  return new GazetteError('unknown_key', `there is no key ${quote(keyId)}`, { details: { key: keyId } });
}

/** The error for a key that cannot be rotated. */
export function notRotatable(
  keyId: string,
  { accountId, product }: Pick<NewApiKey, 'accountId' | 'product'>,
): GazetteError {
  return new GazetteError(
    'unknown_key',
    `account ${quote(accountId)} has no key ${quote(keyId)} for the product ${quote(product)} that could be rotated`,
    { details: { key: keyId, account: accountId } },
  );
}

function invalid(option: string, expected: string, got: string): GazetteError {
  return new GazetteError('invalid_option', `${option} must be ${expected}, got ${got}`, { details: { option } });
}
