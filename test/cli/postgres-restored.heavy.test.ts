// A PostgreSQL store that was restored by the database's own tools: here a database made as a copy of another one.
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { restoredContract } from '../contracts/restored-store.ts';

restoredContract(async () => {
  const server = inject('postgresUrl');
  const name = `restored_${process.pid}`;
  const kept = `${name}_kept`;
  const url = server.replace(/[^/]+$/, name);
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  const copy = async (from: string, to: string): Promise<void> => {
    await admin.query(`DROP DATABASE IF EXISTS ${to}`);
    await admin.query(`CREATE DATABASE ${to} TEMPLATE ${from}`);
  };
  onTestFinished(async () => {
    for (const database of [name, kept]) await admin.query(`DROP DATABASE IF EXISTS ${database}`);
    await admin.end();
  });
  await copy('template1', name);
  return {
    url,
    use: async (work) => {
      const pool = new pg.Pool({ connectionString: url });
      try {
        return await work(await PostgresStore.open(pool, { schema: 'gazette' }));
      } finally {
        await pool.end();
      }
    },
    backup: () => copy(name, kept),
    restore: () => copy(kept, name),
  };
});
