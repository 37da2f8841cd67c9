// The engine of a store for a process of its own: of a SQLite file by its path, of a PostgreSQL database by its URL.
import pg from 'pg';
import type { Engine } from '../../../src/stores/logic/rule.ts';
import { PostgresConnection } from '../../../src/stores/postgres/connection.ts';
import { PostgresEngine } from '../../../src/stores/postgres/engine.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { SELLING } from '../../../src/wings/selling/stores/plugin.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SqliteEngine } from '../../../src/stores/sqlite/engine.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';

/** What PostgreSQL knows such a process by. */
export const BUYER_NAME = 'buyer';

/** Opens it. It is closed when the process ends. */
export async function openEngine(url: string): Promise<Engine> {
  if (!url.startsWith('postgres'))
    return new SqliteEngine(SqliteConnection.open(url, { plugins: [SELLING] }, SQLITE_MIGRATIONS), [SELLING]);
  const pool = new pg.Pool({ connectionString: url, application_name: BUYER_NAME });
  return new PostgresEngine(await PostgresConnection.open(pool, {}, postgresMigrations), [SELLING]);
}
