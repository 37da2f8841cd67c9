// Accounts in the form that every store uses: their columns, the checks before a write, and the errors that all stores
// share. keys.ts has the same for keys. Times are stored in UTC to the millisecond, so that they sort correctly as text.
import { GazetteError, quote } from '../../errors.ts';
import { isDateTime } from '../../register/time.ts';
import { checkRateLimit, type RateLimit } from '../../web/rate-limit.ts';
import type { SqlValue } from './columns.ts';
import { asFlag, asNumber, asText, asTextOrNull, type Shape, shape } from './sql.ts';
import { type Column, matching } from './table.ts';
import type { Account, Balance, NewAccount } from '../contract/accounts.ts';

/** An account's columns. */
export const ACCOUNT: Shape<Account> = shape(
  [
    ...['id', 'access_until', 'is_suspended', 'limit_requests', 'limit_seconds', 'email', 'created_at'],
    ...['currency', 'credit', 'charged'],
  ],
  ([id, accessUntil, isSuspended, requests, seconds, email, createdAt, currency, credit, charged]) => ({
    id: asText(id),
    accessUntil: asTextOrNull(accessUntil),
    isSuspended: asFlag(isSuspended),
    limit: asLimitOrNull(requests, seconds),
    email: asTextOrNull(email),
    createdAt: asText(createdAt),
    ...(currency == null ? {} : { balance: balanceOf(asText(currency), asNumber(credit), asNumber(charged)) }),
  }),
);

function balanceOf(currency: string, credit: number, charged: number): Balance {
  return { currency, credit, charged, left: credit - charged };
}

/** A limit in two columns. */
export function asLimitOrNull(requests: SqlValue | undefined, seconds: SqlValue | undefined): RateLimit | null {
  return requests == null ? null : { limit: asNumber(requests), windowSeconds: asNumber(seconds) };
}

/** RFC 5321 4.5.3.1.3, without the brackets of a path. */
const MAX_EMAIL_LENGTH = 254;

/** One address of plain ASCII, as HTML 4.10.5.1.5 has it, with a dot in its domain: no names, no lists, no line breaks. */
const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$/;

const ID = /^[a-z0-9][a-z0-9-]{0,63}$/;

const ID_WORDS = '1..64 of a-z 0-9 - and not starting with -';

/** The column of an id that an operator chose. */
export const ID_COLUMN: Column<string> = matching(ID, ID_WORDS);

/** The column of a {@link keptEmail}. */
export const EMAIL_COLUMN: Column<string> = matching(
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9.-]+$/,
  'an address in lower case',
);

/** @throws GazetteError `invalid_option` for what is no id of an account, or no name of an editor */
export function checkId(option: 'account' | 'editor', id: string): void {
  if (!ID.test(id)) throw invalid(option, ID_WORDS, quote(id));
}

/** The stored form of a new account. @throws GazetteError `invalid_option` */
export function keptAccount({ id, accessUntil, limit = null, email = null, createdAt }: NewAccount): Account {
  checkId('account', id);
  return {
    id,
    accessUntil: accessUntil === null ? null : keptTime('accessUntil', accessUntil),
    isSuspended: false,
    limit: limit === null ? null : checkRateLimit('limit', limit),
    email: email === null ? null : keptEmail(email),
    createdAt: keptTime('createdAt', createdAt),
  };
}

/** An address in lower case. @throws GazetteError `invalid_option` */
export function keptEmail(email: string): string {
  if (email.length > MAX_EMAIL_LENGTH || !EMAIL.test(email)) {
    throw invalid('email', 'one address such as anna@example.org', quote(email));
  }
  return email.toLowerCase();
}

/** SHA-256. */
const DIGEST_BYTES = 32;

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

/** The error for an account id that is already taken. @param wasRemoved by an account that is gone */
export function accountExists(accountId: string, wasRemoved = false): GazetteError {
  const why = wasRemoved ? 'was removed, and the ledger keeps what it bought: choose another id' : 'exists already';
  return new GazetteError('account_exists', `account ${quote(accountId)} ${why}`, { details: { account: accountId } });
}

/** The error for an editor who does not exist, or was removed. */
export function unknownEditor(name: string): GazetteError {
  return new GazetteError('unknown_editor', `there is no editor ${quote(name)}`, { details: { editor: name } });
}

/** The error for the name of an editor that is already taken. */
export function editorExists(name: string): GazetteError {
  return new GazetteError('editor_exists', `editor ${quote(name)} exists already`, { details: { editor: name } });
}

/** The error for a value that an account or a key cannot have. */
export function invalid(option: string, expected: string, got: string): GazetteError {
  return new GazetteError('invalid_option', `${option} must be ${expected}, got ${got}`, { details: { option } });
}
