// Properties that are named alike: what the fields of a register are called is what other columns are labelled. Each
// column keeps its field in every later import, and in files that gazette wrote.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import { encode } from '../../src/formats/encode.ts';
import type { Format } from '../../src/formats/format.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import type { ImportResult } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import type { RecordReader } from '../../src/import/readers/raw-record.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { GIVEN_FIELDS, RESERVED_FIELD_NAMES } from '../../src/register/fields.ts';
import { pages } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { tries } from '../effort.ts';
import { texts, wellFormed } from '../properties/arbitraries.ts';
import { source } from './sources.ts';

const CORE = { id: '1', title: 'One', source_url: 'https://example.org/1' };

type Values = Readonly<Record<string, JsonValue>>;

async function openRegister(): Promise<SqliteStore> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(defineRegister({ id: 'sites', title: 'Sites', created_at: '2026-01-01T00:00:00Z' }));
  return store;
}

const take = (store: SqliteStore, reader: RecordReader): Promise<ImportResult> =>
  importRecords(store, 'sites', reader, { order: 'oldest-first', now: () => 0 });

const inJson = (records: readonly object[]): RecordReader => jsonReader(source(JSON.stringify(records)));

async function shown(store: SqliteStore): Promise<readonly Values[]> {
  const all: Values[] = [];
  for await (const { records } of pages(await store.source('sites'))) all.push(...records.map(({ data }) => data));
  return all.reverse();
}

async function written(store: SqliteStore, format: Format): Promise<Uint8Array> {
  const head = { definition: (await store.register('sites'))!.definition, lastChange: null, asOf: null };
  return Buffer.concat(await Array.fromAsync(encode(pages(await store.source('sites')), format, head)));
}

/** Imports again, from the publisher and from what gazette writes: nothing changes, and no property is left over. */
async function expectSame(store: SqliteStore, read: () => RecordReader, count: number): Promise<void> {
  const before = await shown(store);
  const own = async (reader: (bytes: Uint8Array) => RecordReader, format: Format): Promise<RecordReader> =>
    reader(await written(store, format));
  const again = [
    read(),
    await own((bytes) => ndjsonReader(source(bytes)), ndjson),
    await own((bytes) => csvReader(source(bytes), { delimiter: ',', headerRow: 1, formulas: 'guarded' }), csv),
  ];
  for (const reader of again) {
    const { changed, unchanged, notes } = await take(store, reader);
    expect({ changed, unchanged, undeclared: [...notes.undeclared] }).toEqual({
      changed: 0,
      unchanged: count,
      undeclared: [],
    });
  }
  expect(await shown(store)).toEqual(before);
}

describe('properties that are named alike', () => {
  it.each<[string, Values, Values]>([
    ['but for case', { A: 'x', a: 'y' }, { a: 'x', a_2: 'y' }],
    ['but for case, the other way round', { a: 'x', A: 'y' }, { a: 'x', a_2: 'y' }],
    ['as fields are', { A: 'x', a: 'y', a_2: 'z' }, { a: 'x', a_2: 'y', a_2_2: 'z' }],
    ['as core fields are', { Title: 'x', title_2: 'y' }, { title_2: 'x', title_2_2: 'y' }],
    ['in both places', { x: '1', data: { x: '2' } }, { x: '1', x_2: '2' }],
    ['as core fields inside data', { data: { title: 'x', Title: 'y' } }, { title_2: 'x', title_2_2: 'y' }],
    ['not at all', { '': 'x', field: 'y', ' ': 'z' }, { column_d: 'x', field: 'y', column_f: 'z' }],
  ])('%s keep their fields', async (_, values, expected) => {
    const store = await openRegister();
    const read = (): RecordReader => inJson([{ ...CORE, ...values }]);
    await take(store, read());
    expect(await shown(store)).toEqual([expected]);
    await expectSame(store, read, 1);
    await store.close();
  });

  it('keep their fields in records that have only some of them', async () => {
    const store = await openRegister();
    const records = [
      { ...CORE, A: '1', a: '2' },
      { ...CORE, id: '2', a: '3' },
      { ...CORE, id: '3', A: '4' },
    ];
    const read = (): RecordReader => inJson(records);
    await take(store, read());
    const expected = [
      { a: '1', a_2: '2' },
      { a: null, a_2: '3' },
      { a: '4', a_2: null },
    ];
    expect(await shown(store)).toEqual(expected);
    await expectSame(store, read, 3);
    await store.close();
  });

  it('keep their fields where one is called what a second one is labelled', async () => {
    const store = await openRegister();
    const records = [
      { ...CORE, a: 'x', data: { a: 'p' } },
      { ...CORE, id: '2', data: { 'a (data)': 'q' } },
    ];
    const read = (): RecordReader => inJson(records);
    await take(store, read());
    const expected = [
      { a: 'x', a_2: 'p', a_data: null },
      { a: null, a_2: null, a_data: 'q' },
    ];
    expect(await shown(store)).toEqual(expected);
    await expectSame(store, read, 2);
    await store.close();
  });

  it('are told of where they are new', async () => {
    const store = await openRegister();
    await take(store, inJson([{ ...CORE, A: '1', a: '2' }]));
    const { notes, changed } = await take(store, inJson([{ ...CORE, A: '1', a: '2', a_2: '3' }]));
    expect([[...notes.undeclared], changed]).toEqual([[['a_2', 1]], 1]);
    expect(await shown(store)).toEqual([{ a: '1', a_2: '2' }]);
    await store.close();
  });
});

describe('a file with any names of properties', () => {
  const name = fc.oneof(
    // Two ways to write the same letters are one name.
    { weight: 1, arbitrary: wellFormed(texts(2)).map((text) => text.normalize()) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        ...['A', 'a', 'a_2', 'A 2', 'a-2', 'a_3', 'Ä', '', ' ', '""', '" "', 'field', 'Field', '__proto__'],
        ...[
          'Title',
          'title_2',
          'TITLE 2',
          'data.a',
          'a (data)',
          'a (record)',
          '"a (data)"',
          ...GIVEN_FIELDS,
          'version_2',
          'constructor',
          'a.b',
          '/a',
          'x@href',
        ],
      ),
    },
  );
  const values = fc.dictionary(
    name.filter((each) => !RESERVED_FIELD_NAMES.has(each) || GIVEN_FIELDS.some((given) => given === each)),
    fc.constantFrom('x', 'y', 'z'),
    { maxKeys: 5 },
  );
  const inData = fc.option(
    fc.dictionary(fc.oneof(name, fc.constantFrom('title', 'author', 'key')), fc.constantFrom('p', 'q'), { maxKeys: 3 }),
  );

  it('gives the same records when it is imported again, and when gazette wrote them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(values, inData), { minLength: 1, maxLength: 3 }), async (all) => {
        const records = all.map(([own, data], index) => {
          return { ...own, ...(data === null ? {} : { data }), ...CORE, id: `${index}` };
        });
        const store = await openRegister();
        const read = (): RecordReader => inJson(records);
        await take(store, read());
        await expectSame(store, read, records.length);
        await store.close();
      }),
      // Each run imports four times.
      { numRuns: tries(25, 2500) },
    );
  });
});
