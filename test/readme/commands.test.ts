// The README's commands run as they stand there, in a folder with the files they name.
import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { digestApiKey } from '../../src/access/api-key.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { readRssWithSaxes } from '../contracts/feed-entries.ts';
import { validateXsd } from '../contracts/xsd-validator.ts';
import { folder } from '../cli/run.ts';
import { readmeCommands } from './readme-blocks.ts';
import { readWorkbook } from '../contracts/xlsx-reader.ts';

const run = promisify(execFile);
const GAZETTE = join(import.meta.dirname, '../../src/cli/gazette.ts');

/** Blocks that install and serve for real: CI runs the one and test/fixtures/serve.test.ts what the other starts. */
const OF_THE_CHECKOUT = ['npm ci && npm start\n', 'npm ci && npm test\n'];

const COMMANDS = readmeCommands().filter((block) => !OF_THE_CHECKOUT.includes(block));

/** Words by which each block is known. */
const RUN = ['decisions.xlsx', 'notices.rss', 'gazette import kev', 'gazette backup', 'gazette snapshot'] as const;

/** The block that has `start` in it, run in a folder of these files; its answer, and the folder. */
async function runBlock(
  start: (typeof RUN)[number],
  files: Readonly<Record<string, string>>,
): Promise<{ readonly at: string; readonly stdout: string; readonly stderr: string }> {
  const at = await folder();
  for (const [name, text] of Object.entries(files)) await writeFile(join(at, name), text);
  const bin = await folder();
  await writeFile(join(bin, 'gazette'), `#!/bin/sh\nexec '${process.execPath}' '${GAZETTE}' "$@"\n`);
  await chmod(join(bin, 'gazette'), 0o755);
  const block = COMMANDS.find((commands) => commands.includes(start))!;
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };
  const { stdout, stderr } = await run('sh', ['-ec', block.replace('npm run --silent gazette --', 'gazette')], {
    cwd: at,
    env,
  });
  return { at, stdout, stderr };
}

const NOTICES = [
  { id: '1', title: 'First', source_url: 'https://exampleton.example/1', observed_at: '2026-01-01', fee: 1.5 },
  { id: '2', title: 'Second', source_url: 'https://exampleton.example/2', observed_at: '2026-01-02', fee: 2 },
];
const NDJSON = NOTICES.map((notice) => `${JSON.stringify(notice)}\n`).join('');

describe('the README’s commands', () => {
  it('make a workbook of a publisher’s file', async () => {
    const items = [{ number: '7/2026', name: 'Ford', fee: 12.5 }];
    const { at } = await runBlock('decisions.xlsx', { 'decisions.json': JSON.stringify({ result: { items } }) });
    const [names, ...rows] = readWorkbook(await readFile(join(at, 'decisions.xlsx'))).sheets[0]!.rows;
    const records = rows.map((row) =>
      Object.fromEntries([...row].map(([letters, { value }]) => [names!.get(letters)!.value, value])),
    );
    expect(records).toMatchObject([
      { id: 'records:7~2F2026', title: 'Ford', source_url: 'https://exampleton.example/decisions/7%2F2026', fee: 12.5 },
    ]);
  });

  it('turn a file round for a feed, and print the schema of its XML', async () => {
    const { at, stderr } = await runBlock('notices.rss', { 'notices.ndjson': NDJSON });
    expect(stderr).toBe('');
    const entries = readRssWithSaxes(await readFile(join(at, 'notices.rss')));
    expect(entries.map(({ title }) => title)).toEqual(['Second', 'First']);
    const args = [GAZETTE, 'export', '-', '--format', 'xml', '--input', join(at, 'notices.ndjson')];
    const { stdout: xml } = await run(process.execPath, args);
    validateXsd(await readFile(join(at, 'notices.xsd'), 'utf8'), [Buffer.from(xml)]);
  });

  it('keep a register in a store and export it', async () => {
    const vulnerability = {
      cveID: 'CVE-2026-0001',
      vulnerabilityName: 'A',
      shortDescription: 'B',
      dateAdded: '2026-01-02',
    };
    const { at, stdout } = await runBlock('gazette import kev', {
      'known_exploited_vulnerabilities.json': JSON.stringify({
        vulnerabilities: [vulnerability, { ...vulnerability, cveID: 'CVE-2026-0000', dateAdded: '2026-01-01' }],
      }),
    });
    expect(stdout).toContain('kev: added 2, changed 0, unchanged 0, withdrawn 0, restored 0, refused 0\n');
    const rows = parse<{ id: string; title: string }>(await readFile(join(at, 'kev.csv')), { columns: true });
    expect(rows.map(({ id }) => id)).toEqual(['kev:CVE-2026-0001', 'kev:CVE-2026-0000']);
  });

  it('open an account, make a key of it, and back the store up', async () => {
    const { at } = await runBlock('gazette backup', {});
    const store = SqliteStore.open(join(at, 'gazette-copy.db'));
    const key = (await readFile(join(at, 'acme.key'), 'utf8')).trim();
    const found = await store.accounts.findKey(digestApiKey(key));
    await store.close();
    expect([found?.account.id, found?.account.accessUntil]).toEqual(['acme', '2030-12-31T23:59:59.999Z']);
  });

  it('publish a register as files', async () => {
    const { at, stdout } = await runBlock('gazette snapshot', { 'bylaws.ndjson': NDJSON });
    expect(stdout).toMatch(/^whole: tier public, 1 register, 2 records, \d+ files$/m);
    const { records } = JSON.parse(await readFile(join(at, 'site/bylaws/index.json'), 'utf8')) as {
      readonly records: readonly { readonly title: string }[];
    };
    expect(records.map(({ title }) => title)).toEqual(['Second', 'First']);
  });

  it('are all run here', () => {
    expect(COMMANDS.filter((block) => !RUN.some((start) => block.includes(start)))).toEqual([]);
  });
});
