// Figures of registers in PostgreSQL.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { figuresContract } from '../../contracts/figures-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

figuresContract('PostgresStore', async () => {
  const schema = 'figures';
  const store = await PostgresStore.open(pool, { schema });
  return {
    store,
    dispose: async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});
