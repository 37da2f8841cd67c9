import { describe, expect, it } from 'vitest';
import { Report } from '../../../src/formats/report.ts';
import { referenceXlsx, referenceXlsxWithin } from '../../../src/formats/reference/xlsx.ts';
import { xlsx } from '../../../src/formats/xlsx/index.ts';
import { describeFormat } from '../../contracts/format-contract.ts';
import { encodeAll, pagesOfSize } from '../../contracts/readers.ts';
import { SAMPLE_DEFINITION, SAMPLE_HEAD, sampleRecords } from '../../contracts/sample-register.ts';
import { readWorkbook } from '../../contracts/xlsx-reader.ts';
import { XLSX_CHANGES, XLSX_VALUES } from '../xlsx/changes.ts';
import { describeWorkbook } from '../xlsx/rules.ts';

describeFormat('xlsx on exceljs', referenceXlsx, {
  countRecords: (document) => readWorkbook(document).sheets[0]!.rows.length - 1,
  changes: XLSX_CHANGES,
});

describeWorkbook('exceljs', referenceXlsx, referenceXlsxWithin);

describe('the XLSX writer on exceljs', () => {
  it('writes the rows of the native writer', async () => {
    const [native, reference] = await Promise.all(
      [xlsx, referenceXlsx].map(async (format) =>
        readWorkbook(await encodeAll(format, SAMPLE_HEAD, pagesOfSize([...XLSX_VALUES, ...sampleRecords(50)]))),
      ),
    );
    expect(reference!.sheets.map(({ rows }) => rows)).toEqual(native!.sheets.map(({ rows }) => rows));
  });

  it('lets the caller prepare each sheet of records', async () => {
    const names: string[] = [];
    const document = await encodeAll(
      referenceXlsxWithin({ rows: 3, links: 9 }),
      SAMPLE_HEAD,
      pagesOfSize(sampleRecords(3)),
      {
        prepareSheet: (sheet) => {
          names.push(sheet.name);
          sheet.getColumn(3).width = 99;
        },
      },
    );
    const { sheets } = readWorkbook(document);
    expect(names).toEqual(['Records', 'Records 2']);
    expect(sheets.map(({ widths }) => widths[2])).toEqual([99, 99, 12]);
  });

  it('reports U+007F in the document’s properties, which the package would drop', async () => {
    const report = new Report();
    const definition = { ...SAMPLE_DEFINITION, title: 'a\u007fb', author: 'c\u007fd' };
    const document = await encodeAll(referenceXlsx, { ...SAMPLE_HEAD, definition }, [], { report });
    expect(readWorkbook(document).properties).toMatchObject({ title: 'a\ufffdb', creator: 'c\ufffdd' });
    expect(report.warnings).toEqual([{ code: 'replaced_characters', count: 1, recordId: null }]);
  });

  it('leaves out an author there is none of, instead of naming the package', async () => {
    const definition = { ...SAMPLE_DEFINITION, author: null };
    const document = await encodeAll(referenceXlsx, { ...SAMPLE_HEAD, definition }, []);
    expect(JSON.stringify(readWorkbook(document).properties)).not.toContain('ExcelJS');
  });
});
