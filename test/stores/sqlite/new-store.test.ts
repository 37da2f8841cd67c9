// A new store is made from what the migrations come to, and an older one by the migrations themselves: both are the same.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SqliteConnection } from '../../../src/stores/sqlite/connection.ts';
import { newStoreSql } from '../../../src/stores/sqlite/file/empty-schema.ts';
import { SQLITE_MIGRATIONS } from '../../../src/stores/sqlite/migrations.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A row without the UUID that it was given at random. */
function withoutUuid(row: unknown): object {
  return { ...(row as object), uuid: null };
}

/** Everything in a file: its numbers, what it has tables and indexes of, in their order, and all rows. */
function contents(path: string): object {
  const db = new DatabaseSync(path);
  try {
    const all = (sql: string): unknown[] => db.prepare(sql).all();
    const schema = all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid');
    const tables = schema as { readonly type: string; readonly name: string }[];
    return {
      numbers: ['user_version', 'application_id', 'page_size', 'journal_mode', 'auto_vacuum', 'encoding'].map((name) =>
        all(`PRAGMA ${name}`),
      ),
      schema,
      // SQLite notes a counter that never counted as 0, or not at all.
      counters: all('SELECT * FROM sqlite_sequence WHERE seq > 0'),
      rows: tables
        .filter(({ type, name }) => type === 'table' && name !== 'sqlite_sequence')
        .map(({ name }) => [name, all(`SELECT * FROM ${name}`).map(withoutUuid)]),
    };
  } finally {
    db.close();
  }
}

it('is the same as a store that every migration has upgraded', () => {
  const [made, upgraded] = [join(folder, 'made.db'), join(folder, 'upgraded.db')];
  SqliteConnection.open(made).close();
  for (let known = 1; known <= SQLITE_MIGRATIONS.length; known++)
    SqliteConnection.open(upgraded, {}, SQLITE_MIGRATIONS.slice(0, known)).close();
  expect(contents(made)).toEqual(contents(upgraded));
});

it('has each table made once, as the last migration leaves it', () => {
  const made = newStoreSql(SQLITE_MIGRATIONS).matchAll(/^(CREATE TABLE|ALTER TABLE|DROP TABLE|UPDATE) "?(\w+)/gm);
  const changes = [...made].map(([, change, table]) => `${change} ${table}`);
  expect(changes).toContain('CREATE TABLE logs');
  expect(changes.filter((change) => !change.startsWith('CREATE TABLE'))).toEqual([]);
  expect(new Set(changes).size).toBe(changes.length);
});

it('has rows of its own where a migration fills a table', () => {
  const migrations = [
    ...SQLITE_MIGRATIONS,
    { name: 'a secret', compatibleFrom: 1, sql: 'CREATE TABLE secret AS SELECT hex(randomblob(16)) AS secret' },
  ];
  const secrets = ['one.db', 'other.db'].map((name) => {
    SqliteConnection.open(join(folder, name), {}, migrations).close();
    const db = new DatabaseSync(join(folder, name));
    const rows = db.prepare('SELECT secret FROM secret').all() as { readonly secret: string }[];
    db.close();
    return rows.map(({ secret }) => secret);
  });
  expect(secrets.map((rows) => rows.length)).toEqual([1, 1]);
  expect(secrets[0]).not.toEqual(secrets[1]);
});
