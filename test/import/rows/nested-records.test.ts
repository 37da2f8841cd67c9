// Nested records: members of objects are columns like all others, and a point of GeoJSON is two numbers besides.
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/formats/encode.ts';
import { ndjson } from '../../../src/formats/ndjson.ts';
import { findFields } from '../../../src/import/fields/find-fields.ts';
import { guessImport } from '../../../src/import/guess/guess-import.ts';
import { importRecords } from '../../../src/import/importer.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { jsonReader } from '../../../src/import/readers/json.ts';
import { ndjsonReader } from '../../../src/import/readers/ndjson.ts';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import { type DefinitionInput, defineRegister } from '../../../src/register/definition.ts';
import { pages } from '../../../src/register/sources/source.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { source } from '../sources.ts';

const read = (records: readonly object[]): RecordReader => jsonReader(source(JSON.stringify(records)));

const record = (id: string, more: object): object => ({ id, title: 'T', source_url: 'https://e.org/', ...more });

const point = (...coordinates: readonly unknown[]): object => ({ type: 'Point', coordinates });

const feature = (id: string, properties: object | null, geometry: object | null = point(75.8, 26.9)): object => ({
  ...{ type: 'Feature', id, properties, geometry },
});

async function openRegister(fields: DefinitionInput['fields'] = []): Promise<SqliteStore> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z', fields }));
  return store;
}

const take = (store: SqliteStore, reader: RecordReader, map: readonly string[] = []) =>
  importRecords(store, 'r', reader, { order: 'newest-first', now: () => 0, mapping: parseMapping(map) });

async function shown(store: SqliteStore): Promise<unknown> {
  const all = await Array.fromAsync(pages(await store.source('r')));
  return all.flatMap(({ records }) => records.map(({ title, data }) => ({ title, data })));
}

const dataOf = async (records: readonly object[], map: readonly string[] = []): Promise<unknown> => {
  const store = await openRegister();
  await take(store, read(records), map);
  const all = (await shown(store)) as { readonly data: object }[];
  expect(await take(store, read(records), map)).toMatchObject({ unchanged: records.length });
  const head = { definition: (await store.register('r'))!.definition, lastChange: null, asOf: null };
  const written = await Array.fromAsync(encode(pages(await store.source('r')), ndjson, head));
  const again = await take(store, ndjsonReader(source(Buffer.concat(written))));
  expect([again.unchanged, [...again.notes.undeclared]]).toEqual([records.length, []]);
  await store.close();
  return all.map(({ data }) => data);
};

describe('members of objects', () => {
  it.each<[string, object[], object[]]>([
    [
      'become fields',
      [{ a: { x: 1, y: 'b' } }, { a: { x: 2 } }, { a: null }],
      [
        { x: 1, y: 'b' },
        { x: 2, y: null },
        { x: null, y: null },
      ],
    ],
    ['become fields in several levels', [{ a: { b: { c: 1 }, d: 2 } }], [{ c: 1, d: 2 }]],
    [
      'are named by their path where the name is taken',
      [{ a: { x: 1 }, b: { x: 2 }, x: 3 }],
      [{ a_x: 1, b_x: 2, x: 3 }],
    ],
    [
      'keep their names in all records',
      [
        { a: { x: 1 }, b: { x: 2 } },
        { a: {}, b: { x: 3 } },
      ],
      [
        { x: 1, b_x: 2 },
        { x: null, b_x: 3 },
      ],
    ],
    ['stay inside where not all records have the object', [{ a: { x: 1 } }, {}], [{ a: { x: 1 } }, { a: null }]],
    ['stay inside of lists', [{ a: [{ x: 1 }] }], [{ a: [{ x: 1 }] }]],
    [
      'never replace a property of a later record',
      [{ a: { x: 1 } }, { a: { x: 2 }, x: 3 }],
      [
        { x: 1, a_x: null },
        { x: 3, a_x: 2 },
      ],
    ],
    ['may have any name', [{ a: { ['__proto__']: 1, version: 2, a: 3 } }], [{ proto: 1, version_2: 2, a_a: 3 }]],
    ['stay inside where a record has something else', [{ a: { x: 1 } }, { a: 5 }], [{ a: { x: 1 } }, { a: 5 }]],
  ])('%s', async (_, records, expected) => {
    expect(await dataOf(records.map((more, n) => record(`${n}`, more)))).toEqual(expected);
  });

  it('stay inside where names are ids', async () => {
    const stock = Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, n]));
    expect(await dataOf([record('1', { stock })])).toEqual([{ stock }]);
  });

  it('that are something else far behind are kept', async () => {
    const records = [...Array.from({ length: 99 }, () => ({ a: { x: 1 } })), { a: { x: 2 } }, { a: 5 }];
    const all = (await dataOf(records.map((more, n) => record(`${n}`, more)))) as readonly object[];
    expect(all.slice(-2)).toEqual([
      { x: 2, a: null },
      { x: null, a: 5 },
    ]);
  });

  it('are found by rules, by their paths and by their names', async () => {
    const records = [record('1', { a: { name: 'N', kind: 'K', n: 1 } })];
    expect(await dataOf(records, ['title=a.name', 'document_type=kind'])).toEqual([{ title_2: 'T', n: 1 }]);
    expect(await dataOf(records, ['title=a.name', 'data.whole=a'])).toEqual([
      { title_2: 'T', whole: { name: 'N', kind: 'K', n: 1 } },
    ]);
  });

  it('fill declared fields, also of a register that declares the object', async () => {
    const store = await openRegister([{ name: 'vendor_project', type: 'text' }]);
    await take(store, read([record('1', { a: { vendorProject: 'Foo' } })]));
    expect(await shown(store)).toEqual([{ title: 'T', data: { vendor_project: 'Foo' } }]);
    await store.close();
    const whole = await openRegister([{ name: 'a', type: 'json' }]);
    await take(whole, read([record('1', { a: { x: 1 } })]));
    expect(await shown(whole)).toEqual([{ title: 'T', data: { a: { x: 1 } } }]);
    await whole.close();
  });
});

describe('GeoJSON', () => {
  it('becomes fields, its geometry, and for points two numbers', async () => {
    const features = [
      feature('1', { name: 'A', title: 'One', state: 'Rajasthan' }),
      feature('2', null, null),
      feature(
        '3',
        { name: 'C', title: 'Three', type: 'x' },
        {
          type: 'LineString',
          coordinates: [
            [1, 2],
            [3, 4],
          ],
        },
      ),
    ];
    const store = await openRegister();
    await take(store, read(features), ['source_url=https://e.org/{id}', 'title={title|-}']);
    const [first, second, third] = (await shown(store)) as { readonly title: string; readonly data: object }[];
    expect(first).toEqual({
      title: 'One',
      data: {
        ...{ name: 'A', title_2: 'One', state: 'Rajasthan', properties_type: null },
        ...{ geometry: point(75.8, 26.9), latitude: 26.9, longitude: 75.8 },
      },
    });
    expect(second).toMatchObject({ title: '-', data: { state: null, geometry: null, latitude: null } });
    expect(third).toMatchObject({ data: { properties_type: 'x', latitude: null } });
    await store.close();
  });

  it('keeps the digits of coordinates in the geometry', async () => {
    const text =
      '[{"type":"Feature","id":"1","properties":{"title":"T","source_url":"https://e.org/","latitude":"n"},"geometry":{"type":"Point","coordinates":[85.41761709509521,26.79037798200317512345]}}]';
    const store = await openRegister();
    await take(store, jsonReader(source(text)));
    expect(await shown(store)).toMatchObject([
      {
        data: {
          ...{ latitude: 'n', geometry_latitude: 26.790377982003175, longitude: 85.41761709509521 },
          geometry: point(85.41761709509521, '26.79037798200317512345'),
        },
      },
    ]);
    await store.close();
  });

  it('is the same in a guess and in an export without a store', async () => {
    const features = ['A', 'B'].map((name) => feature(name, { name, state: `State of ${name}` }));
    const guess = await guessImport(() => read(features), { feedId: 'r', now: () => 0 });
    expect(guess).toMatchObject({
      refused: 0,
      first: [{ title: 'A', data: { state: 'State of A', latitude: 26.9, longitude: 75.8 } }, {}],
    });
    const columns = Object.fromEntries(guess.columns.map(({ name, field }) => [name, field]));
    expect(columns).toMatchObject({ 'properties.name': 'title', 'properties.state': 'data.state' });
    expect(columns).not.toHaveProperty('properties');
    const mapping = parseMapping(['title=name', 'source_url=https://e.org/{id}']);
    const fields = await findFields(read(features), { mapping });
    const stream = await openRecordStream(read(features), { fields, mapping, observedAt: '2026-01-01' });
    const [page] = await Array.fromAsync(stream.pages());
    expect(page!.records.map(({ data }) => Object.keys(data))).toEqual([
      ['state', 'geometry', 'latitude', 'longitude'],
      ['state', 'geometry', 'latitude', 'longitude'],
    ]);
  });
});
