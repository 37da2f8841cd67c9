// An upgrade that only adds, while a process of the version before reads and writes: before it, in the midst of it, after it.
import pg from 'pg';
import { afterAll, beforeEach, expect, inject, it, onTestFinished } from 'vitest';
import type { Migration } from '../../../src/stores/logic/migration.ts';
import { PostgresConnection } from '../../../src/stores/postgres/connection.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { until } from '../../until.ts';
import { startWorking } from '../started-process.ts';
import { expectWorked } from '../worked.ts';
import { toNextSchema } from './next-schema.ts';

const SCHEMA = 'upgrade_meanwhile';
const url = inject('postgresUrl');

const pool = new pg.Pool({ connectionString: url });
afterAll(() => pool.end());
beforeEach(async () => {
  await pool.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
});

const MIGRATIONS: readonly Migration[] = [
  {
    name: 'two tables',
    compatibleFrom: 1,
    sql: `CREATE TABLE ${SCHEMA}.first (n integer); CREATE TABLE ${SCHEMA}.second (n integer);`,
  },
  {
    name: 'a column in each',
    compatibleFrom: 1,
    sql: `ALTER TABLE ${SCHEMA}.first ADD COLUMN m integer; ALTER TABLE ${SCHEMA}.second ADD COLUMN m integer;`,
  },
];

/** Makes the first tables, and begins a transaction that has read the second. */
async function reading(): Promise<pg.PoolClient> {
  await PostgresConnection.open(pool, { schema: SCHEMA }, MIGRATIONS.slice(0, 1));
  const client = await pool.connect();
  onTestFinished(() => {
    client.release(true);
  });
  await client.query(`BEGIN; SELECT n FROM ${SCHEMA}.second`);
  return client;
}

it('gives way to a transaction that waits for what the upgrade has, and the other way round', async () => {
  const client = await reading();
  const upgraded = PostgresConnection.open(pool, { schema: SCHEMA }, MIGRATIONS);
  await until('an upgrade that waits', async () => {
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${SCHEMA}.second'::regclass`;
    return (await pool.query(waiting)).rows.length > 0;
  });
  await client.query(`SELECT n FROM ${SCHEMA}.first; COMMIT`);
  const connection = await upgraded;
  expect(await connection.query(`SELECT m FROM ${SCHEMA}.first JOIN ${SCHEMA}.second USING (m)`)).toEqual([]);
});

it('does without a table that it does not need, where others keep that one', async () => {
  await PostgresConnection.open(pool, { schema: SCHEMA }, MIGRATIONS.slice(0, 1));
  await pool.query(`CREATE TABLE ${SCHEMA}.registers (n integer)`);
  const [registers, second] = [await pool.connect(), await pool.connect()];
  await registers.query(`BEGIN; SELECT n FROM ${SCHEMA}.registers`);
  await second.query(`BEGIN; SELECT n FROM ${SCHEMA}.second`);
  const upgraded = PostgresConnection.open(pool, { schema: SCHEMA, lockTimeoutMs: 3000 }, MIGRATIONS);
  await until('an upgrade that waits', async () => {
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${SCHEMA}.registers'::regclass`;
    return (await pool.query(waiting)).rows.length > 0;
  });
  await second.query('COMMIT');
  await upgraded;
  await registers.query('COMMIT');
  for (const client of [registers, second]) client.release();
});

it('leaves a schema as it was where others keep a table for too long', async () => {
  const client = await reading();
  const upgrade = () => PostgresConnection.open(pool, { schema: SCHEMA, lockTimeoutMs: 300 }, MIGRATIONS);
  await expect(upgrade()).rejects.toMatchObject({ code: 'store_busy' });
  await client.query(`SELECT n FROM ${SCHEMA}.first; COMMIT`);
  const columns = `SELECT attname FROM pg_attribute WHERE attrelid = '${SCHEMA}.first'::regclass AND attnum > 0`;
  expect((await pool.query(columns)).rows).toEqual([{ attname: 'n' }]);
  await upgrade();
  expect((await pool.query(columns)).rows).toHaveLength(2);
});

it('lets a process work on while its store is upgraded', async () => {
  await PostgresStore.open(pool, { schema: SCHEMA });
  const working = startWorking('postgres', url, SCHEMA);
  await working.more(5);
  await toNextSchema(pool, SCHEMA, () => working.more(5));
  await working.more(5);
  expect(await working.end()).toBe('');
  await expectWorked(await PostgresStore.open(pool, { schema: SCHEMA }), working.rounds());
});
