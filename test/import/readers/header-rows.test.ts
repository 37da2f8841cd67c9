// Tables whose columns are named in no row, in several, or only in part: no first record is lost, and every column has a
// name that a person would give it.
import ExcelJS from 'exceljs';
import { describe, expect, it } from 'vitest';
import { csvReader } from '../../../src/import/readers/csv.ts';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import type { TableReaderOptions } from '../../../src/import/readers/table/row-header.ts';
import { xlsxReader } from '../../../src/import/readers/xlsx/index.ts';
import { readAll, source } from '../sources.ts';

type Table = readonly (readonly string[])[];

const inCsv = (rows: Table, options?: TableReaderOptions): Promise<RecordReader> => {
  const lines = rows.map((row) => row.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(','));
  return Promise.resolve(csvReader(source(`${lines.join('\n')}\n`), { delimiter: ',', ...options }));
};

const inWorkbook = async (rows: Table, options?: TableReaderOptions): Promise<RecordReader> => {
  const book = new ExcelJS.Workbook();
  const sheet = book.addWorksheet('S');
  rows.forEach((row, index) => {
    // Numbers as numbers, as a sheet has them.
    sheet.getRow(index + 1).values = row.map((cell) => {
      return cell === '' ? null : /^(?:0|[1-9]\d*)$/.test(cell) ? Number(cell) : cell;
    });
  });
  return xlsxReader(source(new Uint8Array(await book.xlsx.writeBuffer())), options);
};

const TABLES: readonly (readonly [
  about: string,
  rows: Table,
  names: readonly string[],
  first: string,
  note: string,
])[] = [
  [
    'no header, known by codes',
    [
      ['36', 'AERO', 'CUBA'],
      ['173', 'ANGLO', 'CUBA'],
    ],
    ['column A', 'column B', 'column C'],
    '36',
    'the first row looks like the others and is read as a record',
  ],
  [
    'no header, known by leading zeros, dates and shares',
    [
      ['A-1', '00', '2026-01-01', '12.5%'],
      ['A-2', '01', '2026-01-02', '50%'],
      ['B-1', '02', '2026-01-05', '37.5%'],
    ],
    ['column A', 'column B', 'column C', 'column D'],
    'A-1',
    'the first row looks like the others and is read as a record',
  ],
  [
    'headings over groups',
    [
      ['', '', 'Key figures', ''],
      ['', '', 'A', 'B'],
      ['NR.', 'Cluster', '', ''],
      ['1', 'Roads', '5', '6'],
      ['2', 'Schools', '7', '8'],
    ],
    ['NR.', 'Cluster', 'Key figures A', 'Key figures B'],
    '1',
    'the names of the columns are in NN 1 to 3, and are joined',
  ],
  [
    'headings over two columns each, of which the second has no name, and a first column without one',
    [
      ['', 'Race A', '', 'Race B', ''],
      ['', 'Smith', '', 'Jones', ''],
      ['Town 1', '3', '50%', '4', '100%'],
      ['Town 2', '3', '50%', '5', '100%'],
    ],
    ['column A', 'Race A Smith', 'Race A Smith (2)', 'Race B Jones', 'Race B Jones (2)'],
    'Town 1',
    'the names of the columns are in NN 1 to 2, and are joined',
  ],
  [
    'a long heading that goes on in a row of its own, and does not reach beyond the next',
    [
      ['', 'Race A', '', 'Race B', ''],
      ['', 'Montgomery', '', 'Jones (R)', ''],
      ['', '(D)', '', '', ''],
      ['Town 1', '3', '50%', '4', '100%'],
      ['Town 2', '3', '50%', '5', '100%'],
    ],
    ['column A', 'Race A Montgomery (D)', 'Race A Montgomery (D) (2)', 'Race B Jones (R)', 'Race B Jones (R) (2)'],
    'Town 1',
    'the names of the columns are in NN 1 to 3, and are joined',
  ],
  [
    'headings over columns of which most are empty in the first rows',
    [
      ['', 'Race A', '', 'Race B', ''],
      ['', 'Smith', '', 'Jones', ''],
      ['', '', '', '', ''],
      ['All', '', '', '', ''],
      ['Town 1', '-', '-', '-', '-'],
      ['Town 2', '-', '-', '-', '-'],
      ['Town 3', '-', '-', '4', '100%'],
    ],
    ['column A', 'Race A Smith', 'Race A Smith (2)', 'Race B Jones', 'Race B Jones (2)'],
    'All',
    'the names of the columns are in NN 1 to 2, and are joined',
  ],
  [
    'years as names, and the first without one',
    [
      ['', '2019', '2020', '2021'],
      ['Roads', '5', '6', '7'],
      ['Schools', '7', '8', '9'],
    ],
    ['column A', '2019', '2020', '2021'],
    'Roads',
    'column 1 as "column A"',
  ],
  [
    'numbers of months as names',
    [
      ['Town', '1', '2', '3', '4'],
      ['Roads', '5', '6', '7', '1'],
      ['Schools', '7', '8', '9', '1'],
    ],
    ['Town', '1', '2', '3', '4'],
    'Roads',
    '',
  ],
  [
    'months as names',
    [
      ['Town', '2026-01', '2026-02'],
      ['A', '5', '6'],
      ['B', '7', '8'],
    ],
    ['Town', '2026-01', '2026-02'],
    'A',
    '',
  ],
  [
    'ages and doses as names',
    [
      ['Town', '0-4', '10', '20', '30'],
      ['A', '5', '6', '7', '5'],
      ['B', '7', '8', '3', '5'],
    ],
    ['Town', '0-4', '10', '20', '30'],
    'A',
    '',
  ],
  [
    'units below the names, which are a record',
    [
      ['Town', 'Area', 'People'],
      ['', 'km2', ''],
      ['A', '5', '6'],
      ['B', '7', '8'],
    ],
    ['Town', 'Area', 'People'],
    '',
    '',
  ],
];

describe.each([
  ['CSV', inCsv, 'lines'],
  ['XLSX', inWorkbook, 'rows'],
] as const)('the names of columns in %s', (_, open, lines) => {
  it.each(TABLES)('are found: %s', async (_about, rows, names, first, note) => {
    const reader = await open(rows);
    const records = await readAll(reader);
    const known = new Set(records.flatMap(({ value }) => Object.keys(value as object)));
    // An object has numbers first.
    expect([...known].sort()).toEqual([...names].sort());
    expect(String((records[0]!.value as Record<string, string | number | null>)[names[0]!] ?? '')).toBe(first);
    const notes = reader.notes!().map(({ message }) => message);
    expect(notes.join('; ')).toContain(note.replace('NN', lines));
    if (note === '') expect(notes).toEqual([]);
  });

  it('are none where the caller says so, and those of the row that the caller says', async () => {
    const rows = [
      ['id', 'name'],
      ['1', 'a'],
    ];
    const none = await open(rows, { header: false });
    expect((await readAll(none)).map(({ value }) => value)).toMatchObject([{ 'column A': 'id' }, {}]);
    expect(none.notes!()).toEqual([]);
    const said = await open([['1', 'x'], ...rows.slice(1)], { headerRow: 1 });
    expect((await readAll(said)).map(({ value }) => value)).toMatchObject([{ x: 'a' }]);
    await expect(async () => open(rows, { header: false, headerRow: 1 })).rejects.toMatchObject({
      code: 'invalid_option',
    });
  });
});

it('leaves out a first name that no row has a field for', async () => {
  const lines = Array.from({ length: 6 }, (_, index) => `a${index},${index}`).join('\n');
  const records = await readAll(csvReader(source(`,name,n\n${lines}\n`)));
  expect(records[0]!.value).toEqual({ name: 'a0', n: '0' });
});

it('leaves out the sign with which DOS ended its texts', async () => {
  expect(await readAll(await inCsv([['id', 'name'], ['1', 'a'], ['\u001a']]))).toHaveLength(1);
});

it('an empty first name is left out where the rows have one field less, and a note says it', async () => {
  const rows = Array.from({ length: 10 }, (_, n) => `Smith ${n},${1980 + n}\n`);
  const reader = csvReader(source(`,Family name,Born\n${rows.join('')}`));
  expect((await readAll(reader))[0]!.value).toEqual({ 'Family name': 'Smith 0', Born: '1980' });
  expect(reader.notes!().map(({ message }) => message)).toEqual([
    'line 1 has one name more than the rows have fields, and the first name is empty: it is left out, and the first column is "Family name"',
  ]);
});

it('an empty first name stays where years follow it, and rows that end early lack the last', async () => {
  const rows = Array.from({ length: 10 }, (_, n) => `Town ${n},${n},7\n`);
  const reader = csvReader(source(`,2019,2020,2021\n${rows.join('')}`));
  expect((await readAll(reader))[0]!.value).toEqual({ 'column A': 'Town 0', 2019: '0', 2020: '7', 2021: null });
});
