// API keys in the form that every store uses: their columns, the checks before a write, what one key may give to another,
// and the errors that all stores share.
import { isWhole } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';
import { exceeds, isCurrency, type Money, moneyText } from '../../money.ts';
import { checkRateLimit, type RateLimit } from '../../web/rate-limit.ts';
import type {
  ApiKeyEntry,
  BudgetChange,
  FoundKey,
  KeyBudget,
  KeyChange,
  KeyScope,
  NewApiKey,
} from '../contract/accounts.ts';
import { ACCOUNT, asLimitOrNull, checkDigest, invalid, keptTime } from './accounts.ts';
import type { SqlRow } from './columns.ts';
import { asNumber, asNumberOrNull, asText, asTextOrNull, type Shape, shape } from './sql.ts';
import { orNull, TEXT_LIST } from './table.ts';

/** Every scope, in the order in which they are kept. */
export const KEY_SCOPES: readonly KeyScope[] = ['read', 'webhooks', 'account'];

/** The scopes of a key that none are asked for. */
export const DEFAULT_SCOPES: readonly KeyScope[] = ['read'];

const FEEDS = orNull(TEXT_LIST);

/** A key's columns. */
export const KEY: Shape<ApiKeyEntry> = shape(
  [
    ...['id', 'account_id', 'product', 'name', 'last_four', 'created_at', 'last_used_at', 'ends_at', 'revoked_at'],
    ...['expires_at', 'scopes', 'feeds', 'limit_requests', 'limit_seconds', 'requests'],
    ...['budget', 'per_day', 'spent', 'spent_day', 'spent_on_day', 'max_price', 'max_price_currency'],
  ],
  (row) => {
    const [id, accountId, product, name, lastFour, createdAt, lastUsedAt, endsAt, revokedAt] = row;
    const [expiresAt, scopes, feeds, limit, seconds, requests, ...budget] = row.slice(9);
    return {
      id: asText(id),
      accountId: asText(accountId),
      product: asText(product),
      name: asTextOrNull(name),
      lastFour: asText(lastFour),
      createdAt: asText(createdAt),
      lastUsedAt: asTextOrNull(lastUsedAt),
      endsAt: asTextOrNull(endsAt),
      revokedAt: asTextOrNull(revokedAt),
      expiresAt: asTextOrNull(expiresAt),
      scopes: asText(scopes).split(' ').filter(isScope),
      feeds: FEEDS.read(feeds),
      limit: asLimitOrNull(limit, seconds),
      requests: asNumber(requests),
      ...(budget[0] == null ? {} : { budget: budgetOf(budget) }),
    };
  },
);

function budgetOf([budget, perDay, spent, day, spentOnDay, maxPrice, currency]: SqlRow): KeyBudget {
  return {
    budget: asNumber(budget),
    perDay: asNumberOrNull(perDay),
    maxPrice: maxPriceOf(maxPrice, currency),
    spent: asNumber(spent),
    day: asTextOrNull(day),
    spentOnDay: asNumber(spentOnDay),
  };
}

/** The most that a key pays for one record; null: no bound. */
export function maxPriceOf(amount: SqlRow[number] = null, currency: SqlRow[number] = null): Money | null {
  return amount === null ? null : { amount: asNumber(amount), currency: asText(currency) };
}

/**
 * The names of keys: 1 to 100 characters on one line, not all of them spaces. The pattern has no property of Unicode, which
 * not every validator of schemas knows.
 */
export const KEY_NAMES: { readonly pattern: RegExp } = {
  // Controls (Cc), the ends of lines and paragraphs (Zl, Zp), and halves of characters are left out.
  pattern: /^(?=.*\S)[^\u0000-\u001F\u007F-\u009F\u2028\u2029\uD800-\uDFFF]{1,100}$/u,
};

const PRODUCT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws GazetteError `invalid_option` for what is no name of a deployment */
export function checkProduct(product: string): void {
  if (PRODUCT.test(product)) return;
  throw invalid('product', '1..64 of A-Z a-z 0-9 . _ - and start with a letter or digit', quote(product));
}

/** The query of `findKey()` up to its parameter, the digest, for tables with this prefix. */
export function selectFoundKey(prefix: string): string {
  return `SELECT ${KEY.of('k')}, ${ACCOUNT.of('a')} FROM ${prefix}api_keys k JOIN ${prefix}accounts a ON a.id = k.account_id WHERE k.digest =`;
}

/** A row of {@link selectFoundKey}. */
export function foundKeyOf(row: SqlRow): FoundKey {
  return { key: KEY.read(row), account: ACCOUNT.read(row.slice(KEY.columns.length)) };
}

/** The stored form of a new key, without its digest. @throws GazetteError `invalid_option` */
export function keptKey({ digest, ...given }: NewApiKey): ApiKeyEntry {
  checkDigest(digest);
  checkProduct(given.product);
  const { id, accountId, product, lastFour, createdAt, expiresAt = null } = given;
  const { budget = null, ...change } = keptKeyChange(given);
  return {
    ...{ id, accountId, product, name: null, scopes: DEFAULT_SCOPES, feeds: null, limit: null },
    ...change,
    lastFour,
    createdAt: keptTime('createdAt', createdAt),
    lastUsedAt: null,
    endsAt: null,
    revokedAt: null,
    expiresAt: expiresAt === null ? null : keptTime('expiresAt', expiresAt),
    requests: 0,
    ...(budget === null ? {} : { budget: keptBudget(budget) }),
  };
}

/** The budget of a new key. @throws GazetteError `invalid_option` */
function keptBudget(change: BudgetChange): KeyBudget {
  return { ...budgetAfter(undefined, change), spent: 0, day: null, spentOnDay: 0 };
}

/** @throws GazetteError `invalid_option` */
function checkBudget(change: BudgetChange): BudgetChange {
  for (const [name, amount] of [
    ['budget', change.budget],
    ['per_day', change.perDay],
  ] as const) {
    if (amount != null && !isWhole(amount, 1)) throw invalid(name, 'a whole number from 1 on', String(amount));
  }
  const { maxPrice } = change;
  if (maxPrice != null && !(isWhole(maxPrice.amount, 1) && isCurrency(maxPrice.currency))) {
    throw invalid('max_price', 'a price such as 2.00 EUR', quote(maxPrice));
  }
  return change;
}

/** A budget as a change leaves it. @param before undefined: none @throws GazetteError `invalid_option` for a bound without a budget */
export function budgetAfter(
  before: KeyBudget | undefined,
  { budget = before?.budget, perDay = before?.perDay ?? null, maxPrice = before?.maxPrice ?? null }: BudgetChange,
): Spendable {
  if (budget !== undefined) return { budget, perDay, maxPrice };
  throw invalid('budget', 'given with per_day or max_price', 'none');
}

/** The stored form of a change, with the properties that are given alone. @throws GazetteError `invalid_option` */
export function keptKeyChange({ name, scopes, feeds, limit, budget }: KeyChange): KeyChange {
  return {
    ...(name === undefined ? {} : { name: name === null ? null : keptName(name) }),
    ...(scopes === undefined ? {} : { scopes: keptScopes(scopes) }),
    ...(feeds === undefined ? {} : { feeds: feeds === null || feeds.length === 0 ? null : [...new Set(feeds)] }),
    ...(limit === undefined ? {} : { limit: limit === null ? null : checkRateLimit('limit', limit) }),
    ...(budget === undefined ? {} : { budget: budget === null ? null : checkBudget(budget) }),
  };
}

function keptName(name: string): string {
  if (!KEY_NAMES.pattern.test(name)) throw invalid('name', '1..100 characters on one line', quote(name));
  return name.trim();
}

function keptScopes(scopes: readonly string[]): readonly KeyScope[] {
  const unknown = scopes.find((scope) => !isScope(scope));
  if (scopes.length === 0 || unknown !== undefined) {
    throw invalid('scopes', `some of ${KEY_SCOPES.join(', ')}`, quote(unknown ?? scopes));
  }
  return KEY_SCOPES.filter((scope) => scopes.includes(scope));
}

function isScope(scope: string): scope is KeyScope {
  return KEY_SCOPES.some((known) => known === scope);
}

/** Whether a key has a scope: `account` has that of webhooks. */
export function hasScope({ scopes }: Pick<ApiKeyEntry, 'scopes'>, scope: KeyScope): boolean {
  return scopes.includes(scope) || (scope === 'webhooks' && scopes.includes('account'));
}

/** Whether a key opens all of these registers. @param feeds null: all */
export function opensFeeds({ feeds: own }: Pick<ApiKeyEntry, 'feeds'>, feeds: readonly string[] | null): boolean {
  return own === null || feeds?.every((feed) => own.includes(feed)) === true;
}

/** What another key gets. */
type Given = Partial<Pick<ApiKeyEntry, 'scopes' | 'feeds' | 'limit' | 'expiresAt'>>;

/**
 * Refuses what a key must not give to another: more scopes, registers or requests than its own, or a longer life.
 *
 * @param given what the other one gets, absent properties being no matter of this key
 * @throws GazetteError `insufficient_scope`
 */
export function checkWithin(own: ApiKeyEntry, given: Given): void {
  const { scopes = [], feeds, limit, expiresAt } = given;
  const scope = scopes.find((one) => !hasScope(own, one));
  if (scope !== undefined) throw tooMuch(own, 'scopes', `it has ${own.scopes.join(' ')}, not ${scope}`);
  if (feeds !== undefined && !opensFeeds(own, feeds)) throw tooMuch(own, 'feeds', `it opens ${own.feeds!.join(', ')}`);
  if (limit !== undefined && own.limit !== null && !isWithinLimit(limit, own.limit)) {
    throw tooMuch(own, 'limit', `it may request ${own.limit.limit} times in ${own.limit.windowSeconds} seconds`);
  }
  const end = endOfKey(own);
  if (expiresAt === undefined || end === null || (expiresAt !== null && expiresAt <= end)) return;
  throw tooMuch(own, 'expires_at', `it ends at ${end}`);
}

/** When a key ends; null: with its account. Kept times sort as texts. */
export function endOfKey({ endsAt, expiresAt }: Pick<ApiKeyEntry, 'endsAt' | 'expiresAt'>): string | null {
  return endsAt === null || expiresAt === null ? (endsAt ?? expiresAt) : endsAt < expiresAt ? endsAt : expiresAt;
}

/**
 * Refuses a budget that a key must not give to another: more than it has left itself. A key without a budget has all of the
 * account's credit.
 *
 * @param given that of a new key, or of one that is changed; undefined: none
 * @param bound what bounds it: what is left of the own budget, or what a key that is changed had before
 * @throws GazetteError `insufficient_scope`
 */
export function checkGivenBudget(own: ApiKeyEntry, given: Spendable | undefined, bound: Spendable | undefined): void {
  if (own.budget === undefined || bound === undefined) return;
  const isWithin =
    given !== undefined &&
    given.budget <= bound.budget &&
    (bound.perDay === null || (given.perDay !== null && given.perDay <= bound.perDay));
  if (!isWithin) {
    throw tooMuch(own, 'budget', `at most ${bound.budget} altogether, and ${bound.perDay ?? 'all of it'} on one day`);
  }
  if (bound.maxPrice === null || (given.maxPrice !== null && !exceeds(given.maxPrice, bound.maxPrice))) return;
  throw tooMuch(own, 'max_price', `at most ${moneyText(bound.maxPrice)}`);
}

/**
 * Refuses to replace a key by one that may do more than `own`, and by one that spends other money: who replaces a key gets
 * its successor, and what that may spend.
 *
 * @throws GazetteError `insufficient_scope`
 */
export function checkReplacing(own: ApiKeyEntry, key: ApiKeyEntry): void {
  checkWithin(own, key);
  if (own.budget !== undefined && own.id !== key.id) {
    throw tooMuch(own, 'budget', 'it has a budget, and replaces no key but itself');
  }
}

/** What can be spent. */
type Spendable = Pick<KeyBudget, 'budget' | 'perDay' | 'maxPrice'>;

/** What is left of a budget altogether. */
export function restOf({ budget, perDay, maxPrice, spent }: KeyBudget): Spendable {
  return { budget: budget - spent, perDay, maxPrice };
}

/** A key as what it gives of its budget leaves it. */
export function budgetWithout(own: KeyBudget, given: Spendable): Pick<KeyBudget, 'budget' | 'perDay'> {
  const { budget, perDay } = own;
  return {
    budget: budget - given.budget,
    perDay: perDay === null ? null : perDay - (given.perDay ?? 0),
  };
}

/** Whether nobody gets more in a window of `own` than `own` allows. */
function isWithinLimit(limit: RateLimit | null, own: RateLimit): boolean {
  return limit !== null && limit.limit * Math.ceil(own.windowSeconds / limit.windowSeconds) <= own.limit;
}

function tooMuch({ lastFour }: ApiKeyEntry, option: string, because: string): GazetteError {
  return new GazetteError(
    'insufficient_scope',
    `the key ending in ${lastFour} cannot give these ${option} to another key: ${because}`,
    { details: { option } },
  );
}

/** The error for a key that does not exist. */
export function unknownKey(keyId: string): GazetteError {
  return new GazetteError('unknown_key', `there is no key ${quote(keyId)}`, { details: { key: keyId } });
}

/** The error for a key that cannot be rotated or changed. @param what such as `rotated` */
export function notUsable(
  keyId: string,
  { accountId, product }: Pick<NewApiKey, 'accountId' | 'product'>,
  what: string,
): GazetteError {
  return new GazetteError(
    'unknown_key',
    `account ${quote(accountId)} has no key ${quote(keyId)} for the product ${quote(product)} that could be ${what}`,
    { details: { key: keyId, account: accountId } },
  );
}
