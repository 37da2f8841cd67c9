// Empty texts in JSON: no value where a date, a number or an address is meant.
import { expect, it } from 'vitest';
import { guessImport } from '../../src/import/guess/guess-import.ts';
import { importRecords } from '../../src/import/importer.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import type { RecordReader } from '../../src/import/readers/raw-record.ts';
import { Registers } from '../../src/operate/registers.ts';
import { defineRegister } from '../../src/register/definition.ts';
import { pages } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { source } from './sources.ts';

const record = (id: string, more: object): object => ({ id, title: 'T', source_url: 'https://e.org/', ...more });

const RECORDS = [
  record('1', { published_at: '01/02/2026', ends: '25/02/2026', count: 5, link: 'https://e.org/1', note: 'x' }),
  record('2', { published_at: '', observed_at: '', ends: '', count: '', link: '', note: '' }),
];

const read = (records: readonly object[] = RECORDS): RecordReader => jsonReader(source(JSON.stringify(records)));

it('an empty text is no date, number or address, in the first import, the second and after another type', async () => {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z' }));
  const take = () =>
    importRecords(store, 'r', read(), { now: () => 0, order: 'oldest-first', dateFormat: 'DD/MM/YYYY' });
  const shown = async (): Promise<unknown> => {
    const [page] = await Array.fromAsync(pages(await store.source('r')));
    return page!.records.map(({ published_at, observed_at, data }) => ({ published_at, observed_at, data }));
  };
  await take();
  const expected = [
    {
      ...{ published_at: null, observed_at: '1970-01-01T00:00:00.000Z' },
      data: { ends: null, count: null, link: null, note: '' },
    },
    {
      ...{ published_at: '2026-02-01', observed_at: '1970-01-01T00:00:00.000Z' },
      data: { ends: '2026-02-25', count: 5, link: 'https://e.org/1', note: 'x' },
    },
  ];
  expect(await shown()).toEqual(expected);
  expect(await take()).toMatchObject({ unchanged: 2, changed: 0 });
  await new Registers(store).retype('r', new Map([['ends', 'text']]));
  await new Registers(store).retype('r', new Map([['ends', 'date']]));
  expect(await take()).toMatchObject({ unchanged: 2, changed: 0 });
  expect(await shown()).toEqual(expected);
  await store.close();
});

it('a guess publishes records whose date or title is an empty text', async () => {
  const records = [
    { code: 'a', name: 'x', published: '01/02/2026' },
    { code: 'b', name: 'y', published: '25/02/2026' },
    { code: 'c', name: '', published: '' },
  ];
  const guess = await guessImport(() => read(records), { feedId: 'r', now: () => 0 });
  expect(guess).toMatchObject({
    refused: 0,
    first: [{ published_at: '2026-02-01' }, { title: 'y' }, { title: 'untitled', published_at: null }],
  });
});
