// `gazette export -` never writes over the file that it reads.
import { linkSync, openSync, symlinkSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { folder, GAZETTE, gazette } from './run.ts';

const RECORDS = JSON.stringify([
  { id: 'a', title: 'A', source_url: 'https://example.org/', observed_at: '2026-01-01' },
]);

const EXPORT = ['export', '-', '--format', 'csv'];

it.each<[string, string, (file: string, output: string) => void]>([
  ['the same path', 'in.json', () => undefined],
  ['a compressed file', 'in.json.gz', () => undefined],
  ['a symbolic link to it', 'link.csv', symlinkSync],
  ['another name of it', 'other.csv', linkSync],
])('an output that is the input is refused: %s', async (_, name, make) => {
  const place = await folder();
  const file = join(place, name.startsWith('in') ? name : 'in.json');
  const content = name.endsWith('.gz') ? gzipSync(RECORDS) : RECORDS;
  await writeFile(file, content);
  const output = join(place, name);
  make(file, output);
  const before = await readdir(place);
  expect(await gazette([...EXPORT, '--input', file, '--output', output, '--input-format', 'json'])).toMatchObject({
    code: 2,
    stderr: `gazette: the output is the input file ${file}, which would be lost; write to another file (usage)\n`,
  });
  expect(await readFile(file)).toEqual(Buffer.from(content));
  expect(await readdir(place)).toEqual(before);
});

it('also where the shell opened the file as standard input and output', async () => {
  const file = join(await folder(), 'in.json');
  await writeFile(file, RECORDS);
  const child = spawn(process.execPath, [GAZETTE, ...EXPORT], {
    stdio: [openSync(file, 'r'), openSync(file, 'a'), 'ignore'],
  });
  expect(await once(child, 'close')).toEqual([2, null]);
  expect(await readFile(file, 'utf8')).toBe(RECORDS);
});
