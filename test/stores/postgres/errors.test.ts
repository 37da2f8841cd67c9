// What the errors of a PostgreSQL server say of the store.
import pg from 'pg';
import { beforeAll, expect, inject, it } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';

const schema = `errors_${process.pid}`;
let pool: pg.Pool;
let store: PostgresStore;

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: inject('postgresUrl') });
  store = await PostgresStore.open(pool, { schema });
  return async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  };
});

it.each([
  ['data that is damaged', 'XX001', { code: 'invalid_store', details: { database: 'told' } }],
  ['a missing right', '42501', { code: 'invalid_store', details: { database: 'told' } }],
  ['a full disk', '53100', { code: 'store_unavailable', details: { database: 'told', isUnwritable: true } }],
  ['a server that can only be read', '25006', { code: 'store_unavailable', details: { isUnwritable: true } }],
  ['a server that stops', '57P01', { code: 'store_unavailable', details: { database: 'told' } }],
  // An error inside the server may pass, such as "tuple concurrently updated".
  ['an error inside the server', 'XX000', { code: 'XX000' }],
])('%s', async (_, state, told) => {
  await pool.query(`CREATE OR REPLACE FUNCTION ${schema}.fail() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'told' USING ERRCODE = '${state}'; END $$`);
  await pool.query(`CREATE OR REPLACE TRIGGER fails BEFORE INSERT ON ${schema}.accounts
    FOR EACH ROW EXECUTE FUNCTION ${schema}.fail()`);
  const made = store.accounts.createAccount({ id: 'a', accessUntil: null, createdAt: '2026-01-01T00:00:00Z' });
  await expect(made).rejects.toMatchObject(told);
});
