// The rules for accounts.
import type { Account, AccountChange } from '../contract/accounts.ts';
import { ACCOUNT, accountExists, EMAIL_COLUMN, ID_COLUMN, unknownAccount } from '../rows/accounts.ts';
import { asText, FOR_UPDATE, shape, table, withoutNul } from '../rows/sql.ts';
import { byDefault, CURRENCY, FLAG, index, orNull, small, Table, TIME, whole } from '../rows/table.ts';
import type { Rule, Sql } from './rule.ts';
import { forgetSignIns } from './sign-in.ts';

const ACCOUNTS = new Table(
  'accounts',
  {
    id: ID_COLUMN,
    access_until: orNull(TIME),
    is_suspended: byDefault(FLAG, 0),
    created_at: TIME,
    limit_requests: orNull(small(1)),
    limit_seconds: orNull(small(1)),
    email: orNull(EMAIL_COLUMN),
    currency: orNull(CURRENCY),
    credit: byDefault(whole(0), 0),
    charged: byDefault(whole(0), 0),
  },
  { key: ['id'], isKeyed: true, indexes: [index('accounts_email', '(email)')] },
);
const KEYS = table('api_keys');
const REQUESTS = table('idempotency_keys');
const ENDPOINTS = table('webhook_endpoints');

/** Their table. */
export const ACCOUNT_TABLES: readonly Table[] = [ACCOUNTS];

const ID = shape(['id'], ([id]) => asText(id));

/** Creates an account, unless the id is taken: by another one, or by one that is gone of which something is kept. */
export function* createAccount(sql: Sql, { id, accessUntil, limit, email, createdAt }: Account): Rule<Account> {
  for (const { knowsAccount } of sql.plugins) {
    if (knowsAccount !== undefined && (yield* knowsAccount(sql, id)))
      throw accountExists(id, (yield* findAccount(sql, id)) === null);
  }
  const account = yield* sql.one(ACCOUNT)`INSERT INTO ${ACCOUNTS} (id, access_until, limit_requests, limit_seconds,
      email, created_at)
    VALUES (${id}, ${accessUntil}, ${limit?.limit ?? null}, ${limit?.windowSeconds ?? null}, ${email}, ${createdAt})
    ON CONFLICT (id) DO NOTHING RETURNING ${ACCOUNT}`;
  if (account === null) throw accountExists(id);
  return account;
}

/** One account, or null. */
export function* findAccount(sql: Sql, accountId: string): Rule<Account | null> {
  return yield* sql.one(ACCOUNT)`SELECT ${ACCOUNT} FROM ${ACCOUNTS} WHERE id = ${withoutNul(accountId)}`;
}

/** Locks an existing account, so that it is not removed before the end of the transaction. */
export function* holdAccount(sql: Sql, accountId: string): Rule<Account> {
  const account = yield* sql.one(
    ACCOUNT,
  )`SELECT ${ACCOUNT} FROM ${ACCOUNTS} WHERE id = ${withoutNul(accountId)} ${FOR_UPDATE}`;
  if (account === null) throw unknownAccount(accountId);
  return account;
}

/** The accounts with an address, by id. */
export function* accountsOfEmail(sql: Sql, email: string): Rule<readonly Account[]> {
  return yield* sql.all(ACCOUNT)`SELECT ${ACCOUNT} FROM ${ACCOUNTS} WHERE email = ${withoutNul(email)} ORDER BY id`;
}

/** All accounts, by id. */
export function* allAccounts(sql: Sql): Rule<readonly Account[]> {
  return yield* sql.all(ACCOUNT)`SELECT ${ACCOUNT} FROM ${ACCOUNTS} ORDER BY id`;
}

/** Changes the given properties of an account and leaves the rest. */
export function* updateAccount(
  sql: Sql,
  accountId: string,
  { accessUntil, isSuspended, limit, email }: AccountChange,
): Rule<Account> {
  const hasUntil = accessUntil === undefined ? 0 : 1;
  const hasLimit = limit === undefined ? 0 : 1;
  const hasEmail = email === undefined ? 0 : 1;
  const suspended = isSuspended === undefined ? null : Number(isSuspended);
  const account = yield* sql.one(ACCOUNT)`UPDATE ${ACCOUNTS}
    SET access_until = CASE WHEN ${hasUntil} = 1 THEN ${accessUntil ?? null} ELSE access_until END,
      limit_requests = CASE WHEN ${hasLimit} = 1 THEN ${limit?.limit ?? null} ELSE limit_requests END,
      limit_seconds = CASE WHEN ${hasLimit} = 1 THEN ${limit?.windowSeconds ?? null} ELSE limit_seconds END,
      email = CASE WHEN ${hasEmail} = 1 THEN ${email ?? null} ELSE email END,
      is_suspended = coalesce(${suspended}, is_suspended)
    WHERE id = ${withoutNul(accountId)} RETURNING ${ACCOUNT}`;
  if (account === null) throw unknownAccount(accountId);
  return account;
}

/**
 * Suspends an account, ends its sessions and deletes its keys; without endpoints, it deletes the account itself.
 *
 * @returns the ids of endpoints that must be removed first; none: the account is gone
 */
export function* removeAccount(sql: Sql, accountId: string): Rule<readonly string[]> {
  yield* holdAccount(sql, accountId);
  yield* forgetSignIns(sql, { kind: 'account', id: accountId });
  yield* sql.run`DELETE FROM ${REQUESTS} WHERE account_id = ${accountId}`;
  yield* sql.run`DELETE FROM ${KEYS} WHERE account_id = ${accountId}`;
  const endpoints = yield* sql.all(ID)`SELECT ${ID} FROM ${ENDPOINTS} WHERE account_id = ${accountId} ORDER BY number`;
  if (endpoints.length > 0) yield* sql.run`UPDATE ${ACCOUNTS} SET is_suspended = 1 WHERE id = ${accountId}`;
  else yield* sql.run`DELETE FROM ${ACCOUNTS} WHERE id = ${accountId}`;
  return endpoints;
}
