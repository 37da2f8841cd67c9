// Files without an identifier at the command line: `init`, later files, what is said, and what is refused.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, gazette } from './run.ts';

const ROWS = 'name;amount\nX;3 000\nY;1 250\nX;3 000\n';
const MAP = ['--map', 'title=name,source_url=https://example.org/'];

/** A folder with a file of these rows, and the command line in it. */
async function place(text: string, env: (config: string) => Readonly<Record<string, string>> = () => ({})) {
  const at = await folder();
  const [file, config, store] = [join(at, 'rows.csv'), join(at, 'gazette.json'), join(at, 'gazette.db')];
  await writeFile(file, text);
  const run = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await gazette([...args, '--store', store], '', env(config));
    return { code, stdout: stdout.toString(), stderr };
  };
  const keys = async (from = store): Promise<unknown[]> => {
    const { stdout } = await gazette(['export', 'rows', '--format', 'ndjson', '--store', from]);
    const lines = stdout.toString().trimEnd().split('\n');
    return lines.map((line) => (JSON.parse(line) as { readonly key: string }).key);
  };
  return { file, config, store, run, keys };
}

describe('a file whose rows have no identifier', () => {
  it('is published by gazette init, which writes how, and takes the next file without an option', async () => {
    const { file, config, run, keys } = await place(ROWS, (path) => ({ GAZETTE_CONFIG: path }));
    const made = await run('init', file, '--yes', '--no-serve', '--config', config);
    expect(made).toMatchObject({ code: 0 });
    expect(made.stderr).toContain(
      'a corrected row is a new record, and the old one is withdrawn; each file has to hold',
    );
    expect(made.stderr).toContain('rows: added 3,');
    const { registers } = JSON.parse(await readFile(config, 'utf8')) as { registers: { import: object }[] };
    expect(registers[0]!.import).toMatchObject({ key: 'row', withdraw_missing: true });
    const before = await keys();
    expect((await run('import', 'rows', file)).stdout).toContain('rows: added 0, changed 0, unchanged 3, withdrawn 0,');
    await writeFile(file, ROWS.replace('1 250', '1 260'));
    // The file is the one that gazette.json names.
    expect((await run('import', 'rows')).stdout).toContain('rows: added 1, changed 0, unchanged 2, withdrawn 1,');
    expect(new Set([...before, ...(await keys())]).size).toBe(4);
  });

  it('is answered as JSON with what became of corrected rows', async () => {
    const rows = (last: string): string => `name;place;amount\nX;Mill lane;3\nY;Quarry;1\nZ;Pond;${last}\n`;
    const { file, run } = await place(rows('5'));
    await run('register', 'add', 'rows', '--title', 'Rows');
    const take = async (): Promise<unknown> => {
      const { stdout } = await run('import', 'rows', file, '--key', 'row', '--withdraw-missing', '--json', ...MAP);
      return (JSON.parse(stdout) as { readonly corrected: unknown }).corrected;
    };
    expect(await take()).toBe(null);
    await writeFile(file, rows('6'));
    expect(await take()).toEqual({ compared: 1, found: 1 });
  });

  it('has the same keys after a backup is restored', async () => {
    const { file, store, run, keys } = await place(ROWS);
    await run('register', 'add', 'rows', '--title', 'Rows');
    await run('import', 'rows', file, '--key', 'row', ...MAP);
    expect(await run('backup', `${store}.copy`)).toMatchObject({ code: 0 });
    const copy = ['--store', `${store}.copy`];
    const again = await gazette(['import', 'rows', file, '--key', 'row', '--withdraw-missing', ...MAP, ...copy]);
    expect(again.stdout.toString()).toContain('rows: added 0, changed 0, unchanged 3, withdrawn 0,');
    expect(await keys(`${store}.copy`)).toEqual(await keys());
  });

  it('accumulates where nothing is withdrawn, which is said', async () => {
    const { file, run } = await place(ROWS);
    await run('register', 'add', 'rows', '--title', 'Rows');
    const take = () => run('import', 'rows', file, '--key', 'row', ...MAP);
    expect((await take()).stderr).toContain('gazette: the rows of all files accumulate (use --withdraw-missing where');
    expect((await take()).stderr).toContain(
      'accumulate; 3 rows of this file are equal to earlier ones, and no new records',
    );
    const { stderr } = await run('import', 'rows', file, '--key', 'row', '--withdraw-missing', ...MAP);
    expect(stderr).not.toContain('accumulate');
  });

  it('is told of an erased record that its id was made of the row', async () => {
    const { file, run, keys } = await place(ROWS);
    await run('register', 'add', 'rows', '--title', 'Rows');
    await run('import', 'rows', file, '--key', 'row', ...MAP);
    const [key] = await keys();
    const { stderr } = await run('record', 'redact', `rows:${String(key)}`, '--yes');
    expect(stderr).toContain(
      '- its id, which was made of the row: whoever has the store could confirm a guess of the row',
    );
  });

  it.each<readonly [string, readonly string[], string]>([
    ['columns as a key', ['--key', 'name,amount'], `--key takes row; say columns with --map 'id={name}-{amount}'`],
    ['one column as a key', ['--key', 'name'], '--key takes row; say columns with --map id=name'],
    ['an id as well', ['--key', 'row', '--map', 'id=name'], 'so id=name says nothing'],
    [
      'what no column is called',
      ['--key', 'row', '--ignore', 'nam'],
      '"nam" is not a column of the file; nearest to it: "name"',
    ],
    [
      'what is not a finding',
      ['--accept', 'same'],
      'accept must be one of absences, same-field, renumbered, type-lost, ',
    ],
  ])('is refused with %s', async (_, options, message) => {
    const { file, run } = await place(ROWS);
    await run('register', 'add', 'rows', '--title', 'Rows');
    const { code, stderr } = await run('import', 'rows', file, ...options, ...MAP);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });

  it('is exported with keys of the rows alone, which no store makes others of', async () => {
    const { file } = await place(ROWS);
    const { stdout } = await gazette([
      ...['export', '-', '--input', file, '--key', 'row', '--ignore', 'amount', '--observed-at', '2026-01-01'],
      ...['--format', 'csv', ...MAP],
    ]);
    const [head, ...lines] = stdout.toString().trimEnd().split('\r\n');
    expect(head).not.toContain('amount');
    // printf '{"name":"X"}' | sha256sum
    const [x] = lines;
    expect(x).toContain('records:f19ce3ef6c2c56fbbb0c0e42,');
    expect(lines.map((line) => line.split(',')[0]!.slice('records:'.length + 24))).toEqual(['', '', '-2']);
  });
});
