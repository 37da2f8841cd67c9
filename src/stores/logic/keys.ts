// The rules for API keys. Each database finds keys by their digests in its own way (AccountHooks).
import type { ApiKeyEntry, KeyBudget, KeyChange } from '../contract/accounts.ts';
import { invalid, unknownAccount } from '../rows/accounts.ts';
import { jsonText } from '../rows/stored-json.ts';
import {
  budgetAfter,
  budgetWithout,
  checkGivenBudget,
  checkReplacing,
  checkWithin,
  KEY,
  notUsable,
  restOf,
  unknownKey,
} from '../rows/keys.ts';
import { FOR_UPDATE, fragment, LEAST, withoutNul } from '../rows/sql.ts';
import {
  ACCOUNT_ID,
  BY_NUMBER,
  byDefault,
  bytes,
  index,
  matching,
  CURRENCY,
  orNull,
  small,
  Table,
  TEXT,
  TEXT_LIST,
  TIME,
  unique,
  whole,
} from '../rows/table.ts';
import { findAccount, holdAccount } from './accounts.ts';
import { existingRegisters } from './webhooks/endpoints.ts';
import type { Rule, Sql } from './rule.ts';

/** Of each key only the SHA-256 and the last four characters are stored. */
const KEYS = new Table(
  'api_keys',
  {
    number: whole(1),
    digest: unique(bytes(32, 32)),
    id: unique(TEXT),
    account_id: ACCOUNT_ID,
    product: matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, '1..64 of A-Z a-z 0-9 . _ -'),
    name: orNull(TEXT),
    last_four: matching(/^[^]{4}$/, '4 characters'),
    created_at: TIME,
    last_used_at: orNull(TIME),
    ends_at: orNull(TIME),
    revoked_at: orNull(TIME),
    expires_at: orNull(TIME),
    scopes: matching(/^(?!$)(?:read)?(?:(?:^| )webhooks)?(?:(?:^| )account)?$/, 'some of read webhooks account'),
    feeds: orNull(TEXT_LIST),
    limit_requests: orNull(small(1)),
    limit_seconds: orNull(small(1)),
    requests: byDefault(whole(0), 0),
    budget: orNull(whole(0)),
    per_day: orNull(whole(0)),
    spent: byDefault(whole(0), 0),
    spent_day: orNull(matching(/^\d{4}-\d{2}-\d{2}$/, 'a day such as 2026-05-02')),
    spent_on_day: byDefault(whole(0), 0),
    max_price: orNull(whole(1)),
    max_price_currency: orNull(CURRENCY),
  },
  { key: ['number'], isCounted: true, indexes: [index('api_keys_account', fragment`(account_id${BY_NUMBER})`)] },
);

/** Their table. */
export const KEY_TABLES: readonly Table[] = [KEYS];

/** A key of an account for a product. */
type KeyName = Pick<ApiKeyEntry, 'id' | 'accountId' | 'product'>;

/** Stores a key of an existing account. What another key gives of its budget is taken from it. */
export function* createKey(sql: Sql, key: ApiKeyEntry, digest: Uint8Array, by: string | null): Rule<ApiKeyEntry> {
  yield* holdAccount(sql, key.accountId);
  yield* existingRegisters(sql, key.feeds);
  if (by === null) return yield* addKey(sql, key, digest);
  const own = yield* keyNamed(sql, { ...key, id: by }, 'used');
  checkWithin(own, key);
  if (own.budget === undefined) return yield* addKey(sql, key, digest);
  checkGivenBudget(own, key.budget, restOf(own.budget));
  const { budget, perDay } = budgetWithout(own.budget, key.budget!);
  yield* sql.run`UPDATE ${KEYS} SET budget = ${budget}, per_day = ${perDay} WHERE id = ${own.id}`;
  // What was spent on this day was spent of the new key's part too: a day has no more for the two than for the one.
  const { day, spentOnDay } = own.budget;
  return yield* addKey(sql, { ...key, budget: { ...key.budget!, day, spentOnDay } }, digest);
}

/** Changes what is given of a key. */
export function* updateKey(sql: Sql, name: KeyName, change: KeyChange, by: string | null): Rule<ApiKeyEntry> {
  yield* existingRegisters(sql, change.feeds ?? null);
  const keys = yield* keysNamed(sql, name, by);
  const before = keyIn(keys, name, 'changed');
  const { budget: asked, ...grants } = change;
  const changed = asked === undefined ? before.budget : asked === null ? undefined : budgetAfter(before.budget, asked);
  if (by !== null) {
    const own = keyIn(keys, { ...name, id: by }, 'used');
    checkWithin(own, grants);
    if (asked !== undefined) checkGivenBudget(own, changed, before.budget);
  }
  const { name: called, scopes, feeds, limit } = { ...before, ...grants };
  const key = yield* sql.one(KEY)`UPDATE ${KEYS} SET name = ${called}, scopes = ${scopes.join(' ')},
      feeds = ${jsonText(feeds)}, limit_requests = ${limit?.limit ?? null}, limit_seconds = ${limit?.windowSeconds ?? null},
      budget = ${changed?.budget ?? null}, per_day = ${changed?.perDay ?? null},
      max_price = ${changed?.maxPrice?.amount ?? null}, max_price_currency = ${changed?.maxPrice?.currency ?? null}
    WHERE id = ${name.id} RETURNING ${KEY}`;
  checkSpent(key!.budget);
  return key!;
}

/** @throws GazetteError `invalid_option` for a budget below what was spent of it */
function checkSpent(budget: KeyBudget | undefined): void {
  if (budget === undefined || budget.budget >= budget.spent) return;
  throw invalid('budget', `at least ${budget.spent}, which was spent already`, String(budget.budget));
}

/** Sets when a key ends, unless it ends earlier already, and stores its successor, which may do what it may do. */
export function* rotateKey(
  sql: Sql,
  keyId: string,
  successor: ApiKeyEntry,
  digest: Uint8Array,
  { endsAt, by }: { readonly endsAt: string; readonly by: string | null },
): Rule<ApiKeyEntry> {
  const keys = yield* keysNamed(sql, { ...successor, id: keyId }, by);
  const key = keyIn(keys, { ...successor, id: keyId }, 'rotated');
  const { name, scopes, feeds, limit, expiresAt } = key;
  if (by !== null) checkReplacing(keyIn(keys, { ...successor, id: by }, 'used'), key);
  // What is left of the budget moves to the successor: the two together spend no more than the one.
  yield* sql.run`UPDATE ${KEYS} SET ends_at = ${LEAST}(coalesce(ends_at, ${endsAt}), ${endsAt}),
      budget = CASE WHEN budget IS NULL THEN NULL ELSE spent END
    WHERE id = ${key.id}`;
  const { budget } = key;
  const left = budget === undefined ? {} : { budget: { ...budget, budget: budget.budget - budget.spent, spent: 0 } };
  return yield* addKey(sql, { ...successor, name, scopes, feeds, limit, expiresAt, ...left }, digest);
}

/** Revokes a key permanently. A key that was already revoked keeps the time of its revocation. */
export function* revokeKey(sql: Sql, keyId: string, revokedAt: string): Rule<ApiKeyEntry> {
  const key = yield* sql.one(KEY)`UPDATE ${KEYS} SET revoked_at = coalesce(revoked_at, ${revokedAt})
    WHERE id = ${withoutNul(keyId)} RETURNING ${KEY}`;
  if (key === null) throw unknownKey(keyId);
  return key;
}

/** An account's keys, newest first. */
export function* keysOf(sql: Sql, accountId: string): Rule<readonly ApiKeyEntry[]> {
  const keys = yield* sql.all(KEY)`SELECT ${KEY} FROM ${KEYS} WHERE account_id = ${withoutNul(accountId)}
    ORDER BY number DESC`;
  if (keys.length === 0 && (yield* findAccount(sql, accountId)) === null) throw unknownAccount(accountId);
  return keys;
}

/** A key and the one that it is changed by, locked in one order; those that were revoked are not among them. */
function* keysNamed(sql: Sql, { id, accountId, product }: KeyName, by: string | null): Rule<readonly ApiKeyEntry[]> {
  return yield* sql.all(KEY)`SELECT ${KEY} FROM ${KEYS} WHERE id IN (${withoutNul(id)}, ${withoutNul(by ?? id)})
      AND account_id = ${withoutNul(accountId)} AND product = ${withoutNul(product)} AND revoked_at IS NULL
    ORDER BY number ${FOR_UPDATE}`;
}

function* keyNamed(sql: Sql, name: KeyName, what: string): Rule<ApiKeyEntry> {
  return keyIn(yield* keysNamed(sql, name, null), name, what);
}

function keyIn(keys: readonly ApiKeyEntry[], name: KeyName, what: string): ApiKeyEntry {
  const key = keys.find(({ id }) => id === name.id);
  if (key === undefined) throw notUsable(name.id, name, what);
  return key;
}

function* addKey(sql: Sql, key: ApiKeyEntry, digest: Uint8Array): Rule<ApiKeyEntry> {
  const { id, accountId, product, name, lastFour, createdAt, expiresAt, scopes, feeds, limit, budget } = key;
  const kept = yield* sql.one(KEY)`INSERT INTO ${KEYS} (digest, id, account_id, product, name, last_four, created_at,
      expires_at, scopes, feeds, limit_requests, limit_seconds, budget, per_day, spent_day, spent_on_day,
      max_price, max_price_currency)
    VALUES (${digest}, ${id}, ${accountId}, ${product}, ${name}, ${lastFour}, ${createdAt}, ${expiresAt},
      ${scopes.join(' ')}, ${jsonText(feeds)}, ${limit?.limit ?? null}, ${limit?.windowSeconds ?? null},
      ${budget?.budget ?? null}, ${budget?.perDay ?? null}, ${budget?.day ?? null}, ${budget?.spentOnDay ?? 0},
      ${budget?.maxPrice?.amount ?? null}, ${budget?.maxPrice?.currency ?? null})
    RETURNING ${KEY}`;
  return kept!;
}
