// `gazette snapshot` and `gazette verify` through the real command line, ended at any moment.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, copyFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeSnapshot } from '../../src/snapshot/run.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { sampleRecord } from '../contracts/sample-register.ts';
import { tries } from '../effort.ts';
import { digests } from '../snapshot/published.ts';
import { ending, folder, gazette, start } from './run.ts';
import { makeStore } from './served.ts';
import { letPass, until } from '../until.ts';

const GAZETTE = join(import.meta.dirname, '../../src/cli/gazette.ts');
const SITE = 'https://static.example.org';

/** How many runs are killed, each at a random moment. */
const KILLS = tries(20);

/** The same, of a register that is large enough for threads. */
const KILLS_OF_THREADS = tries(4);

/** Whether a small disk can be made here: a mount in a name space of its own, which some systems forbid. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

const argumentsOf = (store: string, out: string): readonly string[] => [
  'snapshot',
  ...['--store', store, '--out', out, '--base-url', SITE],
];

async function change(path: string, numbers: readonly number[], recordedAt: string): Promise<void> {
  const store = SqliteStore.open(path);
  const batch = numbers.map((number) =>
    toPublishedRecord(sampleRecord(number, { title: `Title of ${recordedAt}` }), true),
  );
  await store.apply('permits', batch, { recordedAt });
  await store.close();
}

describe('gazette snapshot', () => {
  it('writes all registers for the public, and says so; gazette verify says that it is whole', async () => {
    const { path } = await makeStore(250);
    const out = join(await folder(), 'site');
    expect(await gazette(argumentsOf(path, out))).toMatchObject({
      code: 0,
      stderr: 'gazette: permits: 250 records, 22 files written\n',
    });
    const { code, stdout } = await gazette(['verify', out]);
    expect(code).toBe(0);
    expect(stdout.toString()).toBe('whole: tier public, 1 register, 250 records, 27 files\n');
    expect((await readdir(out)).sort()).toEqual([
      ...['.gazette.lock', '_headers', 'index.html', 'manifest.json', 'opml.xml', 'permits'],
    ]);
  });

  it.each([
    [['--feed', 'nothing'], 1, 'unknown_feed'],
    [['--base-url', 'nowhere'], 2, 'invalid_option'],
    [['--tier', 'gold'], 2, 'usage'],
  ])('refuses %j and writes nothing', async (options, code, name) => {
    const { path } = await makeStore(1);
    const out = join(await folder(), 'site');
    const ended = await gazette([...argumentsOf(path, out), ...options]);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toContain(`(${name})`);
    expect(existsSync(out)).toBe(false);
  });

  it('tells of damage, and ends with 1', async () => {
    const { path } = await makeStore(5);
    const out = join(await folder(), 'site');
    await gazette([...argumentsOf(path, out), '--tier', 'pro']);
    await appendFile(join(out, 'permits/index.csv'), 'x');
    const ended = await gazette(['verify', out]);
    expect(ended.code).toBe(1);
    expect(ended.stdout.toString()).toMatch(/^whole: tier pro, .*\nchanged: permits\/index\.csv: .*\n$/);
    expect(ended.stderr).toContain('(damaged_snapshot)');
  });

  it('killed at any moment leaves old and new files, none torn, is known as what it is, and is completed', async () => {
    const { path } = await makeStore(2000);
    const out = join(await folder(), 'site');
    const complete = async (): Promise<void> => {
      const store = SqliteStore.open(path);
      await writeSnapshot({ store, out, baseUrl: SITE });
      await store.close();
    };
    const isBegun = (): boolean => existsSync(join(out, 'manifest.next.json'));
    let interruptions = 0;
    for (let round = 0; round < KILLS; round++) {
      // In every other round there are old files under the new ones.
      if (round % 2 === 1) {
        await complete();
        const all = Array.from({ length: 20 }, (_, page) => page * 100 + 1);
        await change(path, all, `2026-10-${round + 10}T10:00:00Z`);
      }
      const child = start(argumentsOf(path, out));
      const ended = ending(child);
      // Where a run before was killed, its journal stands already: a process takes as long as this to start.
      if (isBegun()) await letPass(250, 'a journal says nothing of when this process began');
      await until('the journal', () => isBegun() || child.exitCode !== null);
      await letPass(Math.random() * 250, 'the moment is drawn at random');
      child.kill('SIGKILL');
      await ended;
      const isInterrupted = isBegun() || existsSync(join(out, 'permits/manifest.next.json'));
      if (isInterrupted) interruptions++;
      const state = isInterrupted ? 'interrupted' : 'whole';
      expect(await verifySnapshot(out)).toMatchObject({ state, tier: 'public', findings: [] });
    }
    expect(interruptions).toBeGreaterThanOrEqual(KILLS / 5);
    await complete();
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
    // To the byte what a run gives that nobody interrupted.
    const fresh = join(await folder(), 'site');
    expect((await gazette(argumentsOf(path, fresh))).code).toBe(0);
    expect(await digests(out)).toEqual(await digests(fresh));
  }, 120_000);

  it('killed while threads make its pages leaves no torn file, and is completed to the byte by the next run', async () => {
    const { path } = await makeStore(6600);
    const out = join(await folder(), 'site');
    for (let round = 0; round < KILLS_OF_THREADS; round++) {
      const child = start(argumentsOf(path, out));
      const ended = ending(child);
      const isAtPages = (): boolean => existsSync(join(out, 'permits/pages/000001.atom.tmp'));
      if (round === 0) await until('the pages', () => isAtPages() || child.exitCode !== null);
      await letPass((round === 0 ? 0 : 400) + Math.random() * 600, 'the moment is drawn at random');
      child.kill('SIGKILL');
      await ended;
      const { state, findings } = await verifySnapshot(out);
      expect(findings).toEqual([]);
      expect(state).toBe(existsSync(join(out, 'manifest.next.json')) ? 'interrupted' : 'whole');
    }
    expect((await gazette(argumentsOf(path, out))).code).toBe(0);
    expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', records: 6600, findings: [] });
    const fresh = join(await folder(), 'site');
    const store = SqliteStore.open(path);
    await writeSnapshot({ store, out: fresh, baseUrl: SITE, threads: 1 });
    await store.close();
    expect(await digests(out)).toEqual(await digests(fresh));
  }, 120_000);

  it.skipIf(!canMount)(
    'on a full disk leaves old and new files, says so, and completes once there is room',
    async () => {
      const { path } = await makeStore(100);
      const grown = `${path}-grown`;
      await copyFile(path, grown);
      const numbers = Array.from({ length: 1900 }, (_, index) => index + 101);
      await change(grown, numbers, '2026-10-05T10:00:00Z');
      const disk = await folder();
      const out = join(disk, 'site');
      const run = (...args: readonly string[]): string =>
        `'${process.execPath}' '${GAZETTE}' ${args.map((arg) => `'${arg}'`).join(' ')}; echo "ended with $?"`;
      const script = [
        `mount -t tmpfs -o size=2m none '${disk}'`,
        ...[run(...argumentsOf(path, out)), run('verify', out)],
        ...[run(...argumentsOf(grown, out)), run('verify', out)],
        `mount -o remount,size=64m '${disk}'`,
        ...[run(...argumentsOf(grown, out)), run('verify', out)],
      ];
      const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script.join('\n')], { encoding: 'utf8' });
      expect(stdout.replaceAll(/:.*/g, '').split('\n')).toEqual([
        ...['ended with 0', 'whole', 'ended with 0'],
        ...['ended with 1', 'interrupted', 'ended with 1'],
        ...['ended with 0', 'whole', 'ended with 0', ''],
      ]);
      expect(stderr).toContain('(output_failed)');
    },
  );

  it('goes on with --watch, writes what changes, and ends with its signal', async () => {
    const { path } = await makeStore(5);
    const out = join(await folder(), 'site');
    const child = start([...argumentsOf(path, out), '--watch']);
    const ended = ending(child);
    const titled = async (title: string): Promise<void> => {
      const file = join(out, 'permits/index.json');
      await until(title, async () => existsSync(file) && (await readFile(file, 'utf8')).includes(title));
    };
    await titled('"records":[{');
    // It holds the folder while it waits.
    const second = await gazette(argumentsOf(path, out));
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`${out} is being written by another run (snapshot_busy)`);
    await change(path, [5], '2026-10-05T10:00:00Z');
    await titled('Title of 2026-10-05T10:00:00Z');
    await until('the end of the run', () => !existsSync(join(out, 'manifest.next.json')));
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    expect((await gazette(['verify', out])).code).toBe(0);
  }, 30_000);
});
