// The rules for API keys. Each database finds keys by their digests in its own way (AccountHooks).
import type { ApiKeyEntry } from '../contract/accounts.ts';
import { KEY, notRotatable, unknownAccount, unknownKey } from '../rows/accounts.ts';
import { LEAST, table, withoutNul } from '../rows/sql.ts';
import { findAccount } from './accounts.ts';
import type { Rule, Sql } from './rule.ts';

const KEYS = table('api_keys');

/** Stores a key of an existing account. */
export function* createKey(sql: Sql, key: ApiKeyEntry, digest: Uint8Array): Rule<ApiKeyEntry> {
  if ((yield* findAccount(sql, key.accountId)) === null) throw unknownAccount(key.accountId);
  return yield* addKey(sql, key, digest);
}

/** Sets when a key ends, unless it ends earlier already, and stores its successor. */
export function* rotateKey(
  sql: Sql,
  keyId: string,
  successor: ApiKeyEntry,
  digest: Uint8Array,
  endsAt: string,
): Rule<ApiKeyEntry> {
  const { accountId, product } = successor;
  const ended = yield* sql.run`UPDATE ${KEYS} SET ends_at = ${LEAST}(coalesce(ends_at, ${endsAt}), ${endsAt})
    WHERE id = ${withoutNul(keyId)} AND account_id = ${accountId} AND product = ${product} AND revoked_at IS NULL`;
  if (ended === 0) throw notRotatable(keyId, successor);
  return yield* addKey(sql, successor, digest);
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

function* addKey(sql: Sql, key: ApiKeyEntry, digest: Uint8Array): Rule<ApiKeyEntry> {
  const { id, accountId, product, lastFour, createdAt } = key;
  const kept = yield* sql.one(KEY)`INSERT INTO ${KEYS} (digest, id, account_id, product, last_four, created_at)
    VALUES (${digest}, ${id}, ${accountId}, ${product}, ${lastFour}, ${createdAt}) RETURNING ${KEY}`;
  return kept!;
}
