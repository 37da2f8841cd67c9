// Purchases by several processes on a PostgreSQL database, and by processes that are killed.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { killedBuyers } from './killed-buyers.ts';

const admin = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => admin.end());
let databases = 0;

killedBuyers('PostgreSQL', async () => {
  const name = `buyers_${++databases}`;
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href });
  return { store: await PostgresStore.open(pool), url: url.href, dispose: () => pool.end() };
});
