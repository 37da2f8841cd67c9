// `gazette import` of a CSV that a Table Schema or a Data Package describes, as a user runs it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Ending, folder, gazette } from './run.ts';

it('reads a CSV as the datapackage.json beside it describes it, and else as --schema does', async () => {
  const place = await folder();
  const run = (...args: readonly string[]): Promise<Ending> => gazette([...args, '--store', join(place, 'store.db')]);
  await run('register', 'add', 'r', '--title', 'R');
  const write = async (name: string, content: unknown): Promise<string> => {
    await writeFile(join(place, name), typeof content === 'string' ? content : JSON.stringify(content));
    return join(place, name);
  };
  const rows = [
    'id;title;source_url;code;size',
    '1;T;https://example.org/;007;1,5',
    '2;T;https://example.org/;8;unknown',
  ];
  const file = await write('a.csv', rows.join('\n'));
  const schema = {
    fields: [{ name: 'id' }, { name: 'code' }, { name: 'size', type: 'number', decimalChar: ',' }],
    missingValues: ['', 'unknown'],
  };
  const beside = await write('datapackage.json', {
    resources: [{ path: 'b.csv', schema, dialect: { delimiter: '|' } }],
  });
  const unread = await run('import', 'r', file, '--dry-run');
  expect([unread.code, unread.stderr.includes('datapackage.json')]).toEqual([0, false]);
  await write('datapackage.json', { resources: [{ path: 'a.csv', schema, dialect: { delimiter: ';' } }] });
  const otherwise = await run('import', 'r', file, '--delimiter', '|');
  expect([otherwise.code, otherwise.stderr]).toEqual([1, expect.stringContaining('a.csv')]);
  const read = await run('import', 'r', file);
  expect([read.code, read.stderr]).toEqual([0, expect.stringContaining(`the file is read as ${beside} describes it`)]);
  const { definition } = JSON.parse((await run('register', 'show', 'r', '--json')).stdout.toString()) as {
    readonly definition: { readonly fields: readonly { readonly name: string; readonly type: string }[] };
  };
  expect(definition.fields.map(({ name, type }) => [name, type])).toEqual([
    ['code', 'text'],
    ['size', 'decimal'],
  ]);
  const out = (await run('export', 'r', '--format', 'ndjson')).stdout.toString().trim().split('\n');
  expect(out.map((line) => (JSON.parse(line) as { readonly data: object }).data)).toEqual([
    { code: '8', size: null },
    { code: '007', size: '1.5' },
  ]);
  // A register keeps its fields, whatever a file is said to have.
  const other = await write('schema.json', { fields: [{ name: 'size', type: 'string' }] });
  expect((await run('import', 'r', file, '--schema', other, '--decimal-comma', '--missing', 'unknown')).code).toBe(0);
  const absent = await run('import', 'r', file, '--schema', join(place, 'nowhere.json'));
  expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('nowhere.json cannot be read')]);
  const lacking = await write('lacking.json', { resources: [] });
  const undescribed = await run('import', 'r', file, '--schema', lacking);
  expect(undescribed.stderr).toContain('lacking.json describes no file "a.csv"');
});
