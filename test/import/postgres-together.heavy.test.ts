import pg from 'pg';
import { afterAll, inject, it } from 'vitest';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { importTogether } from './together.ts';

const admin = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => admin.end());

it.each([false, true])(
  'two whole files imported together into PostgreSQL leave one of them (waiting: %s)',
  async (wait) => {
    const name = `together_${String(wait)}`;
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    const pool = new pg.Pool({ connectionString: url.href });
    try {
      await importTogether(await PostgresStore.open(pool), url.href, wait);
    } finally {
      await pool.end();
      await admin.query(`DROP DATABASE ${name}`);
    }
  },
);
