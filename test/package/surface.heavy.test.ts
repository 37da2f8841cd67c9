// The check of the public entries finds what it is there to find, one kind of it after the other. It installs TypeDoc, which
// `npm ci` does not bring.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { publicEntries, ROOT, Surface } from './surface.ts';

const fixtures = join(import.meta.dirname, 'surface-fixtures');
const entries = ['unexported', 'undocumented', 'whole', 'repeated'].map((name) => ({
  name,
  file: join(fixtures, `${name}.ts`),
}));

describe('the check of the public entries', () => {
  it('finds types that are named and exported by none, names of two entries, and what has no doc comment', async () => {
    const surface = await Surface.read(entries, join(fixtures, 'tsconfig.json'));
    const found = surface.faults().map((fault) => {
      const named = /^(\w+)(?:, defined in .*)? is referenced by (\S+) but not included/.exec(fault);
      if (named !== null) return `${named[2]} names ${named[1]}`;
      return fault.replace(/ \(\w+\), defined in \S+, does not have any documentation$/, ' says nothing');
    });
    expect(found.toSorted()).toEqual([
      'Held is exported by repeated and by whole: one alone may, the lowest whose values need it',
      'Options is exported by repeated and by undocumented: one alone may, the lowest whose values need it',
      'repeated: Choices is another name of Options',
      'undocumented.Box says nothing',
      'undocumented.Box.content says nothing',
      'undocumented.Box.isEmpty says nothing',
      'undocumented.Box.open says nothing',
      'undocumented.LIMIT says nothing',
      'undocumented.Options says nothing',
      'undocumented.Options.size says nothing',
      'undocumented.Word says nothing',
      'undocumented.plain says nothing',
      'unexported.ALL names Argument',
      'unexported.Alias names Named',
      'unexported.Holder names Inherited',
      'unexported.convert names Given',
      'unexported.convert.T names Constraint',
      'unexported.convert.taken names Taken',
    ]);
  });

  it('reads the entries of package.json', async () => {
    const names = (await publicEntries()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['gazette', 'gazette/stores', 'gazette/webhooks/verify']));
    const folders = await readdir(join(ROOT, 'src'), { recursive: true });
    for (const { file } of await publicEntries()) expect(folders).toContain(file.slice(join(ROOT, 'src').length + 1));
  });
});
