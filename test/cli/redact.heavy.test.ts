// `gazette record redact --purge`, and the purges that were held up: every later command and a service end them.
import { spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { at } from '../contracts/store-register.ts';
import { until } from '../until.ts';
import { folder, gazette, GAZETTE, SURROUNDINGS } from './run.ts';
import { makeStore, serve } from './served.ts';

const SECRET = 'S3CR3T title';
const ID = 'permits:2026-0002';

const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

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

it.skipIf(!canMount)(
  'says on a full disk that the content is erased, and what is left, which a later command purges',
  async () => {
    const { path } = await makeStore(2000, { title: SECRET });
    const disk = await folder();
    const store = `${disk}/gazette.db`;
    const run = (...args: readonly string[]): string =>
      `'${process.execPath}' '${GAZETTE}' ${args.map((arg) => `'${arg}'`).join(' ')} --store '${store}'; echo "ended with $?"`;
    const redact = (id: string, ...options: readonly string[]) => run('record', 'redact', id, '--yes', ...options);
    const { size } = await stat(path);
    // Room for the erasure, and not for a second copy of the file.
    const script = [
      `mount -t tmpfs -o size=${Math.ceil((size * 1.4) / 4096) * 4}k none '${disk}' && cp '${path}' '${store}'`,
      ...[redact(ID, '--json'), run('record', 'show', ID, '--json'), redact('permits:2026-0003'), run('doctor')],
      `mount -o remount,size=64m '${disk}'`,
      ...[run('register', 'list'), run('doctor'), redact(ID, '--json')],
    ];
    const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script.join('\n')], {
      encoding: 'utf8',
      env: SURROUNDINGS,
    });
    const failure = expect.stringContaining('disk is full') as unknown;
    const pending = { asked_at: expect.any(String) as unknown, parts: ['file', 'write-ahead log'], failure };
    const [erased, shown, again, examined, listed, whole, later] = stdout
      .split(/ended with (\d)\n/)
      .reduce<string[]>(
        (all, part, at) => (at % 2 === 0 ? [...all, part] : [...all.slice(0, -1), `${part} ${all.at(-1)!}`]),
        [],
      );
    expect(erased!.slice(0, 2), stderr).toBe('0 ');
    expect(JSON.parse(erased!.slice(2))).toMatchObject({ id: ID, result: 'erased', pending });
    expect(JSON.parse(shown!.slice(2))).toMatchObject({ state: 'redacted', record: null });
    expect(again).toBe('0 ');
    expect(stderr).toMatch(/erased the content of permits:2026-0003\n/);
    expect(stderr).toMatch(
      /the purge of .* failed \(.*disk is full\): what was erased may still be in file, write-ahead log;/,
    );
    expect(stderr).not.toMatch(/output_failed|hold up/);
    expect(examined).toMatch(/^1 purges: the purge asked for at/);
    expect([listed!.slice(0, 2), whole]).toEqual(['0 ', '0 ']);
    expect(stderr).toMatch(/purged the store of what was erased at/);
    expect(JSON.parse(later!.slice(2))).toMatchObject({ id: ID, result: 'erased_before', pending: null });
  },
);
