// The rules for accounts.
import type { Account, AccountChange } from '../contract/accounts.ts';
import { ACCOUNT, accountExists, unknownAccount } from '../rows/accounts.ts';
import { table, withoutNul } from '../rows/sql.ts';
import type { Rule, Sql } from './rule.ts';

const ACCOUNTS = table('accounts');

/** Creates an account, unless the id is taken. */
export function* createAccount(sql: Sql, { id, accessUntil, limit, createdAt }: Account): Rule<Account> {
  const account = yield* sql.one(ACCOUNT)`INSERT INTO ${ACCOUNTS} (id, access_until, limit_requests, limit_seconds,
      created_at)
    VALUES (${id}, ${accessUntil}, ${limit?.limit ?? null}, ${limit?.windowSeconds ?? null}, ${createdAt}) ON CONFLICT (id) DO NOTHING RETURNING ${ACCOUNT}`;
  if (account === null) throw accountExists(id);
  return account;
}

/** One account, or null. */
export function* findAccount(sql: Sql, accountId: string): Rule<Account | null> {
  return yield* sql.one(ACCOUNT)`SELECT ${ACCOUNT} FROM ${ACCOUNTS} WHERE id = ${withoutNul(accountId)}`;
}

/** All accounts, by id. */
export function* allAccounts(sql: Sql): Rule<readonly Account[]> {
  return yield* sql.all(ACCOUNT)`SELECT ${ACCOUNT} FROM ${ACCOUNTS} ORDER BY id`;
}

/** Changes the given properties of an account and leaves the rest. */
export function* updateAccount(
  sql: Sql,
  accountId: string,
  { accessUntil, isSuspended, limit }: AccountChange,
): Rule<Account> {
  const hasUntil = accessUntil === undefined ? 0 : 1;
  const hasLimit = limit === undefined ? 0 : 1;
  const suspended = isSuspended === undefined ? null : Number(isSuspended);
  const account = yield* sql.one(ACCOUNT)`UPDATE ${ACCOUNTS}
    SET access_until = CASE WHEN ${hasUntil} = 1 THEN ${accessUntil ?? null} ELSE access_until END,
      limit_requests = CASE WHEN ${hasLimit} = 1 THEN ${limit?.limit ?? null} ELSE limit_requests END,
      limit_seconds = CASE WHEN ${hasLimit} = 1 THEN ${limit?.windowSeconds ?? null} ELSE limit_seconds END,
      is_suspended = coalesce(${suspended}, is_suspended)
    WHERE id = ${withoutNul(accountId)} RETURNING ${ACCOUNT}`;
  if (account === null) throw unknownAccount(accountId);
  return account;
}
