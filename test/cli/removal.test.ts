// A removal of a register that was interrupted: every later command that opens the store for writing, and a service, go on
// with it; until then `doctor` says so, and nothing else.
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { defineRegister } from '../../src/register/definition.ts';
import { rememberRemoval } from '../../src/stores/rows/register.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { until } from '../until.ts';
import { folder, gazette } from './run.ts';
import { makeStore, serve } from './served.ts';

/** More than one transaction of a removal deletes. */
const RECORDS = 1200;

/** How many rows of registers a file has that no register has. */
function rowsLeft(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const row = db.prepare(
      `SELECT (SELECT count(*) FROM registers WHERE is_removed = 1) + (SELECT count(*) FROM records)
        + (SELECT count(*) FROM versions) + (SELECT count(*) FROM logs WHERE register = 1) AS count`,
    );
    return Number(row.get()!.count);
  } finally {
    db.close();
  }
}

/** A store whose register `permits` was removed by a process that was killed after its first transaction. */
async function interrupted(): Promise<string> {
  const { path } = await makeStore(RECORDS);
  const store = SqliteStore.open(path);
  await store.createRegister(defineRegister({ id: 'other', title: 'O', created_at: '2026-01-01T00:00:00Z' }));
  await store.close();
  const db = new DatabaseSync(path);
  db.prepare(rememberRemoval('', 'id = ?')).run('permits');
  db.prepare('UPDATE registers SET is_removed = 1, uuid = NULL WHERE id = ?').run('permits');
  db.close();
  expect(rowsLeft(path)).toBeGreaterThan(2 * RECORDS);
  return path;
}

const SAID = 'gazette: removed what was left of the register permits, whose removal had been interrupted\n';

describe('an interrupted removal', () => {
  it('is completed by every command that opens the store for writing', async () => {
    const path = await interrupted();
    const place = await folder();
    const file = `${place}/records.json`;
    await writeFile(file, JSON.stringify([{ id: '1', title: 'T', source_url: 'https://example.org/' }]));
    const commands = [
      ['register', 'list'],
      ['register', 'remove', 'permits', '--yes'],
      ['register', 'add', 'permits', '--title', 'P'],
      ['import', 'other', file],
      ['account', 'add', 'another'],
      ['key', 'list', 'acme'],
      ['webhook', 'list', 'acme'],
      ['export', 'other', '--format', 'csv'],
      ['backup', `${place}/copy.db`],
      ['log', 'recover', 'other', '--new-log', '--yes'],
      ['doctor', '--restored', '--yes'],
    ];
    for (const [at, command] of commands.entries()) {
      const copy = `${place}/${at}/gazette.db`;
      await mkdir(`${place}/${at}`);
      await cp(path, copy);
      const { code, stderr } = await gazette([...command, '--store', copy]);
      expect([code, stderr, command], stderr).toEqual([0, expect.stringContaining(SAID), command]);
      expect([rowsLeft(copy), command]).toEqual([command[0] === 'import' ? 2 : 0, command]);
      expect(await gazette(['doctor', '--store', copy])).toMatchObject({ code: 0 });
      expect((await gazette(['register', 'list', '--store', copy])).stderr).toBe('');
    }
    expect(rowsLeft(`${place}/8/gazette.db`)).toBe(0);
  });

  it('is completed by a service', async () => {
    const path = await interrupted();
    const { child, ended } = await serve(path);
    await until('the end of the removal', () => rowsLeft(path) === 0);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining(SAID) as unknown });
  });

  it('is the one thing that doctor finds', async () => {
    const path = await interrupted();
    const { code, stdout } = await gazette(['doctor', '--store', path]);
    expect([code, stdout.toString()]).toEqual([
      1,
      'registers, number 1 (register permits): the register was removed, but not all of its rows: every command that opens the store for writing, and gazette serve, go on with it\n',
    ]);
  });
});
