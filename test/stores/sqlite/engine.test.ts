// How rules run on a SQLite connection, beside what the contract suites hold both databases to.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findAccount } from '../../../src/stores/logic/accounts.ts';
import type { Query, Rule, Sql } from '../../../src/stores/logic/rule.ts';
import { numberIn, type Fragment, table } from '../../../src/stores/rows/sql.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SqliteEngine } from '../../../src/stores/sqlite/engine.ts';

const COUNT = numberIn('count(*)');
const ACCOUNTS = table('accounts');
const KEYS = table('api_keys');

function* countIn(sql: Sql, from: Fragment): Rule<number | null> {
  return yield* sql.one(COUNT)`SELECT ${COUNT} FROM ${from}`;
}

function* two(sql: Sql): Rule<readonly unknown[]> {
  return [yield* findAccount(sql, 'acme'), yield* findAccount(sql, 'acme')];
}

describe('rules on a SQLite connection', () => {
  let connection: SqliteConnection;
  let engine: SqliteEngine;
  beforeEach(() => {
    connection = SqliteConnection.open(':memory:');
    engine = new SqliteEngine(connection);
  });
  afterEach(() => {
    connection.close();
  });

  it('read by one statement without a transaction, by more within one', async () => {
    // A connection has one transaction at a time: who begins another is refused.
    const [one, more] = await connection.write(() => [engine.read(findAccount, 'acme'), engine.read(two)] as const);
    const answers = await Promise.allSettled([one, more]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await engine.read(two)).toEqual([null, null]);
  });

  it('refuse a statement whose fragments change: its text is put together once', async () => {
    expect(await engine.read(countIn, ACCOUNTS)).toBe(0);
    await expect(engine.read(countIn, KEYS)).rejects.toThrow(/a fragment must be the same every time/);
  });

  it('yield nothing by themselves', async () => {
    function* yielding(): Generator<Query, null> {
      yield { text: 'SELECT 1', values: [] };
      return null;
    }
    await expect(engine.write(yielding)).rejects.toThrow(/yielded by itself/);
  });
});
