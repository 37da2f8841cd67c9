import { strToU8, type Zippable } from 'fflate';
import { describe, expect, it } from 'vitest';
import { parseMapping } from '../../../src/import/mapping/mapping.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import type { ReaderNote } from '../../../src/import/readers/reader-note.ts';
import type { RawRecord } from '../../../src/import/readers/raw-record.ts';
import { xlsxReader, type XlsxReaderOptions } from '../../../src/import/readers/xlsx/index.ts';
import { readAll, source } from '../sources.ts';
import { text, workbook } from './workbook-by-hand.ts';

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

async function read(
  bytes: Uint8Array,
  options?: XlsxReaderOptions,
): Promise<{ records: RawRecord[]; notes: readonly ReaderNote[] }> {
  const reader = xlsxReader(source(bytes, 700, 'file.xlsx'), options);
  const records = await readAll(reader);
  return { records, notes: reader.notes?.() ?? [] };
}

/** Parts for a workbook with these number formats, as the cell styles 0, 1, 2 … */
function styles(formats: readonly (number | string)[], workbookProperties = ''): Zippable {
  const codes = formats.map((format, index) =>
    typeof format === 'string' ? `<numFmt numFmtId="${200 + index}" formatCode="${format}"/>` : '',
  );
  const cells = formats.map((format, index) => `<xf numFmtId="${typeof format === 'string' ? 200 + index : format}"/>`);
  return {
    'xl/styles.xml': strToU8(
      `<styleSheet><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
        `<cellXfs>${cells.join('')}</cellXfs></styleSheet>`,
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships><Relationship Id="r1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>` +
        `<Relationship Id="r2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    ),
    'xl/workbook.xml': strToU8(
      `<workbook xmlns:r="urn:r">${workbookProperties}<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
  };
}

const cell = (style: number, value: number | string, type = 'n'): string =>
  `<c s="${style}" t="${type}"><v>${value}</v></c>`;

/** A workbook of one sheet with links: the attributes of each, and the addresses by their ids. */
function linked(rows: string, links: readonly string[], addresses: readonly string[]): Uint8Array {
  const targets = addresses.map(
    (address, index) =>
      `<Relationship Id="l${index}" Type="${OFFICE}/hyperlink" Target="${address}" TargetMode="External"/>`,
  );
  return workbook('', {
    'xl/worksheets/sheet1.xml': strToU8(
      `<worksheet xmlns:r="urn:r"><sheetData>${rows}</sheetData><hyperlinks>` +
        `${links.map((link) => `<hyperlink ${link}/>`).join('')}</hyperlinks></worksheet>`,
    ),
    'xl/worksheets/_rels/sheet1.xml.rels': strToU8(`<Relationships>${targets.join('')}</Relationships>`),
  });
}

describe('the cells of a workbook', () => {
  it('are dates, times and durations as their formats show, built-in and custom', async () => {
    const formats = [
      14,
      22,
      20,
      46,
      'dd\\.mm\\.yyyy;@',
      '[h]:mm',
      '[$-407]d\\. mmmm yyyy hh:mm',
      '0.00',
      '#,##0 &quot;Std&quot;',
    ];
    const header = formats.map((_, index) => text(`c${index}`)).join('');
    const values = [46129, 46129.5, 0.25, 1.5, 46129, 36.5 / 24, 46129.75, 1.5, 7];
    const row = values.map((value, index) => cell(index, value)).join('');
    const bytes = workbook(`<row>${header}</row><row>${row}</row>`, styles(formats));
    expect((await read(bytes)).records[0]!.value).toEqual({
      c0: '2026-04-17',
      c1: '2026-04-17T12:00:00Z',
      c2: '06:00:00',
      c3: 'PT36H',
      c4: '2026-04-17',
      c5: 'PT36H30M',
      c6: '2026-04-17T18:00:00Z',
      c7: 1.5,
      c8: 7,
    });
  });

  it('count days from 1904 where the workbook says so', async () => {
    const formats = [14, 20];
    const rows = `<row>${text('d')}${text('t')}</row><row>${cell(0, 44667)}${cell(1, 0.5)}</row>`;
    const of1904 = workbook(rows, styles(formats, '<workbookPr date1904="1"/>'));
    expect((await read(of1904)).records[0]!.value).toEqual({ d: '2026-04-17', t: '12:00:00' });
    const of1900 = workbook(rows, styles(formats, '<workbookPr date1904="0"/>'));
    expect((await read(of1900)).records[0]!.value).toEqual({ d: '2022-04-16', t: '12:00:00' });
  });

  it('with an ISO 8601 date are dates, in UTC like all others', async () => {
    const dates = ['2026-04-17T00:00:00', '2026-04-17T08:12:44.500', '2026-04-17'];
    const rows = dates.map((date, index) => `<row>${cell(index, date, 'd')}</row>`);
    const bytes = workbook(`<row>${text('d')}</row>${rows.join('')}`, styles([14, 22, 14]));
    expect((await read(bytes)).records.map(({ value }) => value)).toEqual([
      { d: '2026-04-17' },
      { d: '2026-04-17T08:12:44.500Z' },
      { d: '2026-04-17' },
    ]);
  });

  it('keep the zeros that a format of zeros shows', async () => {
    const rows = [1067, 10115, 1234567, -3, 0.5].map((value) => `<row>${cell(0, value)}</row>`);
    const bytes = workbook(`<row>${text('plz')}</row>${rows.join('')}`, styles(['00000']));
    expect((await read(bytes)).records.map(({ value }) => value)).toEqual([
      { plz: '01067' },
      { plz: '10115' },
      { plz: '1234567' },
      { plz: -3 },
      { plz: 0.5 },
    ]);
  });

  it('with an error are empty, counted and named', async () => {
    const bytes = workbook(
      `<row>${text('a')}${text('b')}</row><row><c r="A2"><v>1</v></c><c r="B2" t="e"><v>#N/A</v></c></row>` +
        '<row><c r="A3"><f>1/0</f><v>2</v></c><c r="B3" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>',
    );
    const { records, notes } = await read(bytes);
    expect(records.map(({ value }) => value)).toEqual([
      { a: 1, b: null },
      { a: 2, b: null },
    ]);
    expect(notes).toEqual([
      { code: 'error_cells', message: '2 cells have an error instead of a value (first #N/A in B2), read as empty' },
    ]);
  });
});

describe('the links of a workbook', () => {
  it('stand beside the values, from lists, ranges and formulas', async () => {
    const rows =
      `<row r="1">${text('Name')}${text('Url')}</row>` +
      `<row r="2">${text('A &amp; B')}${text('https://example.org/a')}</row>` +
      `<row r="3">${text('C')}${text('https://example.org/c')}</row>` +
      '<row r="4"><c r="A4" t="str"><f>HYPERLINK(&quot;https://example.org/&quot;&quot;d&quot;,&quot;D&quot;)</f><v>D</v></c></row>' +
      '<row r="5"><c r="A5" t="str"><f>HYPERLINK(B5&amp;&quot;x&quot;,&quot;E&quot;)</f><v>E</v></c></row>' +
      `<row r="6">${text('F')}</row>`;
    const bytes = linked(
      rows,
      [
        'ref="A2:A3" r:id="l0"',
        'ref="B2" r:id="l1"',
        'ref="A6" r:id="l2" location="part-2"',
        'ref="A5" location="S!A1"',
      ],
      ['https://example.org/ab?x=1&amp;y=2', 'https://example.org/a', 'https://example.org/f'],
    );
    const { records } = await read(bytes);
    expect(records.map(({ value }) => value)).toEqual([
      // The link of B2 says what its text says.
      { Name: 'A & B', Url: 'https://example.org/a', 'Name@href': 'https://example.org/ab?x=1&y=2' },
      { Name: 'C', Url: 'https://example.org/c', 'Name@href': 'https://example.org/ab?x=1&y=2' },
      { Name: 'D', Url: null, 'Name@href': 'https://example.org/"d' },
      { Name: 'E', Url: null },
      { Name: 'F', Url: null, 'Name@href': 'https://example.org/f#part-2' },
    ]);
    // It can be mapped all the same.
    expect((records[0]!.value as Record<string, unknown>)['Url@href']).toBe('https://example.org/a');
  });

  it('fill a field of a record', async () => {
    const bytes = linked(
      `<row r="1">${text('Nr.')}${text('Name')}</row><row r="2">${text('7')}${text('Seven')}</row>`,
      ['ref="B2" r:id="l0"'],
      ['https://example.org/7'],
    );
    const mapping = parseMapping(['id=Nr.,title=Name,source_url=Name@href']);
    const stream = await openRecordStream(xlsxReader(source(bytes)), { mapping, observedAt: '2026-01-01' });
    const [page] = await Array.fromAsync(stream.pages());
    expect(page!.records).toMatchObject([{ title: 'Seven', source_url: 'https://example.org/7', data: {} }]);
    expect(stream.definition.fields).toEqual([]);
  });

  it('are found behind any number of rows', async () => {
    const rows = Array.from({ length: 5000 }, (_, index) => `<row r="${index + 2}">${text(`name ${index}`)}</row>`);
    const bytes = linked(`<row r="1">${text('Name')}</row>${rows.join('')}`, ['ref="A5001" r:id="l0"'], ['urn:x']);
    const { records } = await read(bytes);
    expect(records.at(-1)!.value).toEqual({ Name: 'name 4999', 'Name@href': 'urn:x' });
    expect(records.filter(({ value }) => Object.hasOwn(value as object, 'Name@href'))).toHaveLength(1);
  });
});

describe('a workbook of several sheets', () => {
  const bytes = workbook(`<row>${text('a')}</row><row>${text('1')}</row>`, {
    'xl/workbook.xml': strToU8(
      '<workbook xmlns:r="urn:r"><sheets><sheet name="Deckblatt" r:id="r2"/><sheet name="Daten" r:id="r1"/>' +
        '<sheet name="Listen" state="hidden" r:id="r3"/></sheets></workbook>',
    ),
    'xl/_rels/workbook.xml.rels': strToU8(
      `<Relationships>${[1, 2, 3].map((n) => `<Relationship Id="r${n}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${n}.xml"/>`).join('')}</Relationships>`,
    ),
    'xl/worksheets/sheet2.xml': strToU8('<worksheet><sheetData/></worksheet>'),
    'xl/worksheets/sheet3.xml': strToU8(
      `<worksheet><sheetData><row>${text('b')}</row><row>${text('2')}</row></sheetData></worksheet>`,
    ),
  });

  it.each([
    ['Daten', 'the sheet "Daten" is read, not "Deckblatt", "Listen" (hidden); --pick names another', { a: '1' }],
    ['listen', 'the sheet "Listen" (hidden) is read, not "Deckblatt", "Daten"; --pick names another', { b: '2' }],
  ])('says which it read and what others there are: %s', async (sheet, message, value) => {
    const { records, notes } = await read(bytes, { sheet });
    expect(records).toEqual([{ at: 2, value }]);
    expect(notes).toMatchObject([{ code: 'sheet', message }]);
    expect(notes[0]!.sheets![0]).toBe(sheet === 'listen' ? 'Listen' : sheet);
  });

  it('says so too when it is refused', async () => {
    const reader = xlsxReader(source(bytes));
    await expect(readAll(reader)).rejects.toThrow('the sheet is empty');
    expect(reader.notes?.()[0]!.message).toContain('the sheet "Deckblatt" is read, not "Daten", "Listen" (hidden)');
  });
});

describe('with --skip-invalid', () => {
  it('rows that cannot be read are passed on with their faults', async () => {
    const bytes = workbook(
      `<row>${text('a')}${text('b')}</row><row><c><v>1,5</v></c></row><row><c t="s"><v>9</v></c></row>` +
        `<row>${text('x')}${text('y')}${text('outside')}</row><row>${text('good')}</row>`,
    );
    const { records } = await read(bytes, { keepsFaults: true });
    expect(records.map(({ at, value, fault }) => [at, value, fault?.message])).toEqual([
      [2, ['1,5'], 'file.xlsx: row 2 has the number 1,5, which is none'],
      [3, ['9'], 'file.xlsx: row 3 has a text number 9, which the workbook lacks'],
      [4, ['x', 'y', 'outside'], 'file.xlsx: row 4 has a value in column 3, which has no name; the header has 2'],
      [5, { a: 'good', b: null }, undefined],
    ]);
  });
});
