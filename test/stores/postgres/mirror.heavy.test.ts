// Mirrors of a PostgreSQL store.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { mirrorContract } from '../../contracts/mirror-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;

afterAll(() => pool.end());

mirrorContract('PostgresStore', async () => {
  const schema = `mirrored_${++schemas}`;
  const store = await PostgresStore.open(pool, { schema });
  const dispose = async (): Promise<void> => {
    await store.close();
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  };
  return { store, dispose };
});
