import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SqliteEngine } from '../../../src/stores/sqlite/engine.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';
import { toyConcern } from '../toy-concern/suite.ts';

const BOOKMARKS = {
  name: 'bookmarks of accounts',
  compatibleFrom: 3,
  sql: `CREATE TABLE bookmarks (
    account_id TEXT NOT NULL, name TEXT NOT NULL, is_shared INTEGER NOT NULL, uses INTEGER NOT NULL DEFAULT 0,
    digest BLOB NOT NULL, PRIMARY KEY (account_id, name)
  ) STRICT`,
};

toyConcern('SQLite', async () => {
  const connection = SqliteConnection.open(':memory:', {}, [...SQLITE_MIGRATIONS, BOOKMARKS]);
  return {
    engine: new SqliteEngine(connection),
    dispose: async () => {
      connection.close();
    },
  };
});
