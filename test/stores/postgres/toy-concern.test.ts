import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresConnection } from '../../../src/stores/postgres/connection.ts';
import { PostgresEngine } from '../../../src/stores/postgres/engine.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { toyConcern } from '../toy-concern/suite.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;

afterAll(() => pool.end());

toyConcern('PostgreSQL', async () => {
  const schema = `toy_${++schemas}`;
  const bookmarks = {
    name: 'bookmarks of accounts',
    compatibleFrom: 3,
    sql: `CREATE TABLE ${schema}.bookmarks (
      account_id text NOT NULL, name text COLLATE "C" NOT NULL, is_shared smallint NOT NULL,
      uses bigint NOT NULL DEFAULT 0, digest bytea NOT NULL, PRIMARY KEY (account_id, name)
    )`,
  };
  const connection = await PostgresConnection.open(pool, { schema }, [...postgresMigrations(schema), bookmarks]);
  return {
    engine: new PostgresEngine(connection),
    dispose: async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});
