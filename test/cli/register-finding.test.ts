// What a register's definition says of finding, at the command line: shown, indexed again when it changes, and used by exports.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, gazette } from './run.ts';

const SITES = [
  { id: '1', title: 'Gasworks', source_url: 'https://example.org/1', country: 'BE', area: 90 },
  { id: '2', title: 'Old mill', source_url: 'https://example.org/2', country: 'NL', area: 1200 },
];

it('filters are declared by a definition, shown, and used by exports', async () => {
  const at = await folder();
  const file = join(at, 'sites.json');
  const define = (country: object, more: object = {}): Promise<void> => {
    const fields = [
      { name: 'country', type: 'text', ...country },
      { name: 'area', type: 'number', filterable: true },
    ];
    return writeFile(file, JSON.stringify({ title: 'Sites', fields, ...more }));
  };
  const run = async (...args: string[]): Promise<readonly [out: string, said: string]> => {
    const input = SITES.map((site) => `${JSON.stringify(site)}\n`).join('');
    const { stdout, stderr } = await gazette([...args, '--store', join(at, 'gazette.db')], input);
    return [stdout.toString(), stderr];
  };
  const found = async (...filters: string[]): Promise<readonly string[]> => {
    const asked = filters.flatMap((filter) => ['--filter', filter]);
    const [out, said] = await run('export', 'sites', '--format', 'ndjson', ...asked);
    expect(said).toBe('');
    const lines = out.split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as { key: string }).key);
  };
  await define({});
  await run('register', 'add', 'sites', '--definition', file);
  await run('import', 'sites', '-', '--format', 'ndjson', '--order', 'oldest-first');
  expect(await found('data.area_min=100')).toEqual(['2']);
  expect(await found('q=mill gasworks')).toEqual([]);
  expect((await run('export', 'sites', '--format', 'ndjson', '--filter', 'data.country=NL'))[1]).toContain(
    'unknown filter "data.country": there are data.area, data.area_min, data.area_max',
  );

  await define({ filterable: true }, { access: 'open' });
  const [, said] = await run('register', 'update', 'sites', '--definition', file);
  expect(said).toContain('indexed the records of sites\n');
  expect(await found('data.country=NL', 'data.country=FR')).toEqual(['2']);
  expect(await found('q=gas*', 'data.area_max=90')).toEqual(['1']);
  const chosen = ['export', 'sites', '--filter', 'key=2', '--fields', 'title,data.area'];
  expect((await run(...chosen, '--format', 'csv'))[0]).toBe('id,title,area\r\nsites:2,Old mill,1200\r\n');
  expect((await run(...chosen, '--format', 'rss'))[1]).toContain('invalid_parameter');
  const [shown] = await run('register', 'show', 'sites');
  for (const line of [
    /^access +open$/m,
    /^search +on$/m,
    /^index +complete$/m,
    /^data.country +text, .*, filterable$/m,
  ])
    expect(shown).toMatch(line);
  const [json] = await run('register', 'show', 'sites', '--json');
  expect(JSON.parse(json)).toMatchObject({ index_complete: true, definition: { access: 'open' } });

  await define({ filterable: true }, { search: false });
  await run('register', 'update', 'sites', '--definition', file);
  expect((await run('register', 'show', 'sites'))[0]).toMatch(/^access +tiered\nsearch +off\n/m);
  expect((await run('export', 'sites', '--format', 'ndjson', '--filter', 'q=mill'))[1]).toContain('are not searched');
  expect(await found('data.country=BE')).toEqual(['1']);
});
