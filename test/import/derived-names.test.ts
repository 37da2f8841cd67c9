// A declared field takes the property that an import without a definition would name so.
import { expect, it } from 'vitest';
import { importRecords } from '../../src/import/importer.ts';
import { parseMapping } from '../../src/import/mapping/mapping.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import { openRecordStream } from '../../src/import/record-stream.ts';
import { Registers } from '../../src/operate/registers.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { pages } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { source } from './sources.ts';

const record = (id: string, more: object): object => ({ id, title: 'T', source_url: 'https://e.org/', ...more });

const definition = (...names: readonly string[]) => {
  const fields = names.map((name) => ({ name, label: `The ${name}`, type: 'text' as const }));
  return defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z', fields });
};

async function openRegister(...names: readonly string[]): Promise<SqliteStore> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(definition(...names));
  return store;
}

const take = (store: SqliteStore, records: readonly object[], map: readonly string[] = []) =>
  importRecords(store, 'r', jsonReader(source(JSON.stringify(records))), {
    ...{ order: 'newest-first', now: () => 0, mapping: parseMapping(map) },
  });

async function shown(store: SqliteStore): Promise<unknown> {
  const [page] = await Array.fromAsync(pages(await store.source('r')));
  return page!.records.map(({ data }) => data);
}

it('a declared field takes the property whose name becomes its name', async () => {
  const store = await openRegister('vendor_project', 'groesse', 'version_2');
  const records = [
    record('1', { vendorProject: 'Foo', Größe: '5' }),
    record('2', { 'Vendor project': 'Bar', version: 'v' }),
  ];
  const { notes } = await take(store, records);
  expect([...notes.undeclared]).toEqual([]);
  expect(await shown(store)).toEqual([
    { vendor_project: 'Foo', groesse: '5', version_2: null },
    { vendor_project: 'Bar', groesse: null, version_2: 'v' },
  ]);
  expect(await take(store, records)).toMatchObject({ unchanged: 2 });
  const stream = await openRecordStream(jsonReader(source(JSON.stringify(records))), {
    ...{ definition: definition('vendor_project'), observedAt: '2026-01-01' },
  });
  const [page] = await Array.fromAsync(stream.pages());
  expect(page!.records.map(({ data }) => data)).toEqual([{ vendor_project: 'Foo' }, { vendor_project: 'Bar' }]);
  await store.close();
});

it('a property that is called as the field comes first, and the other is kept', async () => {
  const store = await openRegister('vendor_project');
  const { notes } = await take(store, [record('1', { vendorProject: 'Foo', vendor_project: 'Bar' })]);
  expect([...notes.undeclared]).toEqual([['vendorProject', 1]]);
  expect(await shown(store)).toEqual([{ vendor_project: 'Bar' }]);
  await store.close();
});

it('a field that a rule fills takes no other property', async () => {
  const store = await openRegister('vendor_project');
  const { notes } = await take(store, [record('1', { vendorProject: 'Foo', v: 'Bar' })], ['vendor_project=v']);
  expect([...notes.undeclared]).toEqual([['vendorProject', 1]]);
  expect(await shown(store)).toEqual([{ vendor_project: 'Bar' }]);
  await store.close();
});

it('makes no version where the field was declared after the import, or is renamed', async () => {
  const store = await openRegister();
  const records = [record('1', { vendorProject: 'Foo' })];
  await take(store, records);
  const registers = new Registers(store);
  await registers.renameField('r', 'vendor_project', 'vendor');
  expect(await take(store, records)).toMatchObject({ unchanged: 1 });
  expect(await shown(store)).toEqual([{ vendor: 'Foo' }]);
  await store.close();
});
