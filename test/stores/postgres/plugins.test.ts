import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { storePluginsContract } from '../../contracts/store-plugins-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;
afterAll(() => pool.end());

storePluginsContract(async () => {
  const schema = `plugins_${++schemas}`;
  const query = async (sql: string): Promise<pg.QueryResult> => {
    const client = await pool.connect();
    try {
      await client.query(`SET search_path TO ${schema}`);
      return await client.query(sql);
    } finally {
      await client.query('RESET search_path');
      client.release();
    }
  };
  return {
    open: (plugins) => PostgresStore.open(pool, { schema, ...(plugins && { plugins }) }),
    run: async (sql) => {
      await query(sql);
    },
    rows: async (sql) => {
      const { rows } = await query(sql);
      return (rows as Record<string, unknown>[]).map((row) =>
        Object.values(row).map((value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value)),
      );
    },
    dispose: async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});
