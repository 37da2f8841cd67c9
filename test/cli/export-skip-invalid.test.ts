// `gazette export - --skip-invalid`: a record that does not fit, or that its reader cannot read, goes to the rejects; the
// others are written.
import { readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Ending, folder, gazette } from './run.ts';

const CSV = [
  'id,title,source_url,area',
  '1,One,https://example.org/1,5',
  '2,,https://example.org/2,6',
  '3,Three,nowhere,7',
  '4,Four,https://example.org/4',
  '1,Again,https://example.org/1,8',
  '5,Five,https://example.org/5,9',
].join('\n');

const REASONS = [
  'line 3: title must be',
  'line 4: source_url must be',
  'line 5 has 3 fields',
  'is also that of line 2',
];

const ids = ({ stdout }: Ending): readonly string[] =>
  Array.from(stdout.toString().matchAll(/"id":"([^"]*)"/g), ([, id]) => id!);

async function reasons(path: string): Promise<readonly string[]> {
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => (JSON.parse(line) as { readonly reason: string }).reason);
}

const options = ['--format', 'ndjson', '--observed-at', '2026-05-01', '--skip-invalid'];

it.each([['the fields found'], ['a definition']])('writes the others of a file, with %s', async (how) => {
  const place = await folder();
  const [file, definition] = [join(place, 'a.csv'), join(place, 'd.json')];
  await writeFile(file, CSV);
  await writeFile(
    definition,
    JSON.stringify({
      id: 'r',
      title: 'R',
      created_at: '2026-01-01T00:00:00Z',
      fields: [{ name: 'area', type: 'number' }],
    }),
  );
  const defined = how === 'a definition' ? ['--definition', definition] : [];
  const ending = await gazette(['export', '-', '--input', file, ...defined, ...options]);
  expect(ending).toMatchObject({ code: 0 });
  expect(ids(ending).map((id) => id.split(':')[1])).toEqual(['1', '5']);
  expect(ending.stderr).toContain(`gazette: refused 4 records; see ${file}.rejects.ndjson for the reasons\n`);
  expect(await reasons(`${file}.rejects.ndjson`)).toEqual(
    REASONS.map((reason) => expect.stringContaining(reason) as string),
  );
});

it('takes standard input, with the file for the rejects', async () => {
  const place = await folder();
  const rejects = join(place, 'r.ndjson');
  const input = '{"id":"1","title":"T","source_url":"https://e.org/"}\nnot json\n{"id":"2"}\n';
  const stdin = ['export', '-', '--input-format', 'ndjson', ...options, '--map', 'summary={title}'];
  const ending = await gazette([...stdin, '--rejects', rejects], input);
  expect([ending.code, ids(ending)]).toEqual([0, ['records:1']]);
  expect(await reasons(rejects)).toHaveLength(2);
  expect(await gazette(stdin, input)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--rejects FILE') as string,
  });
  expect(await gazette(['export', '-', '--format', 'ndjson', '--rejects', rejects], input)).toMatchObject({ code: 2 });
});

it('fails where all records are refused, and writes nothing', async () => {
  const place = await folder();
  const [file, output] = [join(place, 'a.csv'), join(place, 'out.csv')];
  await writeFile(file, 'id,title,source_url\n1,One,nowhere\n2,Two,nowhere\n');
  const ending = await gazette(['export', '-', '--input', file, ...options, '--output', output]);
  expect(ending.code).toBe(1);
  expect(ending.stderr).toContain('all 2 records of the file were refused');
  expect(existsSync(output)).toBe(false);
  expect(await reasons(`${file}.rejects.ndjson`)).toHaveLength(2);
});
