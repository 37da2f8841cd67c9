// Imports of a store are taken back, at random.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { undoContract } from '../../contracts/undo-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

undoContract('PostgresStore', async () => {
  const store = await PostgresStore.open(pool, { schema: 'undone' });
  return { store, dispose: () => store.close() };
});
