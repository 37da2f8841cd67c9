// The index of terms is made again in a PostgreSQL database while others write.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { termBuildingContract } from '../../contracts/term-building-contract.ts';

const SCHEMA = 'term_building';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

termBuildingContract(async () => {
  const store = await PostgresStore.open(pool, { schema: SCHEMA });
  const dispose = async (): Promise<void> => {
    await pool.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
  };
  return { store, dispose };
});
