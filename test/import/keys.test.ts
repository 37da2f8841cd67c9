// The publisher's key beside the id: what gazette has written is taken in again, and no other key is.
import { describe, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import { encode } from '../../src/formats/encode.ts';
import type { Format } from '../../src/formats/format.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import { xlsx } from '../../src/formats/xlsx/index.ts';
import { importRecords } from '../../src/import/importer.ts';
import { parseMapping } from '../../src/import/mapping/mapping.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import type { RecordReader } from '../../src/import/readers/raw-record.ts';
import { xlsxReader } from '../../src/import/readers/xlsx/index.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { pages } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { collect } from '../contracts/readers.ts';
import { source } from './sources.ts';

const KEYS = ['2026/0417', '=1+1', "'-5", '007', 'a\u0000b', 'ä 😀', '~', '1e5', 'TRUE'];

async function openRegister(): Promise<SqliteStore> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(defineRegister({ id: 'sites', title: 'Sites', created_at: '2026-01-01T00:00:00Z' }));
  return store;
}

const take = (store: SqliteStore, reader: RecordReader, map = '') =>
  importRecords(store, 'sites', reader, {
    now: () => Date.parse('2026-05-01T00:00:00Z'),
    order: 'newest-first',
    ...(map === '' ? {} : { mapping: parseMapping([map]) }),
  });

const linesOf = (keys: readonly object[]): string =>
  keys
    .map((key) => JSON.stringify({ title: 'T', source_url: 'https://example.org/', observed_at: '2026-04-19', ...key }))
    .join('\n');

const FORMATS: readonly [Format, (bytes: Buffer) => RecordReader][] = [
  [csv, (bytes) => csvReader(source(bytes, 1000, 'sites.csv'))],
  [xlsx, (bytes) => xlsxReader(source(bytes, 1000, 'sites.xlsx'))],
  [ndjson, (bytes) => ndjsonReader(source(bytes, 1000, 'sites.ndjson'))],
];

describe('a key beside the id', () => {
  it.each(FORMATS)('makes no change where gazette wrote it: $name', async (format, readerOf) => {
    const store = await openRegister();
    await take(store, ndjsonReader(source(linesOf(KEYS.map((id) => ({ id }))), 1000, 'sites.ndjson')));
    const { definition } = (await store.register('sites'))!;
    const head = { definition, lastChange: null, asOf: null };
    const bytes = await collect(encode(pages(await store.source('sites')), format, head));
    expect(await take(store, readerOf(bytes))).toMatchObject({
      unchanged: KEYS.length,
      added: 0,
      changed: 0,
      refused: 0,
    });
  });

  it.each([
    [
      { id: 'sites:1', key: '2' },
      /key must be "1", as record "sites:1" has it, or absent, got "2"; records get other keys/,
    ],
    [{ id: 'sites:~3D1', key: "'=1" }, /key must be "=1"/],
    [{ id: 'sites:a~2Fb', key: 'a~2Fb' }, /key must be "a\/b"/],
  ])('is refused by name where it is another one: %j', async (line, message) => {
    const store = await openRegister();
    await take(store, ndjsonReader(source(linesOf([{ ...line, key: null }]), 1000, 'sites.ndjson')));
    await expect(take(store, ndjsonReader(source(linesOf([line]), 1000, 'sites.ndjson')))).rejects.toThrow(message);
  });

  it('may be the id, or go elsewhere, by the mapping', async () => {
    const store = await openRegister();
    const reader = () =>
      csvReader(source('id,key,title,source_url\n1,A/7,T,https://example.org/\n', 1000, 'sites.csv'));
    expect(await take(store, reader(), 'data.own_key=key')).toMatchObject({ added: 1 });
    expect(await take(store, reader(), 'id=key')).toMatchObject({ added: 1 });
    const [page] = await Array.fromAsync(pages(await store.source('sites')));
    expect(page!.records.map(({ key }) => key)).toEqual(['A/7', '1']);
  });
});
