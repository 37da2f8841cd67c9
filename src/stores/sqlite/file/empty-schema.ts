// What the migrations make of an empty store. To run all of them takes several times as long as to make the tables and
// indexes that they end in, so a process finds those out once, in a database in memory, and makes each new store from them.
import { DatabaseSync } from 'node:sqlite';
import type { MigrationOf } from '../../logic/migration.ts';
import type { SqlRow } from '../../rows/columns.ts';
import { prepareArrays } from '../statement.ts';

type Migrations = readonly MigrationOf<DatabaseSync>[];

/** A table, an index, a view or a trigger of a store. */
export interface SchemaPart {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  /** The statement that makes it. */
  readonly sql: string;
}

/** Selects the {@link SchemaPart}s of a database, in the order in which they can be made. */
export const SELECT_SCHEMA = `SELECT type, name, tbl_name, sql FROM sqlite_schema
  WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid`;

/** A row of {@link SELECT_SCHEMA}. */
export function schemaPart([type, name, table, sql]: SqlRow): SchemaPart {
  return { type: String(type), name: String(name), table: String(table), sql: String(sql) };
}

interface EmptyStore {
  readonly parts: readonly SchemaPart[];
  readonly script: string;
}

/** What is known of each list of migrations. Nobody changes a list. */
const known = new WeakMap<Migrations, EmptyStore>();

/** The tables and indexes that migrations make in an empty store, in the order in which they can be made. */
export function emptySchema(migrations: Migrations): readonly SchemaPart[] {
  return emptyStore(migrations).parts;
}

/**
 * A script that has the same effect on a database without tables as all migrations: it makes the tables and indexes they end
 * in, and the rows that every store has. If the SQL of a migration fills a table otherwise, it is the migrations' own SQL.
 */
export function newStoreSql(migrations: Migrations): string {
  return emptyStore(migrations).script;
}

function emptyStore(migrations: Migrations): EmptyStore {
  const before = known.get(migrations);
  if (before !== undefined) return before;
  const own = migrations.map(({ sql }) => sql).join('\n;\n');
  const db = new DatabaseSync(':memory:');
  try {
    db.exec(own);
    const parts = prepareArrays(db, SELECT_SCHEMA).all().map(schemaPart);
    // Counters of tables that never had a row are noted as 0, which says as much as no note.
    const isFilled = prepareArrays(db, "SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(([name]) => (name === 'sqlite_sequence' ? 'sqlite_sequence WHERE seq > 0' : `"${String(name)}"`))
      .some((rows) => prepareArrays(db, `SELECT 1 FROM ${rows}`).get() !== undefined);
    const script = isFilled
      ? migrations.flatMap(({ sql, rows = '' }) => [sql, rows])
      : [...parts.map(({ sql }) => sql), ...migrations.map(({ rows = '' }) => rows)];
    const made = { parts, script: script.join(';\n') };
    known.set(migrations, made);
    return made;
  } finally {
    db.close();
  }
}
