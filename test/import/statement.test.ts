import { describe, expect, it } from 'vitest';
import type { ImportOptions, ImportResult } from '../../src/import/import-options.ts';
import { importRecords } from '../../src/import/importer.ts';
import { parseMapping } from '../../src/import/mapping/mapping.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import type { RecordReader } from '../../src/import/readers/raw-record.ts';
import type { JsonValue } from '../../src/register/canonical-json.ts';
import type { Field } from '../../src/register/record.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { pages } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { source } from './sources.ts';

const FILE = `id,title,source_url,Area (m²),Current Status,current-status,built,extra
1,One,https://example.org/1,12.50,open,late,1990,"{""a"":1}"
2,Two,https://example.org/2,007,shut,,TRUE,
`;

const MAPPING = parseMapping(['data.state=built']);

const field = (name: string, type: Field['type'], label = name): Field => ({ name, type, label });

const AREA = field('area_m2', 'text', 'Area (m²)');
const STATUS = field('current_status', 'text', 'Current Status');
const STATE = field('state', 'text');
const EXTRA = field('extra', 'json');

async function openRegister(fields: readonly Field[]): Promise<SqliteStore> {
  const store = SqliteStore.open(':memory:');
  const made = { id: 'sites', title: 'Sites', created_at: '2026-01-01T00:00:00Z', fields };
  await store.createRegister(defineRegister(made));
  return store;
}

const take = (store: SqliteStore, options: Partial<ImportOptions> = {}) =>
  importRecords(store, 'sites', csvReader(source(FILE, 1000, 'sites.csv')), {
    now: () => Date.parse('2026-05-01T00:00:00Z'),
    mapping: MAPPING,
    order: 'newest-first',
    ...options,
  });

async function shownWith(store: SqliteStore, fields: readonly Field[]): Promise<unknown> {
  const { definition } = (await store.register('sites'))!;
  await store.updateRegister({ ...definition, fields }, { recordedAt: '2026-05-02T00:00:00Z' });
  const all: Record<string, JsonValue>[] = [];
  for await (const { records } of pages(await store.source('sites'))) all.push(...records.map(({ data }) => data));
  return all;
}

describe('the statement of a record', () => {
  it('has every property of the file as it was given, and the definition selects what is shown', async () => {
    const store = await openRegister([AREA, STATUS, STATE, EXTRA]);
    const { notes } = await take(store);
    expect([...notes.undeclared]).toEqual([['current-status', 2]]);
    const all = ['area_m2', 'current_status', 'current_status_2', 'state', 'extra'];
    expect(
      await shownWith(
        store,
        all.map((name) => field(name, 'json')),
      ),
    ).toEqual([
      { area_m2: '12.50', current_status: 'open', current_status_2: 'late', state: '1990', extra: { a: 1 } },
      { area_m2: '007', current_status: 'shut', current_status_2: null, state: 'TRUE', extra: null },
    ]);
    expect(await shownWith(store, [field('state', 'integer'), field('area_m2', 'number')])).toEqual([
      { state: 1990, area_m2: 12.5 },
      { state: null, area_m2: null },
    ]);
  });

  it.each<[string, readonly Field[]]>([
    ['all fields dropped', []],
    ['some dropped', [STATUS]],
    ['all in another order', [EXTRA, STATE, STATUS, AREA]],
    ['another one declared', [AREA, STATUS, STATE, EXTRA, field('current_status_2', 'text', 'current-status')]],
  ])('stays the same with %s, and importing the file again makes no version', async (_, fields) => {
    const store = await openRegister([AREA, STATUS, STATE, EXTRA]);
    await take(store);
    await shownWith(store, fields);
    expect(await take(store)).toMatchObject({ unchanged: 2, changed: 0 });
    await shownWith(store, [AREA, STATUS, STATE, EXTRA]);
    expect(await take(store)).toMatchObject({ unchanged: 2, changed: 0 });
    expect((await store.register('sites'))!.change).toBe(2);
  });

  it('tells of values that are kept under names the definition does not declare', async () => {
    const store = await openRegister([AREA, EXTRA]);
    const { notes } = await take(store);
    expect([...notes.undeclared]).toEqual([
      ['state', 2],
      ['Current Status', 2],
      ['current-status', 2],
    ]);
  });
});

describe('a value in a later file', () => {
  const file = (value: string): string => `id,title,source_url,v\n1,One,https://example.org/1,${value}\n`;
  const read = (store: SqliteStore, reader: RecordReader): Promise<ImportResult> =>
    importRecords(store, 'sites', reader, { order: 'newest-first' });
  const inJson = (value: unknown): string =>
    JSON.stringify({ id: '1', title: 'One', source_url: 'https://example.org/1', v: value });

  it.each([
    ['number', '1.50', '1.5', 'the same'],
    ['number', '100', '1e2', 'the same'],
    ['number', '0.12345678901234567', '0.12345678901234566', 'another'],
    ['number', '5', '-5', 'another'],
    ['integer', '-0', '0', 'the same'],
    ['decimal', '1.50', '1.5', 'another'],
    ['boolean', 'TRUE', 'true', 'the same'],
    ['boolean', 'true', 'false', 'another'],
    ['date', '2026-04-17', '2026-04-18', 'another'],
    ['datetime', '2026-04-17T00:00:00Z', '2026-04-17', 'another'],
    ['text', '1.50', '1.5', 'another'],
    ['text', 'TRUE', 'true', 'another'],
  ] as const)('of type %s, %s and then %s, is %s', async (type, first, later, expected) => {
    const store = await openRegister([field('v', type)]);
    await read(store, csvReader(source(file(first))));
    const { changed } = await read(store, csvReader(source(file(later))));
    expect(changed).toBe(expected === 'another' ? 1 : 0);
  });

  it.each([
    ['text', '', '', 'the same'],
    ['text', 5, '5', 'the same'],
    ['decimal', 1.5, '1.50', 'the same'],
    ['decimal', '1.50', '1.5', 'another'],
    ['boolean', true, 'TRUE', 'the same'],
    ['json', null, '""""""', 'another'],
    ['json', '5', '5', 'another'],
  ] as const)('of type %s, %j in JSON and then %s in a table, is %s', async (type, first, later, expected) => {
    const store = await openRegister([field('v', type)]);
    await read(store, ndjsonReader(source(inJson(first))));
    const { changed } = await read(store, csvReader(source(file(later))));
    expect(changed).toBe(expected === 'another' ? 1 : 0);
  });

  it('makes no version of an empty text that is absent then, nor the other way round', async () => {
    const store = await openRegister([field('v', 'text')]);
    const record = JSON.parse(inJson('')) as object;
    await read(store, ndjsonReader(source(JSON.stringify({ ...record, summary: '' }))));
    for (const later of [record, { ...record, summary: '', author: '' }]) {
      expect(await read(store, ndjsonReader(source(JSON.stringify(later))))).toMatchObject({
        changed: 0,
        unchanged: 1,
      });
    }
  });
});
