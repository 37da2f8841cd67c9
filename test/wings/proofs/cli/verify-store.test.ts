// `gazette verify STORE`: every row of a store, and a log in it, against a key and the checkpoint of the last run.
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { sign, signedHead, signLogOfLogs } from '../signing.ts';
import { folder, gazette } from '../../../cli/run.ts';
import { makeStore } from '../../../cli/served.ts';
import { logsOf } from '../logs-of.ts';

type Ended = Awaited<ReturnType<typeof gazette>>;

const verify = (path: string, ...more: readonly string[]): Promise<Ended> =>
  gazette(['verify', `sqlite:${path}`, ...more]);

it('proves the log of a register, and the log of logs, and remembers them', async () => {
  const { path } = await makeStore(300);
  const store = SqliteStore.open(path);
  await sign(store, 'permits');
  await signLogOfLogs(store);
  const { vkey, origin, checkpoint } = await logsOf(store).of('permits');
  const { vkey: ofLogs, origin: name, checkpoint: listed } = await logsOf(store).ofLogs();
  const state = join(await folder(), 'permits.note');
  const known = ['--vkey', vkey!, '--state', state];
  expect((await verify(path, ...known)).stdout.toString()).toBe(
    `complete and unrewritten to change 300: 300 records\nin the log of logs ${name!}: all of it\n`,
  );
  expect(await readFile(state, 'utf8')).toBe(`${checkpoint!}\n${listed!}`);
  expect((await verify(path, '--vkey', ofLogs!)).stdout.toString()).toBe(
    'complete and unrewritten to checkpoint 1\n1 log of registers, each with all that its checkpoints said\n',
  );
  await store.withdraw('permits', ['permits:2026-0007'], { recordedAt: '2026-10-02T10:00:00Z' });
  // What is not signed yet is not compared.
  expect((await verify(path, ...known)).stdout.toString()).toContain('to change 300, which begins with the 300');
  await sign(store, 'permits');
  await store.close();
  expect((await verify(path, ...known)).stdout.toString()).toBe(
    `complete and unrewritten to change 301, which begins with the 300 of the last run: 299 records\nin the log of logs ${name!}: all but the newest 1 change\n`,
  );
  await writeFile(state, signedHead(origin!, { size: 200, root: Buffer.alloc(32) }).checkpoint);
  expect(await verify(path, ...known)).toMatchObject({ code: 3 });
  expect(await readFile(`${state}.forked`, 'utf8')).toContain('\n200\n');
  for (const args of [[], ['--state', state]]) expect(await verify(path, ...args)).toMatchObject({ code: 2 });
  const missing = await verify(`${path}.not`, '--vkey', vkey!);
  expect([missing.code, missing.stdout.toString()]).toEqual([1, '']);
});

it('is refused for another store, a log that is not signed, and a log under another name', async () => {
  const [{ path }, { path: other }] = [await makeStore(3), await makeStore(3)];
  const store = SqliteStore.open(path);
  await sign(store, 'permits');
  const { vkey } = await logsOf(store).of('permits');
  await store.close();
  const stranger = await verify(other, '--vkey', vkey!);
  expect([stranger.code, stranger.stderr]).toEqual([1, expect.stringContaining('(invalid_proof)')]);
  const again = SqliteStore.open(path);
  await again.beginNewLogs({ at: '2027-01-01T00:00:00Z', feedId: 'permits' });
  await again.close();
  expect((await verify(path, '--vkey', vkey!)).stderr).toContain('under another name');
  const ofLogs = vkey!.replace(/\/api\/v1\/.*?\+/, `/api/v1/log/${'0'.repeat(8)}-0000-0000-0000-000000000000+`);
  expect(await verify(path, '--vkey', ofLogs)).toMatchObject({ code: 1 });
});

it.each([
  ['a text', `UPDATE records SET title = 'Another one' WHERE slot = (SELECT max(slot) FROM records)`],
  ['a time', `UPDATE versions SET recorded_at = recorded_at + 1000 WHERE entry = (SELECT max(entry) FROM versions)`],
  ['a hash of the tree', `UPDATE log_tiles SET hashes = zeroblob(length(hashes)) WHERE level = 0`],
  ['a version less', `DELETE FROM versions WHERE entry = (SELECT max(entry) FROM versions)`],
])('finds %s that is not what was signed', async (_, sql) => {
  const { path } = await makeStore(300);
  const store = SqliteStore.open(path);
  await sign(store, 'permits');
  const { vkey } = await logsOf(store).of('permits');
  await store.close();
  const changed = join(await folder(), 'changed.db');
  await copyFile(path, changed);
  const database = new DatabaseSync(changed);
  expect(Number(database.prepare(sql).run().changes)).toBeGreaterThan(0);
  database.close();
  expect(await verify(path, '--vkey', vkey!)).toMatchObject({ code: 0 });
  const ended = await verify(changed, '--vkey', vkey!);
  expect([ended.code, ended.stdout.toString()]).toEqual([1, '']);
});
