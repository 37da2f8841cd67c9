// Columns that are named as fields of every record are. What only the register gives (`version`, `updated_at`, …) is the
// publisher's own in every file that gazette did not write.
import { describe, expect, it } from 'vitest';
import { csv } from '../../src/formats/csv.ts';
import { encode } from '../../src/formats/encode.ts';
import type { Format } from '../../src/formats/format.ts';
import { ndjson } from '../../src/formats/ndjson.ts';
import { xlsx } from '../../src/formats/xlsx/index.ts';
import { findFields } from '../../src/import/fields/find-fields.ts';
import { guessImport } from '../../src/import/guess/guess-import.ts';
import { importRecords } from '../../src/import/importer.ts';
import { csvReader } from '../../src/import/readers/csv.ts';
import { jsonReader } from '../../src/import/readers/json.ts';
import { ndjsonReader } from '../../src/import/readers/ndjson.ts';
import type { RecordReader } from '../../src/import/readers/raw-record.ts';
import { xlsxReader } from '../../src/import/readers/xlsx/index.ts';
import { openRecordStream } from '../../src/import/record-stream.ts';
import { type DefinitionInput, defineRegister } from '../../src/register/definition.ts';
import { pages } from '../../src/register/sources/source.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { text, workbook } from './readers/workbook-by-hand.ts';
import { source } from './sources.ts';

const GIVEN = {
  feed_id: 'bus',
  key: 'K-7',
  updated_at: '2025-02-03T10:00:00Z',
  version: 'v2',
  position: 'left',
};
const RECORD = { id: '1', title: 'One', source_url: 'https://example.org/1', ...GIVEN };

const OWN = Object.fromEntries(Object.entries(GIVEN).map(([name, value]) => [`${name}_2`, value]));

const row = (cells: readonly string[]): string => `<row>${cells.map(text).join('')}</row>`;

const READERS: Readonly<Record<string, () => RecordReader>> = {
  CSV: () => csvReader(source(`${Object.keys(RECORD).join()}\n${Object.values(RECORD).join()}\n`)),
  XLSX: () => xlsxReader(source(workbook(row(Object.keys(RECORD)) + row(Object.values(RECORD))))),
  JSON: () => jsonReader(source(JSON.stringify([RECORD]))),
};

async function openRegister(fields: DefinitionInput['fields'] = []): Promise<SqliteStore> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z', fields }));
  return store;
}

const take = (store: SqliteStore, reader: RecordReader) =>
  importRecords(store, 'r', reader, { order: 'oldest-first', now: () => Date.parse('2026-05-01T00:00:00Z') });

async function shown(store: SqliteStore): Promise<unknown> {
  const [page] = await Array.fromAsync(pages(await store.source('r')));
  return page!.records.map(({ id, key, version, data }) => ({ id, key, version, data }));
}

describe.each(Object.entries(READERS))('what only the register gives, as columns of %s,', (_, read) => {
  it('becomes fields of its own, also the second time and where gazette wrote it', async () => {
    const store = await openRegister();
    await take(store, read());
    const values = { id: 'r:1', key: '1', version: 1, data: OWN };
    expect(await shown(store)).toEqual([values]);
    const { definition } = (await store.register('r'))!;
    expect(definition.fields.map(({ name, label }) => [name, label])).toEqual(
      Object.keys(GIVEN).map((name) => [`${name}_2`, name]),
    );
    const formats: readonly [Format, (bytes: Uint8Array) => RecordReader][] = [
      [ndjson, (bytes) => ndjsonReader(source(bytes))],
      [csv, (bytes) => csvReader(source(bytes), { formulas: 'guarded' })],
      [xlsx, (bytes) => xlsxReader(source(bytes))],
    ];
    const again = await Promise.all(
      formats.map(async ([format, reader]) => {
        const head = { definition, lastChange: null, asOf: null };
        return reader(Buffer.concat(await Array.fromAsync(encode(pages(await store.source('r')), format, head))));
      }),
    );
    for (const reader of [read(), ...again]) {
      const { changed, unchanged, notes } = await take(store, reader);
      expect([changed, unchanged, [...notes.undeclared]]).toEqual([0, 1, []]);
    }
    expect(await shown(store)).toEqual([values]);
    await store.close();
  });

  it('is kept where a definition does not declare it, and told of', async () => {
    const store = await openRegister([{ name: 'area', type: 'number' }]);
    const { notes } = await take(store, read());
    expect([...notes.undeclared]).toEqual(Object.keys(GIVEN).map((name) => [name, 1]));
    const { definition } = (await store.register('r'))!;
    const fields = [{ name: 'version_2', label: 'version', type: 'text' as const }];
    await store.updateRegister({ ...definition, fields }, { recordedAt: '2026-05-02T00:00:00Z' });
    expect(await shown(store)).toEqual([{ id: 'r:1', key: '1', version: 1, data: { version_2: 'v2' } }]);
    await store.close();
  });

  it('becomes fields in an export without a store', async () => {
    const fields = await findFields(read());
    const stream = await openRecordStream(read(), { fields, observedAt: '2026-05-01' });
    const [page] = await Array.fromAsync(stream.pages());
    expect(page!.records).toMatchObject([{ id: 'records:1', version: 1, updated_at: null, data: OWN }]);
  });

  it('is told of, by the import that finds it and by a guess', async () => {
    const store = await openRegister();
    const said =
      /^every record has fields of these names already: "feed_id" becomes the field feed_id_2, "key" becomes/;
    expect((await take(store, read())).notes.found).toMatchObject([{ code: 'field_names', message: said }]);
    expect((await take(store, read())).notes.found).toEqual([]);
    const guess = await guessImport(read, { feedId: 'r', now: () => 0 });
    expect(guess).toMatchObject({ refused: 0, first: [{ id: 'r:1', version: 1, published_at: null, data: OWN }] });
    expect(guess.map).toEqual(
      expect.arrayContaining(Object.keys(OWN).map((name) => `data.${name}=${name.slice(0, -2)}`)),
    );
    expect(guess.columns.find(({ name }) => name === 'version')).toMatchObject({ field: 'data.version_2' });
    expect(
      guess.remarks.filter((remark) =>
        remark.startsWith(
          'every record has fields of these names already: "feed_id" becomes the field feed_id_2, "key" becomes',
        ),
      ),
    ).toHaveLength(1);
    await store.close();
  });
});

describe('a column that is named as a field of every record, and says something else,', () => {
  const RECORDS = Array.from({ length: 12 }, (_, n) => ({
    id: `${n}`,
    title: 'T',
    source_url: 'https://example.org/',
    document_type: 'D',
    content_type: n === 3 ? 'html' : 'pdf',
    author: [`N${n}`],
    published_at: 'soon',
  }));

  it('becomes a field where it is guessed', async () => {
    const guess = await guessImport(() => jsonReader(source(JSON.stringify(RECORDS))), { feedId: 'r', now: () => 0 });
    expect(guess).toMatchObject({
      refused: 0,
      first: [{ data: { content_type_2: 'pdf', author_2: ['N0'], published_at_2: 'soon' } }, {}, {}],
    });
    expect(guess.remarks.join('\n')).toContain('"content_type" becomes the field content_type_2');
  });

  it('is refused otherwise, with the way to take it', async () => {
    const store = await openRegister();
    const read = (): RecordReader => jsonReader(source(JSON.stringify(RECORDS.slice(0, 1))));
    await expect(take(store, read())).rejects.toThrow(
      /content_type must be "text" or "html", got "pdf"; .* --map data\.content_type_2=content_type$/,
    );
    await store.close();
  });

  it('that only a few records have is the fault of those', async () => {
    const records = RECORDS.map((record, n) => ({
      ...record,
      author: 'A',
      published_at: null,
      content_type: n < 11 ? 'text' : 'x',
    }));
    const guess = await guessImport(() => jsonReader(source(JSON.stringify(records))), { feedId: 'r', now: () => 0 });
    expect(guess).toMatchObject({ refused: 1, first: [{ author: 'A' }, {}, {}] });
  });
});

it('a record that gazette wrote for another register is refused', async () => {
  const store = await openRegister();
  const record = { ...RECORD, id: 'bus:1' };
  await expect(take(store, ndjsonReader(source(JSON.stringify(record))))).rejects.toThrow(/feed_id must be "r"/);
  await store.close();
});
