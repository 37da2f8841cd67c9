// Stores that older versions made: what a migration makes of the registers in them.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SLOT_SPAN } from '../../../src/stores/rows/columns.ts';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import {
  type CommittedRow,
  ERASED_DIGEST,
  expectUpgraded,
  oldRows,
  selectCommitted,
} from '../../contracts/old-records.ts';
import { expectIndexed, fillRegisters, INDEX_MIGRATION, NOT_OF_LOGS } from '../../contracts/unindexed-store.ts';
import { expectIdentified, expectTwins, OLD_CHANGES, OLD_DEFINITIONS, TWINS } from '../../contracts/old-registers.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  path = join(folder, 'store.db');
});
afterEach(() => rm(folder, { recursive: true }));

const open = (): SqliteStore => SqliteStore.open(path);

/** The database of a store as it was before the migration with this name. */
function before(migration: string): DatabaseSync {
  const end = SQLITE_MIGRATIONS.findIndex(({ name }) => name === migration);
  SqliteConnection.open(path, {}, SQLITE_MIGRATIONS.slice(0, end)).close();
  return new DatabaseSync(path);
}

it('gives every register of an older store a UUID and a date, once, and leaves the rest of its definition', async () => {
  const database = before('a UUID for every register');
  const insert = database.prepare('INSERT INTO registers (id, definition, last_change) VALUES (?, ?, ?)');
  for (const [id, definition] of OLD_DEFINITIONS) insert.run(id, definition, OLD_CHANGES[id]![0]);
  database.close();
  await expectIdentified(open);
});

it('keeps two registers that an older store made with one UUID, and refuses a third', async () => {
  const database = before('no two registers with one UUID');
  const insert = database.prepare('INSERT INTO registers (id, definition, log) VALUES (?, ?, ?)');
  for (const twin of TWINS) insert.run(...twin);
  database.exec('INSERT INTO logs (register, uuid) SELECT number, log FROM registers');
  database.close();
  await expectTwins(open);
});

function oldStore(): void {
  const database = before('versions commit to statements');
  database.exec('BEGIN');
  for (const [table, columns] of oldRows()) {
    const names = Object.keys(columns);
    const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
    database.prepare(sql).run(...Object.values(columns));
  }
  database.exec('COMMIT');
  database.close();
}

async function committed(): Promise<CommittedRow[]> {
  const database = new DatabaseSync(path);
  try {
    return database.prepare(selectCommitted('')).all() as unknown as CommittedRow[];
  } finally {
    database.close();
  }
}

it('makes statements, salts and commitments of what an older store holds, and the same file changes nothing', async () => {
  oldStore();
  expect((await readFile(path)).includes(ERASED_DIGEST)).toBe(true);
  await expectUpgraded(open, committed);
  expect((await readFile(path)).includes(ERASED_DIGEST)).toBe(false);
});

/** The migration that commits old versions. */
const COMMITTING = SQLITE_MIGRATIONS.findIndex(({ before }) => before !== undefined);

it('completes an upgrade that was interrupted, and leaves what it had done', async () => {
  oldStore();
  SqliteConnection.open(path, {}, SQLITE_MIGRATIONS.slice(0, COMMITTING)).close();
  const database = new DatabaseSync(path);
  database.exec(`CREATE TRIGGER stop BEFORE UPDATE ON versions WHEN new.entry = ${SLOT_SPAN + 1050}
    BEGIN SELECT RAISE(ABORT, 'interrupted'); END`);
  expect(open).toThrow('interrupted');
  const some = await committed();
  expect(some.length).toBeGreaterThan(0);
  database.exec('DROP TRIGGER stop');
  database.close();
  await (await Promise.resolve(open())).close();
  const all = await committed();
  expect(all.slice(0, some.length)).toEqual(some);
  expect(all).toHaveLength(1103);
});

it('gives an older store an index of terms, which is built while it is used', async () => {
  const today = join(folder, 'today.db');
  const store = SqliteStore.open(today);
  await fillRegisters(store);
  await store.close();
  const database = before(INDEX_MIGRATION);
  database.exec(`ATTACH '${today}' AS today`);
  const columns = database.prepare(`SELECT t.name AS "table", group_concat(c.name, ', ') AS columns
    FROM sqlite_schema t JOIN pragma_table_info(t.name) c JOIN pragma_table_info(t.name, 'today') n ON n.name = c.name
    WHERE t.type = 'table' AND t.name NOT IN ('migrations', 'sqlite_sequence') GROUP BY t.name`);
  for (const { table, columns: names } of columns.all() as { table: string; columns: string }[]) {
    database.exec(
      `INSERT INTO main.${table} (${names}) SELECT ${names} FROM today.${table} ${NOT_OF_LOGS[table] ?? ''}`,
    );
  }
  database.close();
  await expectIndexed(async () => open());
});
