// GeoJSON, against the lines of NDJSON. GDAL and check-geojson read the same registers in the conformance suite.
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exportRegister } from '../../src/export/register.ts';
import { geojson } from '../../src/formats/geojson/index.ts';
import { EXPORT_FORMATS } from '../../src/formats/index.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import { fromRecords } from '../../src/register/sources/from-records.ts';
import { describeFormat } from '../contracts/format-contract.ts';
import { collect, encodeAll, pagesOfSize } from '../contracts/readers.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord } from '../contracts/sample-register.ts';
import { RUNS } from '../properties/arbitraries.ts';
import { placedRegisters, propertiesOf } from './geojson-registers.ts';

interface Feature {
  readonly type: string;
  readonly id: string;
  readonly geometry: JsonValue;
  readonly properties: Readonly<Record<string, JsonValue>>;
}

function featuresOf(document: Buffer): readonly Feature[] {
  const { type, features } = JSON.parse(document.toString()) as { type: string; features: readonly Feature[] };
  if (type !== 'FeatureCollection') throw new Error(`it is a ${type}`);
  return features;
}

/** The sample with places. */
const HEAD = {
  ...SAMPLE_HEAD,
  definition: {
    ...SAMPLE_DEFINITION,
    fields: [
      ...SAMPLE_DEFINITION.fields,
      ...(['latitude', 'longitude'] as const).map((name) => ({ name, label: name, type: 'decimal' as const })),
      { name: 'geometry', label: 'Outline', type: 'json' as const },
    ],
  },
};

describeFormat('geojson', geojson, {
  countRecords: (document) => featuresOf(document).length,
  changes: [
    {
      record: sampleRecord(9, { data: { amount: -Infinity } }),
      warnings: [{ code: 'value_as_text', count: 1, recordId: 'permits:2026-0009' }],
    },
    { record: sampleRecord(9, { title: 'lone \ud800 surrogate' }), warnings: [] },
  ],
});

describe('geojson', () => {
  it('writes the expected bytes', async () => {
    const expected = await readFile(new URL('../../fixtures/expected/geojson/records.geojson', import.meta.url));
    const triangle = {
      type: 'Polygon',
      coordinates: [
        [
          [7, 46],
          [8, 46],
          [8, 47],
          [7, 46],
        ],
      ],
    };
    const records = [
      sampleRecord(5, { data: { latitude: '46.9480', longitude: '7.447' } }),
      sampleRecord(6, { data: { latitude: '46', longitude: '7', geometry: triangle } }),
      sampleRecord(7, {
        title: 'Line\r\nends, "quotes", \u2028, \u0000, \ud800, 😀',
        position: null,
        data: { amount: NaN, pages: '123456789012345678901234567890', geometry: { area: 'north' }, other: 'no field' },
      }),
    ];
    expect((await encodeAll(geojson, HEAD, pagesOfSize(records))).toString()).toBe(expected.toString());
  });

  it('has every value that NDJSON has, and each geometry that there is on earth', async () => {
    await fc.assert(
      fc.asyncProperty(placedRegisters(), async ({ head, pages, records, geometries }) => {
        const lines = (await encodeAll(ndjson, head, pages)).toString().split('\n').slice(0, -1);
        expect(featuresOf(await encodeAll(geojson, head, pages))).toEqual(
          records.map(({ id }, at) => {
            const geometry = geometries[at]!;
            return { type: 'Feature', id, geometry, properties: propertiesOf(lines[at]!, geometry) };
          }),
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('has the properties that are asked for, in their order, and the geometry always', async () => {
    const record = sampleRecord(5, { data: { latitude: '46', longitude: '7', pages: 3 } });
    const document = await encodeAll(geojson, { ...HEAD, fields: ['data.pages', 'title'] }, pagesOfSize([record]));
    const [{ geometry, properties }] = featuresOf(document) as [Feature];
    expect(geometry).toEqual({ type: 'Point', coordinates: [7, 46] });
    expect(Object.entries(properties)).toEqual([
      ['id', record.id],
      ['pages', 3],
      ['title', record.title],
    ]);
  });

  it('refuses a whole register that does not say where its records are, and names what it needs', async () => {
    const source = fromRecords(SAMPLE_DEFINITION, []);
    await expect(collect(exportRegister(source, geojson))).rejects.toMatchObject({
      code: 'unknown_format',
      message:
        'geojson needs two fields of numbers, latitude and longitude, or a field geometry of the type json, which register permits lacks',
      details: { format: 'geojson' },
    });
  });

  it('is for whole registers, not for pages', () => {
    expect(EXPORT_FORMATS).not.toContain(geojson);
  });
});
