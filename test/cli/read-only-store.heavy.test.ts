// A store that a command may read but not write, as the operating system sees it: every reading command works.
import { spawnSync } from 'node:child_process';
import { chmod, chown, copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Ending, ending, folder, GAZETTE, start, type User } from './run.ts';
import { makeStore, serveAs } from './served.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';

/** Root may write whatever the modes say: root runs the commands as a user without rights. */
const USER: User = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** That user may not be allowed to read the program. */
const REASON =
  process.getuid === undefined
    ? 'this system has no modes of files'
    : spawnSync(process.execPath, [GAZETTE, '--version'], USER).status === 0
      ? null
      : 'the user without rights cannot run the program';

/** That user has no part in the compiled forms that Node keeps for root. */
let compiled = '';
beforeAll(async () => {
  compiled = await mkdtemp(join(tmpdir(), 'gazette-compiled-'));
  await chmod(compiled, 0o777);
});
afterAll(() => rm(compiled, { recursive: true }));

const gazette = (args: readonly string[]): Promise<Ending> => {
  const child = start(args, { NODE_COMPILE_CACHE: compiled }, USER);
  child.stdin.end();
  return ending(child);
};

/** The modes of the folder and of the file in it. */
const PLACES = [
  ['a file that cannot be written', 0o755, 0o444],
  ['a file in a folder that cannot be written', 0o555, 0o644],
  ['both', 0o555, 0o444],
] as const;

/** A store with some records that has these modes. */
async function makePlace(folderMode: number, fileMode: number) {
  const { path, key } = await makeStore(120);
  const outside = await folder();
  const place = join(outside, 'place');
  const store = join(place, 'store.db');
  await mkdir(place);
  await copyFile(path, store);
  for (const [owned, mode] of [
    [store, fileMode],
    [outside, 0o755],
    [place, folderMode],
  ] as const) {
    // prettier-ignore
    await chown(owned, USER.uid ?? process.getuid!(), USER.gid ?? process.getgid!());
    await chmod(owned, mode);
  }
  onTestFinished(() => chmod(place, 0o755));
  return { outside, place, store, key };
}

describe.skipIf(REASON !== null)(`a store that can only be read${REASON === null ? '' : ` (${REASON})`}`, () => {
  it.each(PLACES)('is read by every command that reads: %s', async (_, folderMode, fileMode) => {
    const { outside, place, store } = await makePlace(folderMode, fileMode);
    const before = await readdir(place);
    const exported = await gazette(['export', 'permits', '--format', 'ndjson', '--store', store]);
    expect(exported).toMatchObject({ code: 0, stderr: '' });
    expect(exported.stdout.toString().trimEnd().split('\n')).toHaveLength(120);
    expect(await gazette(['register', 'list', '--store', store])).toMatchObject({ code: 0 });
    // It reads everything, and finds nothing but the mode that this test gave the file.
    const examined = await gazette(['doctor', '--store', store]);
    const mode = fileMode.toString(8).padStart(4, '0');
    expect(examined.stdout.toString()).toMatch(
      new RegExp(`^the mode of \\S+ must be 0600, or give others no access, got ${mode}\n$`),
    );
    const copy = join(outside, 'copy.db');
    expect(await gazette(['backup', copy, '--store', store])).toMatchObject({ code: 0 });
    const opened = SqliteStore.open(copy);
    expect(await opened.register('permits')).toMatchObject({ total: 120 });
    await opened.close();
    if (folderMode === 0o555) expect(await readdir(place)).toEqual(before);
  });

  it.each(PLACES)('refuses what would be written, without a stack: %s', async (_, folderMode, fileMode) => {
    const { store } = await makePlace(folderMode, fileMode);
    const restored = await gazette(['doctor', '--restored', '--yes', '--store', store]);
    expect([restored.code, restored.stderr]).toEqual([1, expect.stringContaining('(output_failed)')]);
    expect(await gazette(['register', 'add', 'r', '--title', 'R', '--store', store])).toMatchObject({
      code: 1,
      stderr: `gazette: the store "${store}" can only be read: its file or folder cannot be written (output_failed)\n`,
    });
  });

  it('is served, with keys, and without a complaint at the end', async () => {
    const { store, key } = await makePlace(0o555, 0o444);
    const { child, api, ended } = await serveAs(USER, store);
    const headers = { authorization: `Bearer ${key}` };
    const page = await fetch(`${api}/feeds/permits/records?limit=100`, { headers });
    expect(page.status).toBe(200);
    expect((await page.json()) as object).toMatchObject({ feed_id: 'permits', next_offset: 100 });
    expect((await fetch(new URL('/readyz', api))).status).toBe(200);
    child.kill('SIGTERM');
    expect((await ended).stderr).toMatch(
      /^gazette: serving .*\n(?:gazette: the (?:registers|reference|guide): .*\n){3}$/,
    );
  });
});
