// What a workbook must be, whichever of our writers wrote it.
import ExcelJS from 'exceljs';
import { describe, expect, it } from 'vitest';
import type { DocumentHead, Format } from '../../../src/formats/format.ts';
import { Report } from '../../../src/formats/report.ts';
import type { SheetLimits } from '../../../src/formats/xlsx/limits.ts';
import type { RegisterRecord } from '../../../src/register/record.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecord, sampleRecords } from '../../contracts/sample-register.ts';
import { type ReadSheet, readWorkbook } from '../../contracts/xlsx-reader.ts';

/** Order of the worksheet's elements (ECMA-376 part 1, 18.3.1.99), as far as either writer has them. */
const ELEMENTS = [
  ...['sheetPr', 'dimension', 'sheetViews', 'sheetFormatPr', 'cols', 'sheetData', 'autoFilter', 'hyperlinks'],
  ...['pageMargins', 'pageSetup'],
];

/** Runs the rules for one writer and for the same one with other limits. */
export function describeWorkbook(name: string, format: Format, within: (limits: SheetLimits) => Format): void {
  const read = async (records: readonly RegisterRecord[], head: DocumentHead = SAMPLE_HEAD): Promise<ReadSheet[]> => [
    ...readWorkbook(await encodeAll(format, head, pagesOfSize(records))).sheets,
  ];
  const cell = async (changes: Partial<RegisterRecord>, column: string): Promise<unknown> => {
    const [sheet] = await read([sampleRecord(9, changes)]);
    return sheet!.rows[1]!.get(column)?.value;
  };

  describe(`a workbook by ${name}`, () => {
    it('has a bold header that stays in sight, a filter over all rows, and widths', async () => {
      const [records] = await read(sampleRecords(5));
      expect([...records!.rows[0]!.values()].every(({ isBold }) => isBold)).toBe(true);
      expect([...records!.rows[1]!.values()].some(({ isBold }) => isBold)).toBe(false);
      expect(records!.frozenRows).toBe(1);
      expect(records!.filter).toBe('A1:X6');
      expect(records!.widths).toHaveLength(24);
      for (const width of records!.widths) expect(width).toBeGreaterThanOrEqual(10);
    });

    it('has the elements of a worksheet in the order of the standard', async () => {
      for (const sheet of await read(sampleRecords(5))) {
        expect(sheet.elements.map((element) => ELEMENTS.indexOf(element))).not.toContain(-1);
        expect(sheet.elements).toEqual(ELEMENTS.filter((element) => sheet.elements.includes(element)));
      }
    });

    it('has the kinds of cells the fields have', async () => {
      const [records] = await read([sampleRecord(9)]);
      const row = records!.rows[1]!;
      const formatted = Object.fromEntries([...row].map(([column, { value, format }]) => [column, [value, format]]));
      expect(formatted).toMatchObject({
        A: ['permits:2026-0009', 'General'],
        L: [46_122, 'yyyy\\-mm\\-dd'],
        M: [expect.closeTo(46_122 + (8 * 3600 + 12 * 60 + 44) / 86_400, 9), 'yyyy\\-mm\\-dd\\ hh:mm:ss"Z"'],
        O: [1, 'General'],
        P: [9, 'General'],
        R: [11.25, 'General'],
        S: [9, 'General'],
        T: [false, 'General'],
        V: [expect.closeTo(46_091 + (8 * 3600 + 30 * 60) / 86_400, 9), 'yyyy\\-mm\\-dd\\ hh:mm:ss"Z"'],
        X: ['{"area":9,"kinds":["water","air"]}', 'General'],
      });
    });

    it.each([
      ['a formula', '=HYPERLINK("https://evil.example","x")'],
      ['a command', '+cmd|/C calc'],
      ['an at sign', '@SUM(1+1)'],
      ['what looks like a number', '007'],
      ['what looks like an error', '#N/A'],
      ['what looks like a boolean', 'TRUE'],
      ['the empty text', ''],
      ['white space at both ends', ' \n\tx \t\n'],
      ['white space alone', '   '],
      ['a carriage return', 'a\rb\r\nc\r'],
      ['an escape', '_x0041_'],
      ['an escape of an escape', '_x005F_x0041_'],
      ['escapes that share an underscore', '_x0041_x000d_X00e9_'],
      ['no escape', '_x004_ _y0041_ x0041_ _x0041'],
      ['what a written-out CR or DEL would end', '_x000D\r_x0041\r\n_x0041\u007f_x000D_\r'],
      ['the end of a CDATA section', ']]>'],
      ['markup', '<t xml:space="preserve">&amp;&#10;</t>'],
      ['characters beyond the BMP', '\u{1f600}\u{10ffff}'],
    ])('keeps text as text: %s', async (_, text) => {
      expect(await cell({ title: text, content: text }, 'D')).toBe(text);
      expect(await cell({ title: text, data: { applicant: text } }, 'Q')).toBe(text);
    });

    it('leaves no cell where there is no value', async () => {
      const [records] = await read([sampleRecord(6)]);
      expect([...records!.rows[1]!.keys()].join('')).toBe('ABCDGKMOP');
    });

    it('cuts a long text before a character it would split, and marks the cut', async () => {
      const content = `${'x'.repeat(32_762)}\u{1f600}${'y'.repeat(10)}`;
      expect(await cell({ content }, 'F')).toBe(`${'x'.repeat(32_762)} […]`);
      expect(await cell({ content: content.slice(1) }, 'F')).toBe(`${content.slice(1, 32_764)} […]`);
    });

    it('links every record to its source, percent-encoding what is not ASCII', async () => {
      const urls = [
        'https://example.org/a?b=1&c=2#d',
        'https://example.org/漢字/é?x=%C3%A9',
        "HTTP://example.org/'_x0041_",
      ];
      const [records] = await read(urls.map((source_url, i) => sampleRecord(i + 1, { source_url })));
      expect(records!.rows.slice(1).map((row) => row.get('K')!.link)).toEqual([
        urls[0],
        'https://example.org/%E6%BC%A2%E5%AD%97/%C3%A9?x=%C3%A9',
        urls[2],
      ]);
      expect(records!.rows.slice(1).map((row) => row.get('K')!.value)).toEqual(urls);
    });

    it('begins another sheet where one is full, each whole in itself', async () => {
      const report = new Report();
      const document = await encodeAll(within({ rows: 4, links: 2 }), SAMPLE_HEAD, pagesOfSize(sampleRecords(8), 5), {
        report,
      });
      const { sheets } = readWorkbook(document);
      expect(sheets.map(({ name: title }) => title)).toEqual(['Records', 'Records 2', 'Records 3', 'About']);
      expect(sheets.map(({ rows }) => rows.length).slice(0, 3)).toEqual([4, 4, 3]);
      expect(sheets.map(({ filter }) => filter)).toEqual(['A1:X4', 'A1:X4', 'A1:X3', null]);
      expect(sheets.map(({ linkCount }) => linkCount)).toEqual([2, 2, 2, 0]);
      const ids = sheets.slice(0, 3).flatMap(({ rows }) => rows.slice(1).map((row) => row.get('A')!.value));
      expect(ids).toEqual(sampleRecords(8).map(({ id }) => id));
      for (const { rows, frozenRows, widths } of sheets.slice(0, 3)) {
        expect([...rows[0]!.values()].map(({ value }) => value)).toContain('source_url');
        expect([frozenRows, widths.length]).toEqual([1, 24]);
      }
      expect(report.warnings).toEqual([{ code: 'link_as_text', count: 2, recordId: 'permits:2026-0006' }]);
    });

    it('begins no other sheet for a register that just fits', async () => {
      const document = await encodeAll(within({ rows: 4, links: 9 }), SAMPLE_HEAD, pagesOfSize(sampleRecords(3)));
      expect(readWorkbook(document).sheets.map(({ name: title }) => title)).toEqual(['Records', 'About']);
    });

    it('begins sheets that span many blocks', async () => {
      const records = sampleRecords(2500);
      const document = await encodeAll(within({ rows: 1201, links: 65_530 }), SAMPLE_HEAD, pagesOfSize(records));
      const { sheets } = readWorkbook(document);
      expect(sheets.map(({ rows }) => rows.length).slice(0, 3)).toEqual([1201, 1201, 101]);
      expect(sheets.map(({ linkCount }) => linkCount).slice(0, 3)).toEqual([1200, 1200, 100]);
    });

    it('says in About where it comes from and what the columns mean', async () => {
      const head: DocumentHead = {
        ...SAMPLE_HEAD,
        asOf: 1312,
        filter: { document_type: 'adopted', facility_id: 'FAC-1' },
        links: { self: 'https://example.org/export.xlsx?limit=100', list: 'https://example.org/records' },
      };
      const about = (await read([], head)).at(-1)!;
      const rows = about.rows.map((row) => [...row.values()].map(({ value }) => value));
      expect(Object.fromEntries(rows.slice(0, 13) as [string, unknown][])).toMatchObject({
        Register: 'Environmental permits',
        'Register ID': 'permits',
        Description: 'Decisions on permits.',
        'Issuing body': 'Environment Office',
        Licence: 'CC0',
        Language: 'en',
        'Home page': 'https://example.org/permits',
        Filter: 'document_type=adopted, facility_id=FAC-1',
        View: 'as_of=1312',
        'Last change': expect.closeTo(46_144 + 10 / 24, 9) as number,
        'Obtained from': 'https://example.org/export.xlsx?limit=100',
        'Complete register': 'https://example.org/records',
      });
      expect(rows[14]).toEqual(['Column', 'Label', 'Type', 'Meaning']);
      expect(rows.slice(15)).toHaveLength(24);
      expect(rows.find(([column]) => column === 'amount')).toEqual(['amount', 'Amount', 'number', 'Fee in euros.']);
    });

    it('reports what About could not hold as it is: a text that is cut, a date before 1900', async () => {
      const report = new Report();
      const definition = {
        ...SAMPLE_DEFINITION,
        description: 'd'.repeat(40_000),
        fields: [{ name: 'a', label: 'A', type: 'text' as const, description: 'm'.repeat(32_768) }],
      };
      const head = { ...SAMPLE_HEAD, definition, lastChange: '1899-12-31' };
      const about = readWorkbook(await encodeAll(format, head, [], { report })).sheets.at(-1)!;
      const texts = about.rows.flatMap((row) => [...row.values()].map(({ value }) => value));
      expect(texts).toContain('1899-12-31');
      expect(texts).toContain(`${'d'.repeat(32_763)} […]`);
      expect(report.warnings).toEqual([
        { code: 'cut_text', count: 2, recordId: null },
        { code: 'value_as_text', count: 1, recordId: null },
      ]);
    });

    it('has the register’s own document properties and no clock', async () => {
      const head: DocumentHead = { ...SAMPLE_HEAD, lastChange: '2026-05-02T10:00:00.5+02:00' };
      const { properties } = readWorkbook(await encodeAll(format, head, []));
      expect(properties).toMatchObject({
        title: 'Environmental permits',
        creator: 'Environment Office',
        description: 'Decisions on permits.\n\nCC0',
        language: 'en',
        created: '2026-01-01T00:00:00Z',
        modified: '2026-05-02T08:00:00Z',
      });
      const unchanged = readWorkbook(await encodeAll(format, { ...head, lastChange: null }, []));
      expect(unchanged.properties.modified).toBe('2026-01-01T00:00:00Z');
    });

    it('is read by exceljs’s streaming reader, front to back', async () => {
      const document = await encodeAll(format, SAMPLE_HEAD, pagesOfSize(sampleRecords(1200)));
      const { Readable } = await import('node:stream');
      const reader = new ExcelJS.stream.xlsx.WorkbookReader(Readable.from([document]), {
        worksheets: 'emit',
        styles: 'cache',
        sharedStrings: 'cache',
      });
      const counts: number[] = [];
      for await (const sheet of reader) {
        let rows = 0;
        for await (const row of sheet) rows += Number(row.hasValues);
        counts.push(rows);
      }
      expect(counts[0]).toBe(1201);
    });

    it.each([
      ['a missing title', { title: undefined }, 'title'],
      ['a number as a text', { summary: 5 }, 'summary'],
      ['an object as a text', { content: { formula: 'A1' } }, 'content'],
      ['a missing source', { source_url: undefined }, 'source_url'],
      ['a Date', { observed_at: new Date(0) }, 'observed_at'],
      ['a missing version', { version: undefined }, 'version', 'a whole number from 1'],
      ['a fraction of a position', { position: 1.5 }, 'position', 'a whole number from 1'],
    ])('refuses %s, naming the record and the field', async (_, changes, field, expected = 'text') => {
      const record = { ...sampleRecord(7), ...changes } as unknown as RegisterRecord;
      await expect(encodeAll(format, SAMPLE_HEAD, pagesOfSize([record]))).rejects.toMatchObject({
        code: 'invalid_record',
        message: expect.stringContaining(`record "permits:2026-0007": ${field} must be ${expected}`) as string,
      });
    });

    it('never makes a formula of an object in a field', async () => {
      const record = sampleRecord(9, { data: { applicant: { formula: '1+1' }, amount: { formula: '1+1' } } });
      const [records] = await read([record]);
      expect(records!.rows[1]!.get('Q')!.value).toBe('{"formula":"1+1"}');
      expect(records!.rows[1]!.get('R')!.value).toBe('{"formula":"1+1"}');
    });

    it('names columns that look like escapes as they are', async () => {
      const fields = [{ name: 'a_x0041_b', label: 'A', type: 'text' as const }];
      const [records] = await read([], { ...SAMPLE_HEAD, definition: { ...SAMPLE_DEFINITION, fields } });
      expect(records!.rows[0]!.get('Q')!.value).toBe('a_x0041_b');
    });
  });
}
