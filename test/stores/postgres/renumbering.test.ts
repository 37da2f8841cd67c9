// Records of a store get new keys.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { renumberingContract } from '../../contracts/renumbering-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

renumberingContract('PostgresStore', async () => {
  const store = await PostgresStore.open(pool, { schema: 'renumbered' });
  return { store, dispose: () => store.close() };
});
