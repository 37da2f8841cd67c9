// The types of fields that a first import finds, from all of its file.
import ExcelJS from 'exceljs';
import { describe, expect, it } from 'vitest';
import { parseTypes } from '../../../src/import/fields/said-types.ts';
import { findFields } from '../../../src/import/fields/find-fields.ts';
import type { ImportOptions, RefusedRecord } from '../../../src/import/import-options.ts';
import { importRecords } from '../../../src/import/importer.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import { jsonReader } from '../../../src/import/readers/json.ts';
import { ndjsonReader } from '../../../src/import/readers/ndjson.ts';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import { xlsxReader } from '../../../src/import/readers/xlsx/index.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import { pages } from '../../../src/register/sources/source.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { source } from '../sources.ts';

const MAPPING = parseMapping(['id=n,title=Record {n},source_url=https://example.org/{n}']);

async function empty(fields: Parameters<typeof defineRegister>[0]['fields'] = []): Promise<SqliteStore> {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(defineRegister({ id: 'r', title: 'R', created_at: '2026-01-01T00:00:00Z', fields }));
  return store;
}

const take = (store: SqliteStore, reader: RecordReader, options: Partial<ImportOptions> = {}) =>
  importRecords(store, 'r', reader, { mapping: MAPPING, order: 'oldest-first', ...options });

/** The own values of all records, oldest first. */
async function shown(store: SqliteStore): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { records } of pages(await store.source('r'))) all.push(...records.map(({ data }) => data));
  return all.reverse();
}

/** What an import finds, and that the same import again changes nothing. */
async function found(makeReader: () => RecordReader, options: Partial<ImportOptions> = {}) {
  const store = await empty();
  const result = await take(store, makeReader(), options);
  const types = Object.fromEntries(result.definition.fields.map(({ name, type }) => [name, type]));
  expect((await store.register('r'))!.definition.fields).toEqual(result.definition.fields);
  expect(await take(store, makeReader(), options)).toMatchObject({ added: 0, changed: 0, unchanged: result.added });
  return { types, data: await shown(store), notes: result.notes };
}

/** Columns as a CSV file with `;`, a quoted field for each value. */
function csv(columns: Readonly<Record<string, readonly string[]>>): RecordReader {
  const names = Object.keys(columns);
  const rows = columns[names[0]!]!.map((_, at) => [`${at}`, ...names.map((name) => `"${columns[name]![at]!}"`)]);
  return csvReader(source([['n', ...names], ...rows].map((row) => row.join(';')).join('\n'), 1000, 'file.csv'));
}

const json = (...values: readonly string[]): RecordReader =>
  jsonReader(source(`[${values.map((value, n) => `{"n":${n},"x":${value}}`).join(',')}]`, 7, 'file.json'));

const NOTHING = [null, null, null, null, null];

describe('the type that an import finds for a column of CSV', () => {
  it.each<[string, string[], string, unknown[]]>([
    ['whole numbers', ['1', '-5', ''], 'integer', [1, -5, null]],
    ['whole numbers of any length', ['1', '12345678901234567890'], 'integer', [1, '12345678901234567890']],
    ['fractions', ['1', '2.50'], 'number', [1, 2.5]],
    ['fractions that a double does not give back', ['1', '12345678901234567.89'], 'decimal', undefined!],
    ['digits behind the point', ['0.1234567890123456789', '2'], 'decimal', ['0.1234567890123456789', '2']],
    ['long whole numbers beside fractions', ['9007199254740993', '0.5'], 'decimal', ['9007199254740993', '0.5']],
    ['leading zeros', ['007', '12'], 'text', ['007', '12']],
    ['one leading zero at the end', ['12', '012'], 'text', ['12', '012']],
    ['codes that look like powers of ten', ['1e5', '2'], 'text', ['1e5', '2']],
    ['powers of ten', ['1.5e5', '2e-3'], 'number', [150000, 0.002]],
    ['numbers and words', ['1', 'some'], 'text', ['1', 'some']],
    ['numbers and words for no value', ['1', 'n/a', '-', 'NaN', '…', 'k. A.'], 'integer', [1, ...NOTHING]],
    ['dates and words for no value', ['2026-04-17', 'NULL', '..'], 'date', ['2026-04-17', null, null]],
    ['spaces alone', [' ', '  '], 'text', [' ', '  ']],
    ['numbers and spaces alone', ['1', ' '], 'integer', [1, null]],
    ['words for no value alone', ['-', 'n/a'], 'text', ['-', 'n/a']],
    ['texts beside words for no value', ['a', '-', '1'], 'text', ['a', '-', '1']],
    ['thousands in groups', ['1,709', '871', '12,345,678'], 'integer', [1709, 871, 12345678]],
    ['thousands in groups, and fractions', ['1,709.50', '-1,000'], 'number', [1709.5, -1000]],
    ['thousands with spaces', ['3 000', '1 250', '3 000'], 'integer', [3000, 1250, 3000]],
    ['thousands with apostrophes', ["1'709'000", '5'], 'integer', [1709000, 5]],
    ['more digits than a double holds, in groups', ['12,345,678,901,234,567.89', '1'], 'decimal', undefined!],
    ['commas that may be decimal ones', ['1,250', '2,125'], 'text', ['1,250', '2,125']],
    ['groups that may be of telephones', ['601 234 567', '605 111 222'], 'text', ['601 234 567', '605 111 222']],
    ['groups that are none', ['1,70', '871'], 'text', ['1,70', '871']],
    ['numbers and spaces alone', ['1', '   ', '\u00a0'], 'integer', [1, null, null]],
    ['spaces around numbers', [' 80', '5 '], 'integer', [80, 5]],
    ['leading zeros in groups', ['01 234', '5'], 'text', ['01 234', '5']],
    ['numbers with a plus, thousands or a space', ['+1', '1'], 'text', ['+1', '1']],
    ['dates', ['2026-04-17', '2026-12-31'], 'date', ['2026-04-17', '2026-12-31']],
    ['days that no calendar has', ['2026-04-17', '2026-02-30'], 'text', ['2026-04-17', '2026-02-30']],
    ['dates and times', ['2026-04-17', '2026-04-17T08:12:44Z'], 'datetime', ['2026-04-17', '2026-04-17T08:12:44Z']],
    ['truth', ['true', 'FALSE'], 'boolean', [true, false]],
    ['addresses', ['https://example.org/a', 'http://example.org/b'], 'url', undefined!],
    ['addresses and other text', ['https://example.org/a', 'none'], 'text', undefined!],
    ['JSON', ['[1]', '[2]'], 'text', ['[1]', '[2]']],
    ['nothing', ['', ''], 'text', [null, null]],
  ])('of %s', async (_title, values, type, data) => {
    const one = await found(() => csv({ x: values }));
    expect(one.types).toEqual({ x: type });
    const expected = (data as unknown[] | undefined) ?? values.map((text) => text.replaceAll(',', ''));
    expect(one.data).toEqual(expected.map((x) => ({ x })));
  });

  it('with the words for no value that the caller says, which are counted', async () => {
    const columns = { x: ['1', 'Inapplicable', '-', '2'], text: ['a', 'Inapplicable', '-', 'b'] };
    expect((await found(() => csv(columns))).types).toEqual({ x: 'text', text: 'text' });
    const { types, data, notes } = await found(() => csv(columns), { missing: ['Inapplicable'] });
    expect(types).toEqual({ x: 'integer', text: 'text' });
    expect(data.slice(0, 3)).toEqual([
      { x: 1, text: 'a' },
      { x: null, text: 'Inapplicable' },
      { x: null, text: '-' },
    ]);
    expect([...notes.missing]).toEqual([['x', 2]]);
  });

  it('by a value at the end of a long file', async () => {
    const values = Array.from({ length: 3000 }, (_, index) => `${index}`);
    const texts = [...values.slice(1), 'none'];
    const last = { a: values, b: texts, c: [...values.slice(1), '0.1234567890123456789'] };
    expect((await found(() => csv(last))).types).toEqual({ a: 'integer', b: 'text', c: 'decimal' });
  });

  it('in the file’s own forms of amounts and dates, which are kept in gazette’s', async () => {
    const columns = {
      amount: ['1.234,56', '-0,5'],
      exact: ['12.345.678.901.234.567,89', '1'],
      whole: ['1.000', '7'],
      pointed: ['1.5', '2'],
      day: ['17.04.2026', '2026-04-18'],
      time: ['17.04.2026 08:12', '18.04.2026'],
      other: ['2026-31-12', '17.04.2026'],
    };
    const { types, data } = await found(() => csv(columns), { decimalComma: true, dateFormat: 'DD.MM.YYYY' });
    expect(types).toEqual({
      ...{ amount: 'number', exact: 'decimal', whole: 'integer', pointed: 'text' },
      ...{ day: 'date', time: 'datetime', other: 'text' },
    });
    expect(data[0]).toEqual({
      ...{ amount: 1234.56, exact: '12345678901234567.89', whole: 1000, pointed: '1.5' },
      ...{ day: '2026-04-17', time: '2026-04-17T08:12:00Z', other: '2026-31-12' },
    });
  });

  it('from the records that are taken in alone', async () => {
    const store = await empty();
    const refused: RefusedRecord[] = [];
    const text = 'n,x\n1,5\n,none\n2,6\n';
    const { definition } = await take(store, csvReader(source(text)), { onRefused: (one) => void refused.push(one) });
    expect(refused).toHaveLength(1);
    expect(definition.fields).toEqual([{ name: 'x', label: 'x', type: 'integer', from_file: true }]);
  });
});

describe('the type that an import finds for a property of JSON', () => {
  it.each<[string, string[], string, unknown[]]>([
    ['date strings', ['"2026-04-17"', 'null'], 'date', ['2026-04-17', null]],
    ['date strings, and one that is none', ['"2026-04-17"', '"soon"'], 'text', ['2026-04-17', 'soon']],
    ['strings of digits', ['"1"', '"2"'], 'text', ['1', '2']],
    ['the words true and false', ['"true"'], 'text', ['true']],
    ['numbers', ['1', '2.5'], 'number', [1, 2.5]],
    ['numbers of many digits', ['12345678901234567.89', '2.5'], 'decimal', ['12345678901234567.89', '2.5']],
    ['numbers beyond those of a double', ['1e400', '1'], 'decimal', [`1${'0'.repeat(400)}`, '1']],
    ['large integers', ['9007199254740993', '1'], 'integer', ['9007199254740993', 1]],
    ['large integers and fractions', ['9007199254740993', '0.5'], 'decimal', ['9007199254740993', '0.5']],
    ['large integers and strings', ['9007199254740993', '"x"'], 'text', ['9007199254740993', 'x']],
    ['lists', ['[0.1234567890123456789]', '5'], 'json', [['0.1234567890123456789'], 5]],
  ])('of %s', async (_title, values, type, data) => {
    const one = await found(() => json(...values));
    expect(one.types).toEqual({ x: type });
    expect(one.data).toEqual(data.map((x) => ({ x })));
  });

  it('of strings in the forms that were said', async () => {
    const { types, data } = await found(() => json('"1.234,5"', '"2"'), { decimalComma: true });
    expect([types, data]).toEqual([{ x: 'number' }, [{ x: 1234.5 }, { x: 2 }]]);
  });

  it('that only late records have, or a rule names', async () => {
    const lines = Array.from({ length: 2500 }, (_, n) =>
      JSON.stringify(n < 2400 ? { n } : { n, late: n, a: { b: 1 } }),
    );
    const { types } = await found(() => ndjsonReader(source(lines.join('\n'), 5000)), {
      mapping: [...MAPPING, ...parseMapping(['data.depth=a.b'])],
    });
    expect(types).toEqual({ depth: 'integer', late: 'integer', a: 'json' });
  });
});

it('types of a workbook are those of its cells, dates and times among them', async () => {
  const workbook = new ExcelJS.Workbook();
  const sheet = workbook.addWorksheet('S');
  sheet.addRow(['n', 'day', 'time', 'area', 'count', 'open', 'code', 'mixed']);
  const day = new Date('2026-04-17T00:00:00Z');
  sheet.addRow([1, day, new Date('2026-04-17T08:12:00Z'), 12.5, 3, true, '007', 5]);
  sheet.addRow([2, new Date('2026-04-18T00:00:00Z'), day, 7, 4, false, '12', 'soon']);
  for (const name of ['B2', 'B3']) sheet.getCell(name).numFmt = 'dd.mm.yyyy';
  for (const name of ['C2', 'C3']) sheet.getCell(name).numFmt = 'dd.mm.yyyy hh:mm';
  const bytes = new Uint8Array(await workbook.xlsx.writeBuffer());
  const { types, data } = await found(() => xlsxReader(source(bytes, 1000, 'file.xlsx')));
  expect(types).toEqual({
    ...{ day: 'date', time: 'datetime', area: 'number', count: 'integer', open: 'boolean', code: 'text' },
    mixed: 'text',
  });
  expect(data[0]).toMatchObject({ day: '2026-04-17', area: 12.5, count: 3, open: true, code: '007', mixed: '5' });
});

describe('types that the caller says', () => {
  it('decide, by the name of the field or of the column, and are kept', async () => {
    const reader = () => csv({ 'Lfd. Nr.': ['1', '2'], price: ['5', '6.50'], on: ['17.04.2026', '18.04.2026'] });
    const types = parseTypes(['Lfd. Nr.=text,price=decimal', 'on=datetime']);
    const one = await found(reader, { types, dateFormat: 'DD.MM.YYYY' });
    expect(one.types).toEqual({ lfd_nr: 'text', price: 'decimal', on: 'datetime' });
    expect(one.data[1]).toEqual({ lfd_nr: '2', price: '6.50', on: '2026-04-18' });
  });

  it('read JSON in a table', async () => {
    const one = await found(() => csvReader(source('n,x\n1,"{""a"":[1]}"\n')), { types: parseTypes(['x=json']) });
    expect(one.data).toEqual([{ x: { a: [1] } }]);
  });

  it('count numbers that show fewer digits than the file gives', async () => {
    const { data, notes } = await found(() => json('12345678901234567.89', '1'), { types: parseTypes(['x=number']) });
    expect(data[0]).toEqual({ x: 12345678901234568 });
    expect([...notes.rounded]).toEqual([['x', 1]]);
  });

  it.each([
    [
      'x=integer',
      'file.csv: line 3: data.x must be a whole number, as text of digits beyond 9007199254740991, got "soon"',
    ],
    ['x=boolean', 'file.csv: line 2: data.x must be true or false, got "1"'],
    ['y=text', 'type: y is not a field of the file; its fields are x'],
  ])('refuse a file that they do not fit: %s', async (type, message) => {
    const store = await empty();
    const late = take(store, csv({ x: ['1', 'soon'] }), { types: parseTypes([type]) });
    await expect(late).rejects.toThrow(message);
    expect((await store.register('r'))!).toMatchObject({ top: 0, definition: { fields: [] } });
  });

  it('must be those of the register where it has fields', async () => {
    const store = await empty([{ name: 'x', type: 'text' }]);
    const reader = () => csv({ x: ['1'] });
    expect(await take(store, reader(), { types: parseTypes(['x=text']) })).toMatchObject({ added: 1 });
    await expect(take(store, reader(), { types: parseTypes(['x=number']) })).rejects.toThrow(
      'register "r" declares x as text; change it with: gazette register retype r x=number',
    );
    await expect(take(store, reader(), { types: parseTypes(['z=number']) })).rejects.toThrow('declares no field z');
  });

  it.each(['x', 'x=', '=text', 'x=float', 'x=text,x=date'])('are refused where they are none: %s', (written) => {
    expect(() => parseTypes([written])).toThrow(/^type: /);
  });
});

it('a file that is read twice shows the types of all its records, in the order of its columns', async () => {
  const reader = () => csv({ B: ['1', ''], a: ['2026-04-17', '2026-04-18'], b: ['x', '1'] });
  const fields = await findFields(reader(), { mapping: MAPPING });
  const stream = await openRecordStream(reader(), { fields, mapping: MAPPING, observedAt: '2026-05-01' });
  expect(stream.definition.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'b integer',
    'a date',
    'b_2 text',
  ]);
  const data: unknown[] = [];
  for await (const { records } of stream.pages()) data.push(...records.map((record) => record.data));
  expect(data).toEqual([
    { b: 1, a: '2026-04-17', b_2: 'x' },
    { b: null, a: '2026-04-18', b_2: '1' },
  ]);
});
