// The migration after the last one, as an upgrade would bring it that older code need not know of: it only adds. Every
// table has one more column, and there is one more table.

/** Its name, in the tables of migrations too. */
const NAME = 'what only adds';

/** What a store of the present schema is upgraded by. */
export interface NextMigration {
  readonly name: string;
  readonly compatibleFrom: number;
  readonly sql: string;
}

/**
 * The migration.
 *
 * @param known how many migrations the present code knows
 * @param tables the names of all tables, as SQL has them
 * @param prefix of names of tables
 */
export function nextMigration(known: number, tables: readonly string[], prefix = ''): NextMigration {
  const columns = tables.map((table) => `ALTER TABLE ${table} ADD COLUMN added_later TEXT NOT NULL DEFAULT 'later';`);
  return {
    name: NAME,
    compatibleFrom: known,
    sql: `${columns.join('\n')}\nCREATE TABLE ${prefix}added_later (added_later TEXT NOT NULL);`,
  };
}
