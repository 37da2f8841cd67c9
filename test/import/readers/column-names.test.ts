// Tables whose header names two columns alike, or some not at all: each column is read under a name of its own.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findFields } from '../../../src/import/fields/find-fields.ts';
import { guessImport } from '../../../src/import/guess/guess-import.ts';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { csvReader } from '../../../src/import/readers/csv.ts';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import { RowHeader } from '../../../src/import/readers/table/row-header.ts';
import { xlsxReader } from '../../../src/import/readers/xlsx/index.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import { RUNS, texts } from '../../properties/arbitraries.ts';
import { source, valuesOf } from '../sources.ts';
import { text, workbook } from './workbook-by-hand.ts';

type Table = readonly (readonly string[])[];

const inCsv = (rows: Table): RecordReader => {
  const lines = rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','));
  return csvReader(source(lines.join('\n')), { delimiter: ',', headerRow: 1 });
};

const inWorkbook = (rows: Table): RecordReader => {
  const cells = rows.map((row) => `<row>${row.map((cell) => (cell === '' ? '<c/>' : text(cell))).join('')}</row>`);
  return xlsxReader(source(workbook(cells.join(''))), { headerRow: 1 });
};

const READERS = [
  ['CSV', inCsv],
  ['XLSX', inWorkbook],
] as const;

const messages = (reader: RecordReader): readonly string[] => reader.notes!().map(({ message }) => message);
const PREFIX = 'columns without a name of their own are read under another: ';

describe.each(READERS)('the columns of a table in %s', (_, open) => {
  it('keep their order, also where they are called by whole numbers', async () => {
    const rows = [
      ['Place', '2020', 'Note', '2019'],
      ['A', '5', 'x', '7'],
      ['B', '6', 'y', '8'],
    ];
    const labels = (await findFields(open(rows))).map(({ field }) => field.label);
    expect(labels).toEqual(['Place', '2020', 'Note', '2019']);
    const titled = await findFields(open(rows), { mapping: parseMapping(['title=Note', 'data.year={2019}']) });
    expect(titled.map(({ field }) => field.label)).toEqual(['year', 'Place', '2020', '2019']);
    const { columns, definition } = await guessImport(() => open(rows), { feedId: 'r', now: () => 0 });
    expect(columns.map(({ name }) => name)).toEqual(['Place', '2020', 'Note', '2019']);
    expect(definition.fields.map(({ label }) => label)).toEqual(['2020', 'Note', '2019']);
  });

  it.each<[string, Table, object, string]>([
    [
      'named twice',
      [
        ['Nr', 'Name', 'Name', 'Name'],
        ['1', 'a', 'b', 'c'],
      ],
      { Nr: '1', Name: 'a', 'Name (2)': 'b', 'Name (3)': 'c' },
      'column 3 as "Name (2)", column 4 as "Name (3)"',
    ],
    [
      'named like the second of two',
      [
        ['Name', 'Name', 'Name (2)'],
        ['a', 'b', 'c'],
      ],
      { Name: 'a', 'Name (3)': 'b', 'Name (2)': 'c' },
      'column 2 as "Name (3)"',
    ],
    [
      'without a name',
      [
        ['', 'Name', 'column A', ''],
        ['1', 'a', 'b', ''],
      ].map((row) => [...row, 'x']),
      { 'column A (2)': '1', Name: 'a', 'column A': 'b', x: 'x' },
      'column 1 as "column A (2)", column 4 as "column D"',
    ],
    [
      'named alike in many columns',
      [Array.from({ length: 8 }, () => 'x'), Array.from({ length: 8 }, (_, index) => `${index}`)],
      { x: '0', 'x (8)': '7' },
      'column 5 as "x (5)", column 6 as "x (6)" and 2 more',
    ],
  ])('%s have names of their own', async (_, rows, expected, named) => {
    const reader = open(rows);
    expect((await valuesOf(reader))[0]).toMatchObject(expected);
    const [message, ...others] = messages(reader);
    expect(others).toEqual([]);
    expect(message!.startsWith(PREFIX)).toBe(true);
    expect(message).toContain(named);
  });

  it('are not spoken of where each has a name', async () => {
    const rows = [
      ['name', 'Name', ' name'],
      ['1', '2', '3'],
    ];
    const reader = open(rows);
    expect(await valuesOf(reader)).toEqual([{ name: '1', Name: '2', ' name': '3' }]);
    expect(messages(reader)).toEqual([]);
  });

  it('are mapped by the names they are read under', async () => {
    const rows = [
      ['Nr.', 'Bezeichnung', 'Bezeichnung'],
      ['1', 'Road', 'Built 1990'],
    ];
    const mapping = parseMapping([
      'id=Nr.,title=Bezeichnung,summary=Bezeichnung (2)',
      'source_url=https://example.org/{Bezeichnung (2)}',
    ]);
    const stream = await openRecordStream(open(rows), { mapping, observedAt: '2026-01-01' });
    const [page] = await Array.fromAsync(stream.pages());
    expect(page!.records).toMatchObject([
      { title: 'Road', summary: 'Built 1990', source_url: 'https://example.org/Built%201990' },
    ]);
  });
});

it('gives each column a name of its own, whatever a header says', () => {
  const name = fc.oneof(texts(1), fc.constantFrom('', 'a', 'a (2)', 'a (3)', 'a (2) (2)', 'column A', 'column B'));
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), (cells) => {
      fc.pre(cells.some((cell) => cell.trim() !== ''));
      const { names, note } = new RowHeader(cells, {}, (reason) => new Error(reason));
      expect(new Set(names).size).toBe(cells.length);
      expect(names.every((each) => each.trim() !== '')).toBe(true);
      // The first column of a name keeps it.
      cells.forEach((cell, index) => {
        if (cell.trim() !== '' && cells.indexOf(cell) === index) expect(names[index]).toBe(cell);
      });
      expect(note === null).toBe(names.every((each, index) => each === cells[index]));
    }),
    { numRuns: 5 * RUNS },
  );
});
