import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { findingContract } from '../../contracts/finding-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;
afterAll(() => pool.end());

findingContract('PostgresStore', async () => {
  const schema = `finding_${++schemas}`;
  const store = await PostgresStore.open(pool, { schema });
  const dispose = async (): Promise<void> => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  };
  return { store, dispose };
});
