// What tells programs how the CSV of a folder is to be read: of pages, or of the whole.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import { EXPORT_FORMATS } from '../../src/formats/index.ts';
import { verifySnapshot } from '../../src/snapshot/verify.ts';
import { add, changedFiles, correct, digests, folder, manifestOf, publish, storeOf } from './published.ts';

const FILE = 'permits/datapackage.json';

interface Package {
  readonly name: string;
  readonly description?: string;
  readonly resources: readonly [
    {
      readonly path: string | readonly string[];
      readonly compression?: string;
      readonly schema: { readonly fields: readonly { readonly name: string }[] };
    },
  ];
}

const read = async (out: string): Promise<Package> => JSON.parse(await readFile(join(out, FILE), 'utf8')) as Package;

describe('the data package of a snapshot', () => {
  it.each(['pro', 'public'] as const)(
    'has the pages that together have each record once, of the tier %s',
    async (tier) => {
      const out = await folder();
      await publish(await storeOf(350), out, { tier });
      const { name, description, resources } = await read(out);
      const [{ path, compression, schema }] = resources;
      const { walk, files, total } = await manifestOf(out);
      expect([name, path, compression]).toEqual(['permits', walk.map((page) => `${page}.csv`), undefined]);
      expect(walk.length).toBe(3);
      let rows = 0;
      for (const one of path) {
        const text = await readFile(join(out, 'permits', one), 'utf8');
        expect(text.slice(0, text.indexOf('\r\n'))).toBe(schema.fields.map((field) => field.name).join(','));
        rows += files[one]!.records!;
      }
      expect([rows, total]).toEqual([350, 350]);
      expect(description?.includes('All but the latest records are previews.') ?? false).toBe(tier === 'public');
      expect(Object.keys(files)).toContain('datapackage.json');
    },
  );

  it('names one file where there is one page, and changes where a page is closed, not with records', async () => {
    const out = await folder();
    const store = await storeOf(150);
    await publish(store, out);
    expect((await read(out)).resources[0].path).toBe('index.csv');
    const changes = async (): Promise<boolean> => {
      const before = await digests(out);
      await publish(store, out);
      return changedFiles(before, await digests(out)).includes(FILE);
    };
    await add(store, 151, 160);
    await correct(store, 3, 155);
    expect(await changes()).toBe(false);
    await add(store, 161, 200);
    expect([await changes(), (await read(out)).resources[0].path]).toEqual([true, ['index.csv', 'pages/000001.csv']]);
  });

  it('names the file that has all records where there is one', async () => {
    const out = await folder();
    const store = await storeOf(250);
    await publish(store, out, { tier: 'pro', whole: true });
    const [{ path, compression, schema }] = (await read(out)).resources;
    expect([path, compression]).toEqual(['register.csv.gz', 'gz']);
    const text = gunzipSync(await readFile(join(out, 'permits/register.csv.gz'))).toString();
    expect(text.slice(0, text.indexOf('\r\n'))).toBe(schema.fields.map((field) => field.name).join(','));
    await publish(store, out, { tier: 'pro' });
    expect((await read(out)).resources[0].path).toEqual(['index.csv', 'pages/000001.csv']);
  });

  it('is not there where no CSV is, or another format has its name', async () => {
    const out = await folder();
    const store = await storeOf(5);
    await publish(store, out, { threads: 1 });
    expect((await digests(out)).has(FILE)).toBe(true);
    for (const others of [[], [{ ...csv }]]) {
      await publish(store, out, {
        threads: 1,
        formats: [...EXPORT_FORMATS.filter((format) => format !== csv), ...others],
      });
      expect((await digests(out)).has(FILE)).toBe(false);
      expect(await verifySnapshot(out)).toMatchObject({ state: 'whole', findings: [] });
    }
  });
});
