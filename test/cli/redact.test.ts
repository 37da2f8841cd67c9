// `gazette record redact --purge`, and the purges that were held up: every later command and a service end them.
import { readFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at } from '../contracts/store-register.ts';
import { until } from '../until.ts';
import { gazette } from './run.ts';
import { makeStore, serve } from './served.ts';

const SECRET = 'S3CR3T title';
const ID = 'permits:2026-0002';

/** How many files of a store have the content. */
async function filesWith(path: string, content: string): Promise<number> {
  const files = await Promise.all([path, `${path}-wal`].map((file) => readFile(file).catch(() => Buffer.alloc(0))));
  return files.filter((file) => file.includes(content)).length;
}

/** A store with an erased record whose purge a reader holds up. */
async function heldUp(): Promise<{ readonly path: string; readonly reader: DatabaseSync }> {
  const { path } = await makeStore(3, { title: SECRET });
  const reader = new DatabaseSync(path);
  onTestFinished(() => {
    if (reader.isOpen) reader.close();
  });
  reader.exec('BEGIN; SELECT count(*) FROM records');
  const store = SqliteStore.open(path, { busyTimeoutMs: 50 });
  for (const number of [1, 2, 3]) await store.redact(`permits:2026-000${number}`, { recordedAt: at(1) });
  await store.close();
  expect(await filesWith(path, SECRET)).toBeGreaterThan(0);
  return { path, reader };
}

it('erases a record and says what is left of it, and until when', async () => {
  const { path } = await makeStore(3);
  const redact = ['record', 'redact', ID, '--store', path];
  const { code, stderr } = await gazette([...redact, '--yes', '--purge']);
  expect(code).toBe(0);
  const lines = stderr.split('\n').map((line) => line.replace('gazette: ', ''));
  expect(lines.slice(0, 2)).toEqual([`erased the content of ${ID}`, 'its content may still be in']);
  expect(lines).toContain('- backups and other copies of the store’s file, for as long as they are kept');
  expect(stderr).toMatch(/webhooks delivered/);
  expect(stderr).not.toMatch(/hold up/);
  expect(await gazette([...redact, '--lift', '--purge'])).toMatchObject({ code: 2 });
});

it('has the next command end a purge, once nobody holds it up', async () => {
  const { path, reader } = await heldUp();
  const list = ['register', 'list', '--store', path];
  const held = `gazette: other processes hold up the purge of ${at(1)}: what was erased may still be in write-ahead log; the next command that opens the store, and gazette serve, try again\n`;
  expect(await gazette(list)).toMatchObject({ code: 0, stderr: held });
  reader.close();
  expect(await gazette(list)).toMatchObject({
    code: 0,
    stderr: `gazette: purged the store of what was erased at ${at(1)}\n`,
  });
  expect(await filesWith(path, SECRET)).toBe(0);
  expect(await gazette(list)).toMatchObject({ code: 0, stderr: '' });
});

it('has a service end a purge, too', async () => {
  const { path, reader } = await heldUp();
  reader.close();
  const { child, ended } = await serve(path);
  await until('the purge', async () => (await filesWith(path, SECRET)) === 0);
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining('purged the store') as unknown });
});
