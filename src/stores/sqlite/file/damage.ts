// Asks SQLite whether a file is whole: its pages, its indexes, and the types of its columns. Which tables and indexes it
// must have, an empty store shows.
import { DatabaseSync } from 'node:sqlite';
import type { StoreInspection } from '../../contract/inspection.ts';
import { findingAt } from '../../logic/inspect/forms.ts';
import type { Migration } from '../../logic/migration.ts';
import type { SqlRow } from '../../rows/columns.ts';
import type { SqliteConnection } from '../connection.ts';
import { prepareArrays, type SqliteStatement } from '../statement.ts';
import { runInThread } from '../thread.ts';

/**
 * The damage in the file, in SQLite's words, of which it finds at most a hundred; empty where there is none.
 *
 * @param options as for other work on a whole file
 */
async function findDamage(file: string, options: Parameters<typeof runInThread>[1]): Promise<readonly string[]> {
  try {
    const check = 'SELECT group_concat(integrity_check, char(10)) AS found FROM pragma_integrity_check';
    const row = await runInThread(file, options, [[check]]);
    const found = String(row?.found);
    return found === 'ok' ? [] : found.split('\n');
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** The damage in the file of a store, and the tables and indexes that it lacks, as an inspection says them. */
export async function inspectFile(
  connection: SqliteConnection,
  migrations: readonly Migration[],
): ReturnType<StoreInspection['damage']> {
  const damage = connection.file === null ? [] : await findDamage(connection.file, connection);
  const faults = schemaFaults((sql) => connection.prepare(sql), migrations);
  const findings = [
    ...damage.map((problem) => findingAt({ table: null, row: null }, `the file is damaged: ${problem}`)),
    ...faults.map(({ table, problem }) => findingAt({ table, row: null }, problem)),
  ];
  return { findings, notes: [] };
}

/** A table, an index, a view or a trigger of a store. */
interface SchemaPart {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  /** The statement that makes it. */
  readonly sql: string;
}

/** Selects the {@link SchemaPart}s of a database. */
const SELECT_SCHEMA = `SELECT type, name, tbl_name, sql FROM sqlite_schema
  WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid`;

function schemaPart([type, name, table, sql]: SqlRow): SchemaPart {
  return { type: String(type), name: String(name), table: String(table), sql: String(sql) };
}

/** What migrations make in an empty store. */
function emptySchema(migrations: readonly Migration[]): readonly SchemaPart[] {
  const db = new DatabaseSync(':memory:');
  try {
    for (const { sql } of migrations) db.exec(sql);
    return prepareArrays(db, SELECT_SCHEMA).all().map(schemaPart);
  } finally {
    db.close();
  }
}

/** A table, an index, a view or a trigger that a store lacks, or has in another form. */
interface SchemaFault {
  readonly table: string;
  readonly problem: string;
}

/** Compares the tables and indexes of a store with those that its migrations make. */
function schemaFaults(prepare: (sql: string) => SqliteStatement, migrations: readonly Migration[]): SchemaFault[] {
  const rows = prepare(SELECT_SCHEMA).all();
  const present = new Map(rows.map(schemaPart).map(({ name, sql }) => [name, plain(sql)]));
  return emptySchema(migrations)
    .filter(({ name, sql }) => present.get(name) !== plain(sql))
    .map(({ type, name, table }) => ({
      table,
      problem: `the ${type} ${name} is ${present.has(name) ? 'not as a store makes it' : 'missing'}`,
    }));
}

/** Not every version of SQLite keeps the space between the words of a statement. */
function plain(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ');
}
