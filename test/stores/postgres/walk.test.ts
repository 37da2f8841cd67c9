// How whole registers are read from PostgreSQL: what stays of a read.
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { RegisterSource } from '../../../src/register/sources/source.ts';
import type { PostgresPool, PostgresResult } from '../../../src/stores/postgres/connection.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { permits, say } from '../../contracts/store-register.ts';

const schema = `walk_${process.pid}`;
const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

const RECORDS = 1300;

let store: PostgresStore;
let source: RegisterSource;

beforeAll(async () => {
  store = await PostgresStore.open(pool, { schema });
  await store.createRegister(permits());
  const statements = Array.from({ length: RECORDS }, (_, index) => {
    return say(String(index + 1));
  });
  await store.apply('permits', statements, { recordedAt: '2026-10-01T10:00:00Z' });
  source = await store.source('permits');
});

afterAll(async () => {
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});

it('leaves no rows in the results of the driver, which keeps them longer than anybody needs them', async () => {
  const results: PostgresResult[] = [];
  const watched: PostgresPool = {
    query: async (query) => {
      const result = await pool.query(query);
      results.push(result);
      return result;
    },
    connect: () => pool.connect(),
  };
  const watchedSource = await (await PostgresStore.open(watched, { schema })).source('permits');
  results.length = 0;
  let records = 0;
  for await (const pages of watchedSource.pagesAhead!({ offset: 0, limit: 100 })) {
    for (const page of pages) records += page.records.length;
  }
  records += (await watchedSource.page({ offset: 0, limit: 10 })).records.length;
  expect(records).toBe(RECORDS + 10);
  expect(results.length).toBeGreaterThan(2);
  expect(results.flatMap(({ rows }) => rows)).toEqual([]);
});
