// How the program treats the process it runs in.
import { EventEmitter } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ending, folder, gazette, gazetteProcess, start } from './run.ts';
import { makeStore, serve } from './served.ts';
import { memoryFlags } from '../../src/cli/process/node/memory-flags.ts';
import { hushExperiments } from '../../src/cli/process/node/warnings.ts';

describe('flags for memory', () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['an import', ['import', 'r', 'f.json'], [], ['--max-semi-space-size=8']],
    ['an import that was started with one', ['import', 'r', 'f.json'], ['--max-semi-space-size=32'], []],
    ['an export that was started with one, as V8 spells it', ['export', '-'], ['--max_semi_space_size=4'], []],
    [
      'an export in whose environment there is one',
      ['export', '-'],
      ['--enable-source-maps --max-semi-space-size=4'],
      [],
    ],
    ['another command', ['register', 'list'], [], []],
    ['an export', ['export', '-', '--format', 'csv'], [], ['--max-semi-space-size=8']],
    ['an export of a feed', ['export', '-', '--format=atom'], [], ['--max-semi-space-size=16']],
    ['an export into a workbook', ['export', 'r', '--output', 'r.xlsx'], [], ['--max-semi-space-size=16']],
    ['an import of a workbook', ['import', 'r', 'r.xlsx'], [], ['--max-semi-space-size=8']],
    ['a snapshot', ['snapshot', '--out', 'site'], [], ['--max-semi-space-size=8']],
    ['a file of the name of a command', ['register', 'import'], [], []],
    ['no command', [], [], []],
  ])('for %s', (_, args, execArgv, flags) => {
    expect(memoryFlags(args, execArgv)).toEqual(flags);
  });
});

describe('warnings', () => {
  it('of experimental features are not shown, others on one line each', () => {
    const shown: string[] = [];
    const emitter = Object.assign(new EventEmitter(), { stderr: { write: (text: string) => shown.push(text) } });
    emitter.on('warning', () => shown.push('as Node prints it'));
    hushExperiments(emitter);
    const warn = (name: string): boolean => emitter.emit('warning', Object.assign(new Error('it is so'), { name }));
    warn('ExperimentalWarning');
    warn('MaxListenersExceededWarning');
    expect(shown).toEqual(['gazette: warning: MaxListenersExceededWarning: it is so\n']);
  });
});

describe('a reader that has enough', () => {
  it('is no failure of the command that writes to it', async () => {
    const store = join(await folder(), 'gazette.db');
    await gazette(['register', 'add', 'r', '--title', 'R', '--store', store]);
    const child = start(['register', 'show', 'r', '--store', store]);
    child.stdin.end();
    child.stdout.destroy();
    expect(await ending(child)).toMatchObject({ code: 0, stderr: '' });
  });

  it('keeps nothing from being done, when it read the messages too', async () => {
    const own = await folder();
    const [file, store, config] = ['permits.csv', 'gazette.db', 'gazette.json'].map((name) => join(own, name)) as [
      ...[string, string, string],
    ];
    await writeFile(file, 'id,title,source_url\n1,One,https://example.org/1\n');
    const child = start(['init', file, '--yes', '--no-serve', '--store', store, '--config', config]);
    child.stdin.end();
    child.stdout.destroy();
    child.stderr.destroy();
    expect(await ending(child)).toMatchObject({ code: 0 });
    expect((await readdir(own)).sort()).toEqual(['gazette.db', 'gazette.json', 'permits.csv']);
  });
});

/** Records as NDJSON: their document is more than a pipe holds at a time. */
const RECORDS = Array.from({ length: 3000 }, (_, id) =>
  JSON.stringify({ id, title: `Title ${'ü'.repeat(id % 40)}`, source_url: 'https://example.org/', extra: { id } }),
).join('\n');

const RECORD = JSON.stringify({ id: 'x', title: 'X', source_url: 'https://example.org/' });

const EXPORT = ['export', '-', '--observed-at', '2026-01-01', '--input-format', 'ndjson', '--format'];

describe('a process', () => {
  // Most tests run the command line without one: what they show holds for a process too.
  it.each<[string, number, readonly string[], string]>([
    ['a document of bytes', 0, [...EXPORT, 'xlsx'], RECORDS],
    ['a document and a warning', 0, [...EXPORT, 'csv', '--map', 'data.area=area'], RECORDS],
    ['a document that cannot be complete', 1, [...EXPORT, 'csv'], `${RECORDS}\n{`],
    ['a wrong option', 2, ['register', 'list', '--jsn'], ''],
    ['no command', 2, [], ''],
    ['the version', 0, ['--version'], ''],
  ])('says and ends with what a run without one does: %s', async (_, code, args, input) => {
    const [inProcess, ofProcess] = await Promise.all([gazette(args, input), gazetteProcess(args, input)]);
    expect(ofProcess).toEqual({ ...inProcess, code, signal: null });
    expect(inProcess.stdout.length + inProcess.stderr.length).toBeGreaterThan(0);
  });

  it('does the same with a store: each command that only reads', async () => {
    const { path, key } = await makeStore(120);
    const place = await folder();
    const commands = [
      ['register', 'show', 'permits'],
      ['record', 'show', 'permits:2026-0002', '--json'],
      ['account', 'list'],
      ['key', 'list', 'acme'],
      ['webhook', 'list', '--json'],
      ['doctor', '--json'],
      ['export', 'permits', '--format', 'atom'],
      ['import', 'permits', '-', '--format', 'ndjson', '--dry-run'],
    ];
    const runs = commands.map(async (command) => {
      const args = [...command, '--store', path];
      const [inProcess, ofProcess] = await Promise.all([gazette(args, RECORD), gazetteProcess(args, RECORD)]);
      expect(ofProcess).toEqual({ ...inProcess, code: 0, signal: null });
    });
    await Promise.all(runs);
    for (const run of [gazette, gazetteProcess]) {
      const made = join(place, run.name);
      expect(await run(['backup', `${made}.db`, '--store', path])).toMatchObject({ code: 0 });
      const site = ['snapshot', '--store', path, '--out', made, '--base-url', 'https://static.example.org'];
      expect(await run(site)).toMatchObject({ code: 0 });
      expect((await run(['verify', made])).stdout.toString()).toMatch(/^whole: /);
    }
    const { api, child } = await serve(path);
    const copies = [gazette, gazetteProcess].map(async (run) => {
      const output = join(place, `${run.name}.csv`);
      const args = ['pull', `${api}/feeds/permits`, '--format', 'csv', '--output', output];
      expect(await run(args, '', { GAZETTE_API_KEY: key })).toMatchObject({ code: 0 });
      return readFile(output);
    });
    const [one, other] = await Promise.all(copies);
    expect(other!.equals(one!)).toBe(true);
    child.kill('SIGTERM');
  });

  it.each([
    ['in this process', gazette],
    ['as a process', gazetteProcess],
  ])('takes from variables what no option says, %s', async (_, run) => {
    const store = join(await folder(), 'gazette.db');
    const env = { GAZETTE_STORE: store, GAZETTE_PRODUCT: 'city' };
    expect(await run(['account', 'add', 'acme'], '', env)).toMatchObject({ code: 0 });
    const created = await run(['key', 'create', 'acme'], '', env);
    expect(created.stderr).toContain(' for account acme and product city;');
    const listed = await run(['account', 'list', '--store', `${store}.other`], '', env);
    expect([listed.code, listed.stderr]).toEqual([1, expect.stringContaining(`there is no store ${store}.other;`)]);
    const other = await run(['key', 'create', 'acme', '--product', 'county'], '', env);
    expect(other.stderr).toContain(' and product county;');
  });
});
