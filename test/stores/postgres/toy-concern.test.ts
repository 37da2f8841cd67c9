// The toy concern on PostgreSQL: its migration, and its rule against itself.
import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import { createAccount } from '../../../src/stores/logic/accounts.ts';
import { PostgresConnection, type PostgresPool } from '../../../src/stores/postgres/connection.ts';
import { FIRST_SCHEMA } from '../../../src/stores/logic/migration.ts';
import { dialectOf } from '../../../src/stores/postgres/dialect.ts';
import { PostgresEngine } from '../../../src/stores/postgres/engine.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { accountNamed } from '../../contracts/accounts.ts';
import { BOOKMARK_TABLES, bookmarksOn } from '../toy-concern/logic.ts';
import { bookmark, toyConcern } from '../toy-concern/suite.ts';
import { everyInterleaving, GatedPool } from './interleavings.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
const pools = [new GatedPool(pool, pool), new GatedPool(pool, pool)] as const;
let schemas = 0;

afterAll(() => pool.end());

async function engineOn(pool: PostgresPool, schema: string): Promise<PostgresEngine> {
  const sql = BOOKMARK_TABLES[0]!.made.in(dialectOf(`"${schema}".`));
  const bookmarks = { name: 'bookmarks', compatibleFrom: FIRST_SCHEMA, sql };
  const migrations = [...postgresMigrations(`"${schema}"`), bookmarks];
  return new PostgresEngine(await PostgresConnection.open(pool, { schema }, migrations));
}

toyConcern('PostgreSQL', async () => {
  const schema = `toy_${++schemas}`;
  return {
    engine: await engineOn(pool, schema),
    dispose: async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});

it('a new concern on PostgreSQL gives the last place to one of two that come at once, in every interleaving', async () => {
  const store = await engineOn(pool, 'toy_pair');
  const stores = [await engineOn(pools[0], 'toy_pair'), await engineOn(pools[1], 'toy_pair')].map(bookmarksOn);
  await store.write(createAccount, { ...accountNamed('acme'), isSuspended: false, limit: null, email: null });
  const prepare = async (): Promise<void> => {
    await pool.query('DELETE FROM toy_pair.bookmarks');
    for (const name of ['a', 'b']) await bookmarksOn(store).addBookmark(bookmark(name));
  };
  const start = () => [stores[0]!.addBookmark(bookmark('c')), stores[1]!.addBookmark(bookmark('d'))] as const;
  const outcome = async (results: readonly unknown[]) => JSON.stringify(results.map((result) => Object.keys(result!)));
  const seen = new Set<string>();
  for await (const run of everyInterleaving({ pools, prepare, start, outcome })) {
    seen.add(run.outcome);
    expect(await bookmarksOn(store).bookmarks('acme'), run.trace.join('\n')).toHaveLength(3);
  }
  expect(seen.size).toBe(2);
});
