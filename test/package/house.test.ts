// The house keeps its bounds, and is told of whatever does not.
import { expect, it } from 'vitest';
import { BOUNDS, boundFaults, looseBounds, measure, readSources } from './house.ts';

const sources = readSources();

it('keeps its bounds: files in folders, lines in files, names of core fields in files, names of entries', async () => {
  const measures = await measure(sources);
  expect(measures.length).toBeGreaterThan(sources.length + 40);
  expect(boundFaults(measures)).toEqual([]);
});

it.each([
  [
    'names a core field',
    'views/more.ts',
    'const type = record.content_type;\n',
    'src: 1 files with content_type, and at most 0',
  ],
  ['is long', 'views/more.ts', '\n'.repeat(301), 'views/more.ts: 301 lines in a file, and at most 300'],
])('is told where one more file %s', async (_, path, text, fault) => {
  const measures = await measure([{ path, text }]);
  expect(boundFaults(measures, { ...BOUNDS, 'files with content_type': 0 })).toContain(fault);
});

it('is told of a folder with one more file, of one more name, and of a bound that is too high', async () => {
  const full = Array.from({ length: 17 }, (_, at) => ({ path: `views/file-${at}.ts`, text: '' }));
  const measures = await measure(full);
  const { count } = measures.find(({ what }) => what === 'names of gazette/errors')!;
  const bounds = { ...BOUNDS, 'names of gazette/errors': count - 1, 'names of gazette/client': 1000 };
  expect(boundFaults(measures, bounds)).toEqual([
    'views: 17 files in a folder, and at most 16',
    `src: ${count} names of gazette/errors, and at most ${count - 1}`,
  ]);
  expect(looseBounds(measures, bounds)).toContainEqual(
    expect.stringMatching(/^names of gazette\/client: \d+, not 1000$/),
  );
});
