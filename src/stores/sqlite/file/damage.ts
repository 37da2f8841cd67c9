// Asks SQLite whether a file is whole: its pages, its indexes, and the types of its columns. Which tables and indexes it
// must have, an empty store shows.
import { DatabaseSync } from 'node:sqlite';
import type { MigrationOf } from '../../logic/migration.ts';
import type { SqlValue } from '../../rows/columns.ts';
import { prepareArrays, type SqliteStatement } from '../statement.ts';
import { runInThread } from '../thread.ts';

/**
 * The damage in the file, in SQLite's words, of which it finds at most a hundred; empty where there is none.
 *
 * @param options as for other work on a whole file
 */
export async function findDamage(file: string, options: Parameters<typeof runInThread>[1]): Promise<readonly string[]> {
  try {
    const check = 'SELECT group_concat(integrity_check, char(10)) AS found FROM pragma_integrity_check';
    const row = await runInThread(file, options, [[check]]);
    const found = String(row?.found);
    return found === 'ok' ? [] : found.split('\n');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** A table, an index, a view or a trigger that a store lacks, or has in another form. */
export interface SchemaFault {
  readonly table: string;
  readonly problem: string;
}

/** Compares the tables and indexes of a store with those that its migrations make. */
export function schemaFaults(
  prepare: (sql: string) => SqliteStatement,
  migrations: readonly MigrationOf<DatabaseSync>[],
): SchemaFault[] {
  const select =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type IN ('table', 'index', 'view', 'trigger') AND sql IS NOT NULL";
  const present = new Map(
    prepare(select)
      .all()
      .map(([, name, , sql]) => [name, plain(sql)]),
  );
  const empty = new DatabaseSync(':memory:');
  try {
    for (const { before, sql } of migrations) {
      void before?.(empty);
      empty.exec(sql);
    }
    return prepareArrays(empty, select)
      .all()
      .filter(([, name, , sql]) => present.get(name) !== plain(sql))
      .map(([type, name, table]) => ({
        table: table as string,
        problem: `the ${String(type)} ${String(name)} is ${present.has(name) ? 'not as a store makes it' : 'missing'}`,
      }));
  } finally {
    empty.close();
  }
}

/** Not every version of SQLite keeps the space between the words of a statement. */
function plain(sql: SqlValue | undefined): string {
  return String(sql).replaceAll(/\s+/g, ' ');
}
