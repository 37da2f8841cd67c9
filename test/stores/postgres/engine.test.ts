// How rules run on a PostgreSQL database, beside what the contract suites hold both databases to.
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { accountsOn } from '../../../src/stores/logic/account-store.ts';
import { findAccount } from '../../../src/stores/logic/accounts.ts';
import type { Rule, Sql } from '../../../src/stores/logic/rule.ts';
import { table } from '../../../src/stores/rows/sql.ts';
import { PostgresConnection } from '../../../src/stores/postgres/connection.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { PostgresEngine } from '../../../src/stores/postgres/engine.ts';
import { PostgresKeys } from '../../../src/stores/postgres/keys.ts';
import { accountNamed } from '../../contracts/accounts.ts';
import { everyInterleaving, GatedPool } from './interleavings.ts';

const ACCOUNTS = table('accounts');
const SCHEMA = 'engine';

const observer = new pg.Pool({ connectionString: inject('postgresUrl') });
// Two that wait for each other are found out at once.
const connections = new pg.Pool({ connectionString: inject('postgresUrl'), options: '-c deadlock_timeout=10ms' });
const pools = [new GatedPool(connections, observer), new GatedPool(connections, observer)] as const;

afterAll(() => Promise.all([observer.end(), connections.end()]));

/** Suspends two accounts, the first one first: how many of each were not. */
function* suspendBoth(sql: Sql, first: string, second: string): Rule<readonly number[]> {
  return [yield* suspend(sql, first), yield* suspend(sql, second)];
}

function* suspend(sql: Sql, accountId: string): Rule<number> {
  return yield* sql.run`UPDATE ${ACCOUNTS} SET is_suspended = 1 WHERE id = ${accountId} AND is_suspended = 0`;
}

/** Looks twice. */
function* lookTwice(sql: Sql, accountId: string): Rule<readonly boolean[]> {
  const first = yield* findAccount(sql, accountId);
  const second = yield* findAccount(sql, accountId);
  return [first!.isSuspended, second!.isSuspended];
}

describe('rules on a PostgreSQL database', () => {
  let engines: readonly PostgresEngine[];
  beforeEach(async () => {
    const opened: PostgresEngine[] = [];
    for (const pool of pools)
      opened.push(new PostgresEngine(await PostgresConnection.open(pool, { schema: SCHEMA }, postgresMigrations)));
    engines = opened;
  });

  async function prepare(): Promise<void> {
    await observer.query(`DELETE FROM ${SCHEMA}.accounts`);
    const connection = await PostgresConnection.open(observer, { schema: SCHEMA }, postgresMigrations);
    const accounts = accountsOn(new PostgresEngine(connection), new PostgresKeys(connection), () => true);
    for (const id of ['a', 'b']) await accounts.createAccount(accountNamed(id));
  }

  it('run again when they have waited for each other in a circle', async () => {
    const start = () => {
      return [engines[0]!.write(suspendBoth, 'a', 'b'), engines[1]!.write(suspendBoth, 'b', 'a')] as const;
    };
    let circles = 0;
    const runs = everyInterleaving({ pools, prepare, start, outcome: async (results) => results });
    for await (const { outcome, trace } of runs) {
      // One after the other: the second finds both accounts suspended.
      expect([...outcome].sort(), trace.join('\n')).toEqual([
        [0, 0],
        [1, 1],
      ]);
      if (trace.some((step) => step.endsWith('ROLLBACK'))) circles++;
    }
    expect(circles).toBeGreaterThan(0);
  });

  it('read one state of the database, however many statements they have', async () => {
    const start = () => [engines[0]!.read(lookTwice, 'a'), engines[1]!.write(suspend, 'a')] as const;
    const seen = new Set<string>();
    for await (const { outcome } of everyInterleaving({ pools, prepare, start, outcome: async ([looked]) => looked })) {
      seen.add(String(outcome));
    }
    expect([...seen].sort()).toEqual(['false,false', 'true,true']);
  });

  it('read by one statement without a transaction', async () => {
    await prepare();
    const texts: string[] = [];
    const watched = {
      query: (query: { readonly text: string }) => {
        texts.push(query.text);
        return observer.query({ ...query, rowMode: 'array' as const });
      },
      connect: () => Promise.reject(new Error('no transaction is needed')),
    };
    const engine = new PostgresEngine(await PostgresConnection.open(watched, { schema: SCHEMA }, postgresMigrations));
    texts.length = 0;
    expect((await engine.read(findAccount, 'a'))?.id).toBe('a');
    expect(texts).toHaveLength(1);
    await expect(engine.read(lookTwice, 'a')).rejects.toThrow('no transaction is needed');
  });
});
