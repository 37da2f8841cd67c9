// The data packages of arbitrary registers, read with their CSV by datapackage of npm, which casts every value by its type.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import { encode } from '../../src/formats/encode.ts';
import { guardFormula } from '../../src/formats/formula-guard.ts';
import { dataPackage } from '../../src/templates/catalogues/data-package.ts';
import { registers, RUNS } from '../properties/arbitraries.ts';
import { publish, storeOf } from '../snapshot/published.ts';
import { keyAt } from '../world.ts';
import { loadJudge } from './tools.ts';

/** What is used of the reader. */
interface Reader {
  readonly Package: {
    load(
      descriptor: string,
      options: object,
    ): Promise<{
      readonly valid: boolean;
      readonly errors: readonly Error[];
      readonly resources: readonly [
        { read(options: object): Promise<readonly (Error | Readonly<Record<string, unknown>>)[]> },
      ];
    }>;
  };
}

let reader: Reader;
let folder: string;
beforeAll(async () => {
  reader = await loadJudge<Reader>('datapackage');
  folder = await mkdtemp(join(tmpdir(), 'gazette-packages-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A row of which values have another type than they are said to have. */
interface CastError extends Error {
  readonly errors: readonly Error[];
}

/** This reader's integers are doubles. */
const TOO_LARGE = /^The value "-?\d{16,}" in column "[^"]+" is not type "integer"/;

it('a data package reads its CSV, every value in the type that it says', async () => {
  await fc.assert(
    fc.asyncProperty(
      registers(),
      fc.constantFrom(',', ';', '\t'),
      async ({ definition, records, pages, head }, delimiter) => {
        const description = dataPackage(definition, {
          path: 'register.csv',
          options: { delimiter },
          service: { licenceUrl: 'https://licence.example/by' },
        });
        await writeFile(join(folder, 'datapackage.json'), JSON.stringify(description));
        await writeFile(join(folder, 'register.csv'), encode(pages, csv, { ...head, definition }, { delimiter }));
        const read = await reader.Package.load(join(folder, 'datapackage.json'), { basePath: folder });
        expect(read.errors).toEqual([]);
        expect(read.valid).toBe(true);
        const rows = await read.resources[0].read({ keyed: true, forceCast: true });
        expect(rows).toHaveLength(records.length);
        for (const [at, { id, title, version }] of records.entries()) {
          const row = rows[at]!;
          if (row instanceof Error) {
            const { errors } = row as CastError;
            expect(errors.length).toBeGreaterThan(0);
            for (const { message } of errors) expect(message).toMatch(TOO_LARGE);
            continue;
          }
          expect([row.id, row.version]).toEqual([id, version]);
          const written = title.replaceAll('\0', '\ufffd').toWellFormed();
          // No text and an empty one are the same to this reader, and it trims every cell.
          expect(((row.title ?? '') as string).trim()).toBe(guardFormula(written).trim());
        }
      },
    ),
    { numRuns: RUNS },
  );
});

it.each([false, true])('a data package of a snapshot reads its files, with whole registers: %s', async (whole) => {
  const out = join(folder, `snapshot-${whole}`);
  await publish(await storeOf(250), out, { tier: 'pro', whole });
  const place = join(out, 'permits');
  const text = await readFile(join(place, 'datapackage.json'), 'utf8');
  const described = await reader.Package.load(join(place, 'datapackage.json'), { basePath: place });
  expect([described.errors, described.valid]).toEqual([[], true]);
  const { resources, ...rest } = JSON.parse(text) as { resources: readonly [{ path: string | readonly string[] }] };
  // This reader unpacks nothing, and reads one file at a time.
  const paths = [resources[0].path].flat();
  if (whole) await writeFile(join(place, 'register.csv'), gunzipSync(await readFile(join(place, paths[0]!))));
  const ids: unknown[] = [];
  for (const path of whole ? ['register.csv'] : paths) {
    const one = join(out, 'one.json');
    await writeFile(one, JSON.stringify({ ...rest, resources: [{ ...resources[0], path }] }));
    const read = await reader.Package.load(one, { basePath: place });
    expect([read.errors, read.valid]).toEqual([[], true]);
    const rows = await read.resources[0].read({ keyed: true });
    ids.push(...rows.map((row) => (row as Readonly<Record<string, unknown>>).id));
  }
  expect(ids).toEqual(Array.from({ length: 250 }, (_, index) => `permits:${keyAt(250 - index)}`));
});
