// The schema after the present one, as an upgrade makes it that only adds.
import { DatabaseSync } from 'node:sqlite';
import type { MigrationOf } from '../../../src/stores/logic/migration.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';
import { nextMigration } from '../next-migration.ts';

/** Upgrades a file to it, or makes one, and runs `meanwhile` before its last step. */
export function toNextSchema(path: string, meanwhile?: () => void): void {
  SqliteConnection.open(path).close();
  const db = new DatabaseSync(path);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  db.close();
  const names = tables.map(({ name }) => String(name)).filter((name) => name !== 'migrations');
  const next: MigrationOf<DatabaseSync> = {
    ...nextMigration(SQLITE_MIGRATIONS.length, names),
    ...(meanwhile === undefined ? {} : { before: meanwhile }),
  };
  SqliteConnection.open(path, {}, [...SQLITE_MIGRATIONS, next]).close();
}
