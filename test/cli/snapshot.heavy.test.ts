// `gazette snapshot` and `gazette verify` through the real command line.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { sign } from '../wings/proofs/signing.ts';
import { permits } from '../contracts/store-register.ts';
import { ending, folder, GAZETTE, gazette, start } from './run.ts';
import { makeStore } from './served.ts';
import { until } from '../until.ts';
import { argumentsOf, change } from './snapshots.ts';
import { logsOf } from '../wings/proofs/logs-of.ts';

/** Whether a small disk can be made here: a mount in a name space of its own, which some systems forbid. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

describe('gazette snapshot', () => {
  it('writes all registers for the public, and says so; gazette verify says that it is whole', async () => {
    const { path } = await makeStore(250);
    const out = join(await folder(), 'site');
    expect(await gazette(argumentsOf(path, out))).toMatchObject({
      code: 0,
      stderr: 'gazette: permits: 250 records, 24 files written\n',
    });
    const { code, stdout } = await gazette(['verify', out]);
    expect(code).toBe(0);
    expect(stdout.toString()).toBe('whole: tier public, 1 register, 250 records, 33 files\n');
    expect((await readdir(out)).sort()).toEqual([
      ...[
        '.gazette.lock',
        '_headers',
        'catalog.jsonld',
        'icon.svg',
        'index.html',
        'manifest.json',
        'opml.xml',
        'permits',
        'sitemap.xml',
        'style.css',
      ],
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
    expect(ended.stdout.toString()).toMatch(/^damaged: tier pro, .*\nchanged: permits\/index\.csv: .*\n$/);
    expect(ended.stderr).toContain('(damaged_snapshot)');
  });

  it('writes the other registers when one fails, names it with the reason, and ends with 1', async () => {
    const { path } = await makeStore(5);
    const store = SqliteStore.open(path);
    await store.createRegister({ ...permits(), id: 'notices', uuid: null });
    await store.createRegister({ ...permits(), id: 'zoning', uuid: null });
    await store.close();
    const out = join(await folder(), 'site');
    await gazette(argumentsOf(path, out));
    // Not what gazette wrote: the register cannot be brought up to date.
    await writeFile(join(out, 'notices/manifest.json'), '{');
    await change(path, [1], '2026-10-02T10:00:00Z');
    const ended = await gazette(argumentsOf(path, out));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/register "notices" was not written: .*manifest\.json.*\(damaged_snapshot\)/);
    expect(await readFile(join(out, 'permits/index.json'), 'utf8')).toContain('Title of 2026-10-02');
    expect(await readFile(join(out, 'index.html'), 'utf8')).toContain('zoning');
  });

  it('verify takes the files of a host when they are named', async () => {
    const { path } = await makeStore(5);
    const out = join(await folder(), 'site');
    await gazette(argumentsOf(path, out));
    await writeFile(join(out, 'CNAME'), 'example.org\n');
    await mkdir(join(out, '.well-known/pki'), { recursive: true });
    await writeFile(join(out, '.well-known/pki/token'), 'x');
    const unnamed = await gazette(['verify', out]);
    expect(unnamed.stdout.toString()).toMatch(/^damaged: .*\nextra: \.well-known\/pki\/token: .*\nextra: CNAME: .*\n$/);
    expect(unnamed.stderr).toMatch(/^gazette: name the extra files that your host needs with --also, .*\n/);
    const ended = await gazette(['verify', out, '--also', 'CNAME', '--also', '.well-known/']);
    expect([ended.code, ended.stdout.toString()]).toEqual([0, 'whole: tier public, 1 register, 5 records, 19 files\n']);
  });

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
    // A signature comes after the change.
    const store = SqliteStore.open(path);
    await sign(store, 'permits');
    const { name: log } = await logsOf(store).of('permits');
    await store.close();
    await until('the checkpoint', () => existsSync(join(out, `permits/log/${log}/checkpoint`)));
    await until('the end of the run', () => !existsSync(join(out, 'manifest.next.json')));
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    expect((await gazette(['verify', out])).code).toBe(0);
  });
});
