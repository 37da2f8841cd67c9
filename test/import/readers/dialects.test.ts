// How tables are written in offices: semicolons and tabs, and titles above the header.
import ExcelJS from 'exceljs';
import { describe, expect, it } from 'vitest';
import { csvReader } from '../../../src/import/readers/csv.ts';
import type { CsvReaderOptions } from '../../../src/import/readers/csv/table-start.ts';
import type { RecordReader } from '../../../src/import/readers/raw-record.ts';
import { xlsxReader, type XlsxReaderOptions } from '../../../src/import/readers/xlsx/index.ts';
import { readAll, source, valuesOf } from '../sources.ts';

const csv = (text: string, options?: CsvReaderOptions, size?: number): RecordReader =>
  csvReader(source(text, size, 'file.csv'), options);
const fromNote = (note: string): unknown => expect.stringContaining(note);
const notesOf = (reader: RecordReader): string[] => reader.notes?.().map(({ message }) => message) ?? [];

describe('the delimiter of a CSV file is found', () => {
  it.each<[string, string, readonly unknown[], readonly string[]]>([
    ['a comma', 'a,b\n1,2\n', [{ a: '1', b: '2' }], []],
    ['a semicolon', 'a;b\n1,5;2\n', [{ a: '1,5', b: '2' }], ['a semicolon separates']],
    ['a tab', 'a\tb\n1;5\t2\n', [{ a: '1;5', b: '2' }], ['a tab separates']],
    ['a vertical bar', 'a|b\n1;5|2,5\n', [{ a: '1;5', b: '2,5' }], ['a vertical bar separates']],
    ['a comma, with semicolons in quotes', '"a;b",c\n"1;2",3\n', [{ 'a;b': '1;2', c: '3' }], []],
    [
      'a comma, with semicolons in some texts',
      'a,b\n1;5,2\n3;;;,4\n',
      [
        { a: '1;5', b: '2' },
        { a: '3;;;', b: '4' },
      ],
      [],
    ],
    [
      'a semicolon, with as many commas in each row',
      'Jahr;Betrag, netto\n2020;1,5\n',
      [{ Jahr: '2020', 'Betrag, netto': '1,5' }],
      ['a semicolon separates'],
    ],
    ['none, in a table of one column', 'a\nx y\nz;\n', [{ a: 'x y' }, { a: 'z;' }], []],
    ['as a first line says', 'sep=|\na|b\n1|2\n', [{ a: '1', b: '2' }], ['the first line says']],
    ['as a first line says, in quotes', '"sep=;"\r\na;b\r\n1;2\r\n', [{ a: '1', b: '2' }], ['the first line says']],
  ])('%s', async (_, text, values, notes) => {
    for (const size of [undefined, 1]) {
      const reader = csv(text, {}, size);
      expect(await valuesOf(reader)).toEqual(values);
      expect(notesOf(reader)).toEqual(notes.map(fromNote));
    }
  });

  it('only where the caller does not say it', async () => {
    const reader = csv('a;b,c\n1;2,3\n', { delimiter: ',' });
    expect(await valuesOf(reader)).toEqual([{ 'a;b': '1;2', c: '3' }]);
    expect(notesOf(reader)).toEqual([]);
  });
});

const TITLED = 'Register der Bescheide;;\r\n"Stand:\r\n1.4.2026";;\r\n\r\nNummer;Name;Betrag\r\n1;A;1,5\r\n2;;\r\n';
const RECORDS = [
  { value: { Nummer: '1', Name: 'A', Betrag: '1,5' }, at: 6 },
  { value: { Nummer: '2', Name: null, Betrag: null }, at: 7 },
];

describe('the header of a CSV file is found', () => {
  it('below a title, with the lines of the file', async () => {
    for (const size of [undefined, 1, 5]) {
      const reader = csv(TITLED, {}, size);
      expect(await readAll(reader)).toEqual(RECORDS);
      expect(notesOf(reader)[1]).toBe(
        '2 rows above the header in line 5 are not read; say the row of the header with --header-row',
      );
    }
  });

  it('below a report with amounts of its own beside the title', async () => {
    const report = [
      ',,,,',
      'Payments of 250 and more,,,,"53,577.86"',
      'Period:,8,,Share,"(49,703.97)"',
      'From:,"12th October",,Rest,"(3,873.89)"',
      'Vendor,Name,Code,Amount,Day',
      '1,A,x,"10,150.00",04 Nov',
      '2,B,y,"6,734.00",22 Oct',
    ];
    const records = await readAll(csv(report.join('\n')));
    expect(records[0]).toEqual({
      value: { Vendor: '1', Name: 'A', Code: 'x', Amount: '10,150.00', Day: '04 Nov' },
      at: 6,
    });
  });

  it('in the line that the caller says, lines counted as an editor does', async () => {
    for (const size of [undefined, 1]) {
      const reader = csv(TITLED, { headerRow: 5 }, size);
      expect(await readAll(reader)).toEqual(RECORDS);
      expect(notesOf(reader)).toEqual([expect.stringContaining('a semicolon')]);
    }
    expect(await valuesOf(csv('x "y" z\r\ra,b\r1,2', { headerRow: 3, delimiter: ',' }, 1))).toEqual([
      { a: '1', b: '2' },
    ]);
    await expect(readAll(csv('a\nb\n', { headerRow: 9 }))).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'file.csv: has 3 lines, and the header should be in line 9',
    });
    for (const headerRow of [0, 1.5, Number.NaN]) {
      expect(() => csv('a', { headerRow })).toThrow(expect.objectContaining({ code: 'invalid_option' }));
    }
  });

  it.each<[string, string]>([
    ['with fewer names than fields', 'a,b\n1,2,3\n'],
    ['with one name', 'a\n1,2\n'],
    ['where only one row is wider', 'name,text\nA,foo\nB,bla, bla, bla, bla\nC,foo\n'],
  ])('in the first line %s, so that nothing is passed over in silence', async (_, text) => {
    await expect(readAll(csv(text))).rejects.toMatchObject({
      message: expect.stringMatching(/the header \d$/) as string,
    });
  });

  it('with a delimiter at the end of every row', async () => {
    expect(await valuesOf(csv('a;b;\n1;2;\n3;4\n'))).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
    ]);
    expect(notesOf(csv('a;b;\n1;2;\n3;4\n'))).toEqual([]);
    expect(await valuesOf(csv('a;b;\n1;2;\n3;4;5\n'))).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4', 'column C': '5' },
    ]);
  });
});

describe('the header of a sheet is found', () => {
  const read = async (rows: readonly (readonly unknown[])[], options?: XlsxReaderOptions): Promise<RecordReader> => {
    const book = new ExcelJS.Workbook();
    const sheet = book.addWorksheet('S');
    rows.forEach((row, index) => {
      sheet.getRow(index + 1).values = row as ExcelJS.CellValue[];
    });
    return xlsxReader(source(new Uint8Array(await book.xlsx.writeBuffer()), undefined, 'file.xlsx'), options);
  };
  const titled = [
    ['Register der Bescheide'],
    [],
    ['Stand', new Date('2026-04-01')],
    ['Nr', 'Name', '2019', 'Betrag'],
    [1, 'A', 3, 4],
    [2, 'B'],
  ];

  it('below a title, with the rows of the sheet', async () => {
    const reader = await read(titled);
    expect(await readAll(reader)).toEqual([
      { value: { Nr: 1, Name: 'A', '2019': 3, Betrag: 4 }, at: 5 },
      { value: { Nr: 2, Name: 'B', '2019': null, Betrag: null }, at: 6 },
    ]);
    expect(notesOf(reader)).toEqual([
      '2 rows above the header in row 4 are not read; say the row of the header with --header-row',
    ]);
  });

  it('in the row that the caller says', async () => {
    const reader = await read(titled, { headerRow: 4 });
    expect((await readAll(reader)).map(({ at }) => at)).toEqual([5, 6]);
    expect(notesOf(reader)).toEqual([]);
    await expect(readAll(await read([['a'], [1]], { headerRow: 7 }))).rejects.toMatchObject({
      message: 'file.xlsx: the sheet ends with row 2; expected a row with the names of the columns',
    });
  });

  it('in the first row, where it has one column or every row is as full', async () => {
    expect(await valuesOf(await read([['a'], [1]]))).toEqual([{ a: 1 }]);
    expect(await valuesOf(await read([['a', 'b'], [1], [1, 2]]))).toEqual([
      { a: 1, b: null },
      { a: 1, b: 2 },
    ]);
  });
});
