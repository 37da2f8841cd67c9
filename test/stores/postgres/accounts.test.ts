// Accounts in a PostgreSQL database, beside the contract: upgrades, and what several nodes see of each other.
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { accountNamed, digestOf, keyOfAccount } from '../../contracts/accounts.ts';
import { at } from '../../contracts/store-register.ts';
import { until } from '../../until.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
const otherPool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;

afterAll(() => Promise.all([pool.end(), otherPool.end()]));

describe('accounts in a database', () => {
  let schema: string;
  beforeEach(() => {
    schema = `accounts_${++schemas}`;
  });

  it('are seen by every node as they now stand', async () => {
    const [first, second] = await Promise.all([
      PostgresStore.open(pool, { schema }),
      PostgresStore.open(otherPool, { schema }),
    ]);
    await first.accounts.createAccount(accountNamed('acme'));
    for (let round = 0; round < 20; round++) {
      const name = `k${round}`;
      await first.accounts.createKey(keyOfAccount('acme', name));
      expect((await second.accounts.findKey(digestOf(name)))?.key.revokedAt).toBeNull();
      await first.accounts.revokeKey(`key_${name}`, { revokedAt: at(1) });
      expect((await second.accounts.findKey(digestOf(name)))?.key.revokedAt).toBe(at(1));
    }
    await second.accounts.updateAccount('acme', { isSuspended: true });
    expect((await first.accounts.findKey(digestOf('k0')))?.account.isSuspended).toBe(true);
  });

  it('have no more uses of keys recorded once the store’s connections are closed', async () => {
    const ended = new pg.Pool({ connectionString: inject('postgresUrl') });
    const { accounts } = await PostgresStore.open(ended, { schema });
    const uses = new Map([['key_a', { at: at(1), requests: 1 }]]);
    await accounts.recordKeyUses(uses);
    await ended.end();
    await expect(accounts.recordKeyUses(uses)).resolves.toBeUndefined();
  });

  it('have the uses of keys recorded in one order, so that two nodes never wait for each other', async () => {
    const store = await PostgresStore.open(pool, { schema });
    await store.accounts.createAccount(accountNamed('acme'));
    for (const name of ['a', 'b']) await store.accounts.createKey(keyOfAccount('acme', name));
    // From now on the key a lies behind the key b.
    await store.accounts.recordKeyUses(new Map([['key_a', { at: at(0), requests: 1 }]]));
    const other = await otherPool.connect();
    onTestFinished(() => {
      other.release(true);
    });
    const lock = async (id: string): Promise<number | null> => {
      const sql = `SELECT 1 FROM ${schema}.api_keys WHERE id = $1 FOR UPDATE SKIP LOCKED`;
      return (await other.query(sql, [id])).rowCount;
    };
    await other.query('BEGIN');
    expect(await lock('key_b')).toBe(1);
    const uses = ['key_b', 'key_a'].map((id) => [id, { at: at(1), requests: 1 }] as const);
    const recorded = store.accounts.recordKeyUses(new Map(uses));
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%"${schema}".api_keys%'`;
    await until('a record that waits for the key b', async () => (await otherPool.query(waiting)).rowCount === 1);
    // It has the key a already: a node that records the uses of both waits for that one.
    expect(await lock('key_a')).toBe(0);
    await other.query('ROLLBACK');
    await recorded;
    expect((await store.accounts.keys('acme')).map(({ lastUsedAt }) => lastUsedAt)).toEqual([at(1), at(1)]);
  });

  it('are made once, and a key is revoked and rotated in one order, by nodes that do it together', async () => {
    const stores = await Promise.all([0, 1, 2, 3].map((n) => PostgresStore.open(n % 2 ? pool : otherPool, { schema })));
    const made = await Promise.allSettled(stores.map((store) => store.accounts.createAccount(accountNamed('acme'))));
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    for (let round = 0; round < 10; round++) {
      const old = `old${round}`;
      await stores[0]!.accounts.createKey(keyOfAccount('acme', old));
      const [rotated] = await Promise.allSettled([
        stores[1]!.accounts.rotateKey(`key_${old}`, keyOfAccount('acme', `new${round}`), { endsAt: at(5) }),
        stores[2]!.accounts.revokeKey(`key_${old}`, { revokedAt: at(1) }),
      ]);
      const { key } = (await stores[3]!.accounts.findKey(digestOf(old)))!;
      const successor = await stores[3]!.accounts.findKey(digestOf(`new${round}`));
      // Either the rotation came first and all of it holds, or it came too late and none of it does.
      expect(key.revokedAt).toBe(at(1));
      expect(key.endsAt).toBe(rotated.status === 'fulfilled' ? at(5) : null);
      expect(successor === null).toBe(rotated.status === 'rejected');
    }
  });

  it('take the uses of the same keys from many nodes, in any order, without a deadlock', async () => {
    // Plans that go key by key in the order given, as those for few keys of many do.
    const options = '-c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off -c deadlock_timeout=50ms';
    const byKey = new pg.Pool({ connectionString: inject('postgresUrl'), options });
    onTestFinished(() => byKey.end());
    const [first, second] = await Promise.all([
      PostgresStore.open(byKey, { schema }),
      PostgresStore.open(byKey, { schema }),
    ]);
    await first.accounts.createAccount(accountNamed('acme'));
    const names = Array.from({ length: 100 }, (_, index) => `k${index}`);
    await Promise.all(names.map((name) => first.accounts.createKey(keyOfAccount('acme', name))));
    for (let round = 1; round <= 15; round++) {
      const uses = names.map(
        (name, index) => [`key_${name}`, { at: at(round * 2 + (index % 2)), requests: 1 }] as const,
      );
      await Promise.all([
        first.accounts.recordKeyUses(new Map(uses)),
        second.accounts.recordKeyUses(new Map(uses.toReversed())),
        first.accounts.recordKeyUses(new Map(uses.toSorted(() => Math.random() - 0.5))),
      ]);
    }
    const lastUses = new Map((await second.accounts.keys('acme')).map(({ id, lastUsedAt }) => [id, lastUsedAt]));
    expect(lastUses).toEqual(new Map(names.map((name, index) => [`key_${name}`, at(30 + (index % 2))])));
  });

  it('are found by a look-up in an index each', async () => {
    await PostgresStore.open(pool, { schema });
    const client = await pool.connect();
    // Of empty tables the planner would read the whole.
    await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT * FROM ${schema}.api_keys k JOIN ${schema}.accounts a ON a.id = k.account_id WHERE k.digest = '\\x00'`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toMatch(/Index Scan using api_keys_digest_key/);
    expect(plan).toMatch(/Index Scan using accounts_pkey/);
    client.release(true);
  });
});
