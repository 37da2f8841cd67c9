import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { commitmentContract, type CommittedRow, selectCommitted } from '../../contracts/commitments.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;
afterAll(() => pool.end());

commitmentContract(async () => {
  const schema = `commitments_${++schemas}`;
  return {
    store: await PostgresStore.open(pool, { schema }),
    committed: async () => (await pool.query<CommittedRow>(selectCommitted(`${schema}.`))).rows,
    dispose: async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});
