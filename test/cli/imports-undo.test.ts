// `gazette imports undo`: takes an import back, names what it leaves as it is, and does the rest when it is asked again.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, gazette } from './run.ts';

it('names what has changed since, and does the rest once that is taken back', async () => {
  const place = await folder();
  const file = join(place, 'records.json');
  const run = async (...args: readonly string[]): Promise<{ readonly out: string; readonly err: string }> => {
    const { code, stdout, stderr } = await gazette([...args, '--store', join(place, 'gazette.db')]);
    expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
    return { out: stdout.toString(), err: stderr };
  };
  const take = async (titles: Readonly<Record<string, string>>, ...more: readonly string[]): Promise<void> => {
    const rows = Object.entries(titles).map(([id, title]) => ({ id, title, source_url: 'https://example.org/' }));
    await writeFile(file, JSON.stringify(rows));
    await run('import', 'r', file, '--order', 'oldest-first', ...more);
  };
  await run('register', 'add', 'r', '--title', 'R');
  await take({ a: 'One', b: 'One' });
  await take({ a: 'Two', b: 'Two', c: 'Two' });
  await take({ a: 'Three', c: 'Three' });

  const first = await run('imports', 'undo', 'r', '2');
  expect(first.err).toBe('gazette: 2 records have changed since, and stay as they are\n  r:a\n  r:c\n');
  expect(first.out).toMatch(/^ +4 .* completed .* undo of 2 \(.*records\.json\) {2}changed 1, unchanged 2\n$/);
  expect((await run('imports', 'undo', 'r', '3')).out).toMatch(/ undo of 3 .* changed 2\n$/);
  const again = await run('imports', 'undo', 'r', '2');
  expect(again.err).toBe('');
  expect(again.out).toMatch(/ {2}changed 1, unchanged 1, withdrawn 1\n$/);

  const { out } = await run('record', 'show', 'r:a');
  expect(out).toMatch(/^title +One$/m);
  expect(out.match(/^version \d.*$/gm)!.map((line) => line.replace(/ \S+Z /, ''))).toEqual([
    'version 5  extraction_correction (takes import 2 back)  title',
    'version 4  extraction_correction (takes import 3 back)  title',
    'version 3  source_change  title',
    'version 2  source_change  title',
    'version 1  first_observed',
  ]);

  // What wrote nothing has nothing to be taken back.
  await take({ d: 'Four' }, '--propose');
  const store = ['--store', join(place, 'gazette.db')];
  const refused = await gazette(['imports', 'undo', 'r', '7', ...store]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('import 7 is proposed and has written nothing'),
  ]);
  expect((await gazette(['imports', 'undo', 'r', '99', ...store])).stderr).toContain('(unknown_import)');
});
