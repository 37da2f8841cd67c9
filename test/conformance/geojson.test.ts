// GeoJSON of arbitrary registers, checked by check-geojson and read by GDAL.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { geojson } from '../../src/formats/geojson/index.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import { CORE_FIELDS } from '../../src/register/fields.ts';
import { testOrSkip } from '../../src/testing/test.ts';
import { encodeAll } from '../contracts/readers.ts';
import { tries } from '../effort.ts';
import { placedRegisters } from '../formats/geojson-registers.ts';
import { RUNS } from '../properties/arbitraries.ts';
import { loadJudge, missing, program } from './tools.ts';

/** What is used of check-geojson. */
interface CheckGeojson {
  getIssues(text: string): readonly { readonly message: string }[];
}

interface Feature {
  readonly id: string;
  readonly geometry: JsonValue;
  readonly properties: Readonly<Record<string, JsonValue>>;
}

let folder: string;
let judge: CheckGeojson;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-geojson-'));
  judge = await loadJudge<CheckGeojson>('@placemarkio/check-geojson');
});
afterAll(() => rm(folder, { recursive: true }));

async function readByGdal(document: Buffer): Promise<readonly Feature[]> {
  const file = join(folder, 'register.geojson');
  await writeFile(file, document);
  const options = ['-oo', 'DATE_AS_STRING=YES', '-lco', 'COORDINATE_PRECISION=17', '-dim', 'XY', '-nln', 'register'];
  const read = await program('ogr2ogr', '-f', 'GeoJSON', '/vsistdout/', file, ...options);
  return (JSON.parse(read) as { readonly features: readonly Feature[] }).features;
}

/** A geometry without heights and what is no part of it, which GDAL keeps at times. */
function drawn(value: JsonValue, each: (number: number) => unknown = (number) => number): unknown {
  if (typeof value === 'number') return each(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return (typeof items[0] === 'number' ? items.slice(0, 2) : items).map((item) => drawn(item, each));
  }
  const members = Object.entries(value).filter(([name]) => ['type', 'coordinates', 'geometries'].includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, drawn(member, each)]));
}

const toTwelve = (number: number): unknown => expect.closeTo(number, 12);

describe('GeoJSON', () => {
  it('is what RFC 7946 says, by check-geojson', async () => {
    await fc.assert(
      fc.asyncProperty(placedRegisters(), async ({ head, pages }) => {
        expect(judge.getIssues((await encodeAll(geojson, head, pages)).toString())).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  testOrSkip(it, 'is read by GDAL', missing('ogr2ogr', '--version') ?? undefined, async () => {
    await fc.assert(
      fc.asyncProperty(placedRegisters(), async ({ head, pages, records, geometries }) => {
        const features = await readByGdal(await encodeAll(geojson, head, pages));
        expect(features).toHaveLength(records.length);
        for (const [at, { id, geometry, properties }] of features.entries()) {
          const record = records[at]!;
          expect(id).toBe(record.id);
          expect(drawn(geometry)).toEqual(drawn(geometries[at]!, toTwelve));
          for (const { name } of CORE_FIELDS) {
            if (name !== 'id') expect([name, held(properties[name] ?? null)]).toEqual([name, held(record[name])]);
          }
        }
      }),
      { numRuns: tries(20, 1000) },
    );
  });
});

/**
 * A value as GDAL holds it: a text ends at U+0000, several lone surrogates are one U+FFFD, and a high one takes the escape behind it along.
 * Its own writer makes lists and objects of texts that look like them, which are not compared.
 */
function held(value: JsonValue): JsonValue {
  if (typeof value === 'number' || value === null) return value;
  if (typeof value !== 'string' || /^[[{]/.test(value)) return 'a list or an object';
  const read = JSON.stringify(value).replaceAll(/\\\\|\\ud[89ab]..(?:\\u....)?/g, (one) =>
    one === '\\\\' ? one : '\ufffd',
  );
  return (JSON.parse(read) as string)
    .split('\0')[0]!
    .toWellFormed()
    .replaceAll(/\ufffd+/g, '\ufffd');
}
