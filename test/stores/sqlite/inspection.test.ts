// The inspection of a SQLite store: overwritten values, damaged pages and indexes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { fillStore } from '../../contracts/full-store.ts';
import { type Column, overwriteContract } from '../../contracts/overwrites.ts';
import { writtenMeanwhileContract } from '../../contracts/written-meanwhile.ts';

let folder: string;
let store: SqliteStore;
let database: DatabaseSync;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const path = join(folder, 'store.db');
  store = SqliteStore.open(path);
  await fillStore(store);
  database = new DatabaseSync(path);
});
afterAll(async () => {
  database.close();
  await store.close();
  await rm(folder, { recursive: true });
});

const TYPES: Readonly<Record<string, Column['type']>> = { TEXT: 'text', INTEGER: 'integer', BLOB: 'bytes' };

function columns(): Column[] {
  const rows = database
    .prepare(
      `SELECT t.name AS "table", c.name AS "column", c.type, c.pk FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT IN ('migrations', 'plugins')`,
    )
    .all();
  return rows.map(({ table, column, type, pk }) => ({
    table: String(table),
    column: String(column),
    type: TYPES[String(type)]!,
    keyAt: Number(pk),
  }));
}

overwriteContract(() => ({
  store,
  columns: columns(),
  name: (table) => table,
  mark: () => '?',
  run: async (sql, values) => database.prepare(sql).all(...values),
}));

writtenMeanwhileContract(async () => {
  const other = SqliteStore.open(join(folder, 'other.db'));
  onTestFinished(() => other.close());
  return other;
});
