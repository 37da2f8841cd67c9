import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { FIRST_SCHEMA } from '../../../src/stores/logic/migration.ts';
import { DIALECT } from '../../../src/stores/sqlite/dialect.ts';
import { SqliteEngine } from '../../../src/stores/sqlite/engine.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';
import { BOOKMARK_TABLES } from '../toy-concern/logic.ts';
import { toyConcern } from '../toy-concern/suite.ts';

const BOOKMARKS = { name: 'bookmarks', compatibleFrom: FIRST_SCHEMA, sql: BOOKMARK_TABLES[0]!.made.in(DIALECT) };

toyConcern('SQLite', async () => {
  const connection = SqliteConnection.open(':memory:', {}, [...SQLITE_MIGRATIONS, BOOKMARKS]);
  return {
    engine: new SqliteEngine(connection),
    dispose: async () => {
      connection.close();
    },
  };
});
