// The migrations after the last one, as upgrades would bring them that older code need not know of: they only add. Every table
// has one more column, and then there is one more table.
import { FIRST_SCHEMA, type Migration } from '../../src/stores/logic/migration.ts';

/**
 * The migrations.
 *
 * @param tables the names of all tables, as SQL has them
 * @param prefix of names of tables
 */
export function nextMigrations(tables: readonly string[], prefix = ''): readonly [Migration, Migration] {
  const columns = tables.map((table) => `ALTER TABLE ${table} ADD COLUMN added_later TEXT NOT NULL DEFAULT 'later';`);
  const compatibleFrom = FIRST_SCHEMA;
  return [
    { name: 'a column that is only added', compatibleFrom, sql: columns.join('\n') },
    {
      name: 'a table that is only added',
      compatibleFrom,
      sql: `CREATE TABLE ${prefix}added_later (added_later TEXT NOT NULL);`,
    },
  ];
}
