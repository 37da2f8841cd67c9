// The schema after the present one, as an upgrade makes it that only adds.
import { DatabaseSync } from 'node:sqlite';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';
import { nextMigrations } from '../next-migrations.ts';

/** Upgrades a file to it, or makes one, and runs `meanwhile` before its last step. */
export function toNextSchema(path: string, meanwhile?: () => void): void {
  SqliteConnection.open(path).close();
  const db = new DatabaseSync(path);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  db.close();
  const names = tables.map(({ name }) => String(name)).filter((name) => name !== 'migrations');
  const [columns, table] = nextMigrations(names);
  SqliteConnection.open(path, {}, [...SQLITE_MIGRATIONS, columns]).close();
  meanwhile?.();
  SqliteConnection.open(path, {}, [...SQLITE_MIGRATIONS, columns, table]).close();
}
