import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import ExcelJS from 'exceljs';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/formats/encode.ts';
import { findFormat } from '../../../src/formats/index.ts';
import { openRecordStream } from '../../../src/import/record-stream.ts';
import { xlsxReader, type XlsxReaderOptions } from '../../../src/import/readers/xlsx/index.ts';
import { kindOfFormat, type NumberKind, serialToText } from '../../../src/import/readers/xlsx/cell-date.ts';
import { defineRegister } from '../../../src/register/definition.ts';
import { fromRecords } from '../../../src/register/sources/from-records.ts';
import { pages } from '../../../src/register/sources/source.ts';
import { readAll, source } from '../sources.ts';
import { text, workbook } from './workbook-by-hand.ts';

const read = (bytes: Uint8Array, options?: XlsxReaderOptions): ReturnType<typeof readAll> =>
  readAll(xlsxReader(source(bytes, 1000, 'file.xlsx'), options));

/** How many files this process has open; on Linux only. Sockets are not counted: those of other tests may be closing. */
function openFiles(): number {
  if (process.platform !== 'linux') return 0;
  const isFile = (descriptor: string): boolean =>
    statSync(`/proc/self/fd/${descriptor}`, { throwIfNoEntry: false })?.isFile() === true;
  return readdirSync('/proc/self/fd').filter(isFile).length;
}

async function excel(fill: (workbook: ExcelJS.Workbook) => void): Promise<Uint8Array> {
  const workbook = new ExcelJS.Workbook();
  fill(workbook);
  return new Uint8Array(await workbook.xlsx.writeBuffer());
}

describe('a workbook is read', () => {
  it('with every kind of value that Excel has', async () => {
    const bytes = await excel((book) => {
      const sheet = book.addWorksheet('Data');
      sheet.addRow(['text', 'number', 'boolean', 'date', 'datetime', 'rich', 'link', 'formula', 'empty']);
      sheet.addRow([
        'x &lt; "y"\r\n<b>',
        -1.5,
        true,
        new Date('2026-04-17T00:00:00Z'),
        new Date('2026-04-17T08:12:44.5Z'),
        { richText: [{ text: 'Hello ' }, { font: { bold: true }, text: 'world' }] },
        { text: 'site', hyperlink: 'https://example.org/' },
        { formula: 'CONCAT("a","b")', result: 'ab' },
        null,
      ]);
      sheet.getCell('D2').numFmt = 'dd.mm.yyyy';
      sheet.getCell('E2').numFmt = 'yyyy-mm-dd hh:mm:ss';
      sheet.addRow([]);
      sheet.addRow([null, 0.1, false]);
    });
    const none = { date: null, datetime: null, rich: null, link: null, formula: null, empty: null };
    expect(await read(bytes)).toEqual([
      {
        at: 2,
        value: {
          text: 'x &lt; "y"\n<b>',
          number: -1.5,
          boolean: true,
          date: '2026-04-17',
          datetime: '2026-04-17T08:12:44.500Z',
          rich: 'Hello world',
          link: 'site',
          'link@href': 'https://example.org/',
          formula: 'ab',
          empty: null,
        },
      },
      { at: 4, value: { text: null, number: 0.1, boolean: false, ...none } },
    ]);
  });

  it('as gazette wrote it, record for record', async () => {
    const definition = defineRegister({
      id: 'r',
      title: 'R',
      created_at: '2026-01-01T00:00:00Z',
      fields: [
        { name: 'n', type: 'number' },
        { name: 'i', type: 'integer' },
        { name: 'b', type: 'boolean' },
        { name: 'd', type: 'date' },
        { name: 'j', type: 'json' },
        { name: 't', type: 'text' },
      ],
    });
    const register = fromRecords(definition, [
      {
        id: 'a b/1',
        title: '=1+1 _x0041_ \r é 😀',
        source_url: 'https://example.org/?a=1&b=2',
        observed_at: '2026-04-19T08:12:44Z',
        published_at: '1850-01-01',
        version: 4,
        data: { n: 0.1, i: '12345678901234567890', b: false, d: '2026-04-17', j: { a: [1, '<'] }, t: '0012' },
      },
      { id: 'b', title: ' T ', source_url: 'https://example.org/', observed_at: '2026-04-19', data: { t: '5', n: 5 } },
    ]);
    const chunks: Uint8Array[] = [];
    const head = { definition, lastChange: null, asOf: null };
    for await (const chunk of encode(pages(register), findFormat('xlsx'), head)) chunks.push(chunk);
    const stream = await openRecordStream(xlsxReader(source(Buffer.concat(chunks))), { definition });
    const [page] = await Array.fromAsync(stream.pages());
    const expected = await register.page({ offset: 0, limit: 100 });
    expect(page!.records).toEqual(expected.records.map((record) => ({ ...record, position: null })));
    expect(stream.notes().undeclared).toEqual(new Map());
  });

  it('from the sheet that is named, else the first that people see, with the sheets that continue it', async () => {
    const bytes = await excel((book) => {
      book.addWorksheet('Hidden', { state: 'hidden' }).addRow(['h']);
      for (const [name, value] of [
        ['A', 1],
        ['B', 2],
        ['A 2', 3],
      ] as const) {
        const sheet = book.addWorksheet(name);
        sheet.addRow(['v']);
        sheet.addRow([value]);
      }
    });
    expect(await read(bytes)).toEqual([
      { value: { v: 1 }, at: 2 },
      { value: { v: 3 }, at: 4 },
    ]);
    expect(await read(bytes, { sheet: 'B' })).toEqual([{ value: { v: 2 }, at: 2 }]);
    expect(await read(bytes, { sheet: ' b ' })).toEqual([{ value: { v: 2 }, at: 2 }]);
    await expect(read(bytes, { sheet: 'C' })).rejects.toThrow(
      'file.xlsx has no worksheet "C"; it has "Hidden" (hidden), "A", "B", "A 2"',
    );
  });

  it('with texts that cells share, their runs joined and their phonetic guides left out', async () => {
    const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
    const shared =
      '<sst><si><t>name</t></si><si><r><t xml:space="preserve">課 </t></r><r><rPr><b/></rPr><t>税</t></r>' +
      '<rPh sb="0" eb="1"><t>カ</t></rPh></si><si><t>a_x000D_b_x005F_x0041_</t></si></sst>';
    const bytes = workbook(
      '<row><c t="s"><v>0</v></c></row><row><c t="s"><v>1</v></c></row><row><c t="s"><v>2</v></c></row>',
      {
        'xl/sharedStrings.xml': strToU8(shared),
        'xl/_rels/workbook.xml.rels': strToU8(
          `<Relationships><Relationship Id="r1" Type="${type}/worksheet" Target="/xl/worksheets/sheet1.xml"/>` +
            `<Relationship Id="r2" Type="${type}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
        ),
      },
    );
    expect((await read(bytes)).map(({ value }) => value)).toEqual([{ name: '課 税' }, { name: 'a\rb_x0041_' }]);
  });

  it('of any size with memory, listeners and files that do not grow with it, closed early too', async () => {
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    // Texts that hardly pack, so that the part is many pieces of the file.
    const rows = Array.from(
      { length: 30_000 },
      (_, n) => `<row>${text(randomBytes(48).toString('base64'))}${text(`${n}`)}</row>`,
    );
    const bytes = workbook(`<row>${text('a')}${text('b')}</row>${rows.join('')}`);
    expect((await read(bytes)).at(-1)).toMatchObject({ at: 30_001, value: { b: '29999' } });
    const before = openFiles();
    const early = xlsxReader(source(bytes)).batches();
    await early.next();
    await early.return();
    const cancel = new AbortController();
    const aborted = (async () => {
      for await (const { records } of xlsxReader(source(bytes)).batches(cancel.signal)) {
        if (records.length > 0) cancel.abort();
      }
    })();
    await expect(aborted).rejects.toMatchObject({ code: 'aborted' });
    expect(openFiles()).toBe(before);
    process.removeListener('warning', listen);
    expect(warnings).toEqual([]);
  });

  it('with every digit of an integer, and the digits that Excel shows of a fraction', async () => {
    const cells = ['12345678901234567890', '0.10000000000000001', '12345678901234500', '1.5E+20'];
    const bytes = workbook(
      `<row>${text('a')}${text('b')}${text('c')}${text('d')}</row><row>${cells.map((v) => `<c><v>${v}</v></c>`).join('')}</row>`,
    );
    expect(await read(bytes)).toEqual([
      { at: 2, value: { a: 12345678901234567890n, b: 0.1, c: 12345678901234500n, d: 1.5e20 } },
    ]);
  });

  it('without references, without styles and with prefixed names', async () => {
    const sheet =
      '<x:worksheet xmlns:x="urn:x"><x:sheetData><x:row><x:c t="str"><x:v>a</x:v></x:c></x:row>' +
      '<x:row><x:c><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>';
    expect(await read(workbook('', { 'xl/worksheets/sheet1.xml': strToU8(sheet) }))).toEqual([
      { value: { a: 7 }, at: 2 },
    ]);
  });
});

describe('a workbook is refused', () => {
  const bomb = (level: 0 | 9, size: number): Uint8Array =>
    workbook('', { 'xl/worksheets/sheet1.xml': [new Uint8Array(size).fill(0x20), { level }] });

  it.each<[string, () => Uint8Array, string]>([
    ['that is not a zip archive', () => strToU8('id,title\n1,2\n'), 'is not a workbook; it is not a zip archive'],
    ['that is empty', () => new Uint8Array(0), 'is empty; expected an XLSX workbook'],
    [
      'that is an old .xls',
      () => Buffer.from('d0cf11e0a1b11ae1'.padEnd(200, '0'), 'hex'),
      'is an old Excel workbook (.xls), or a workbook with a password; open it',
    ],
    [
      'that is cut',
      () => workbook(`<row>${text('a')}</row>`).subarray(0, 700),
      'is a truncated or damaged zip archive',
    ],
    [
      'that is another archive',
      () => zipSync({ 'a.txt': strToU8('a') }),
      'is a zip archive with "a.txt", not a workbook; unpack it',
    ],
    [
      'that would unpack to a thousand times its size',
      () => bomb(9, 50_000_000),
      'that would unpack to 50000000; at most 250 times',
    ],
    ['whose sizes are a lie', () => lie(workbook(`<row>${text('a')}</row>`)), 'has a damaged part'],
    ['whose bytes have changed', () => flip(workbook(`<row>${text('a')}</row>`)), 'has a damaged part'],
    [
      'with a part twice but for case',
      () => workbook('', { 'XL/workbook.xml': strToU8('<a/>') }),
      'part "XL/workbook.xml" twice',
    ],
    ['with an empty sheet', () => workbook(''), 'the sheet is empty; expected a row with the names of the columns'],
    ['without a name', () => workbook(`<row r="3">${text(' ')}</row>`), 'row 3: no column has a name'],
    [
      'with a value outside the header',
      () => workbook(`<row>${text('a')}</row><row><c r="B2"><v>1</v></c></row>`),
      'row 2 has a value in column 2, which has no name',
    ],
    [
      'with a number that is none',
      () => workbook(`<row>${text('a')}</row><row><c><v>1,5</v></c></row>`),
      'row 2 has the number 1,5, which is none',
    ],
    ['with a shared text it lacks', () => workbook('<row><c t="s"><v>3</v></c></row>'), 'row 1 has a text number 3'],
    ['with broken XML', () => workbook('<row>'), 'part "xl/worksheets/sheet1.xml": no well-formed XML, line 1'],
    [
      'with a document type',
      () => workbook('', { 'xl/worksheets/sheet1.xml': strToU8('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>') }),
      'document type declaration',
    ],
    [
      'with an endless text',
      () =>
        workbook('', {
          'xl/worksheets/sheet1.xml': [
            strToU8(`<a>${'xy<![CDATA[zabcdefg'.repeat(1)}${'é1bc/'.repeat(4_000_000)}`),
            { level: 0 },
          ],
        }),
      'has a value longer than 16777216 characters',
    ],
  ])('%s', async (_, bytes, message) => {
    await expect(read(bytes())).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining(message) as string,
    });
  });
});

/** Says in the directory that the last part unpacks to one byte less. */
function lie(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  const entry = copy.lastIndexOf('504b0102', 'hex');
  copy.writeUInt32LE(copy.readUInt32LE(entry + 24) - 1, entry + 24);
  return copy;
}

/** Changes one byte of the last part's checksum. */
function flip(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  const entry = copy.lastIndexOf('504b0102', 'hex');
  copy.writeUInt8(copy.readUInt8(entry + 16) ^ 1, entry + 16);
  return copy;
}

describe('dates in workbooks', () => {
  it.each([
    ['yyyy-mm-dd', 'date'],
    ['d. mmmm yyyy', 'date'],
    ['mmm', 'date'],
    ['dd/mm/yyyy hh:mm', 'datetime'],
    ['h:mm AM/PM', 'time'],
    ['[h]:mm', 'duration'],
    ['[mm]:ss', 'duration'],
    ['0 "[h]"', 'number'],
    ['0.00', 'number'],
    ['General', 'number'],
    ['#,##0 "days"', 'number'],
    ['[Red]0', 'number'],
    ['[$-407]d. mmm', 'date'],
    ['0\\d', 'number'],
  ])('the format %s shows a %s', (code, kind) => {
    expect(kindOfFormat(code)).toBe(kind);
  });

  it.each<[number, NumberKind, boolean, string | number]>([
    [1.5208333333, 'duration', false, 'PT36H30M'],
    [1.5, 'duration', true, 'PT36H'],
    [0, 'duration', false, 'PT0S'],
    [-0.5, 'duration', false, '-PT12H'],
    [1.5 / 86_400, 'duration', false, 'PT1.5S'],
    [1e9, 'duration', false, 1e9],
    [0.5, 'time', true, '12:00:00'],
    [61, 'date', false, '1900-03-01'],
    [60, 'date', false, 60],
    [59, 'date', false, '1900-02-28'],
    [1, 'date', false, '1900-01-01'],
    [0, 'date', false, 0],
    [0, 'date', true, '1904-01-01'],
    [46129, 'date', false, '2026-04-17'],
    [46129.5, 'date', false, '2026-04-17T12:00:00Z'],
    [46129, 'datetime', false, '2026-04-17T00:00:00Z'],
    [2_958_465, 'date', false, '9999-12-31'],
    [2_958_466, 'date', false, 2_958_466],
    [-1, 'date', false, -1],
    [0.5, 'time', false, '12:00:00'],
  ])('%d as a %s is %s', (serial, kind, date1904, expected) => {
    expect(serialToText(serial, { kind }, date1904)).toBe(expected);
  });
});
