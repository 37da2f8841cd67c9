// Workbooks of arbitrary registers by exceljs, those of both writers as exceljs reads them, and both beside each other.
import ExcelJS from 'exceljs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Format } from '../../src/formats/format.ts';
import { referenceXlsx } from '../../src/formats/reference/xlsx.ts';
import { Report } from '../../src/formats/report.ts';
import { xlsx } from '../../src/formats/xlsx/index.ts';
import { encodeAll } from '../contracts/readers.ts';
import { type ExpectedCell, expectedRow } from '../contracts/xlsx-model.ts';
import { readWorkbook, unescapeLiterals, unzip } from '../contracts/xlsx-reader.ts';
import { registers, type RegisterSample, RUNS } from './arbitraries.ts';
import { workbookProperties } from './workbooks.ts';

describe('a workbook by exceljs', () => {
  workbookProperties(referenceXlsx);
});

describe.each<readonly [string, Format]>([
  ['the native writer', xlsx],
  ['exceljs', referenceXlsx],
])('a workbook by %s', (_, format) => {
  it('is read back by exceljs', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async (sample) => {
        const workbook = new ExcelJS.Workbook();
        await workbook.xlsx.load((await document(format, sample)).buffer);
        const sheet = workbook.getWorksheet('Records')!;
        expect(sheet.rowCount).toBe(sample.records.length + 1);
        sample.records.forEach((record, index) => {
          const { cells } = expectedRow(sample.definition, record);
          cells.forEach((cell, column) => {
            expect(fromExcelJs(sheet.getRow(index + 2).getCell(column + 1).value)).toEqual(
              forExcelJs(cell, format === referenceXlsx),
            );
          });
        });
      }),
      { numRuns: RUNS },
    );
  });
});

describe('the two writers', () => {
  it('decide every cell, link and warning alike', async () => {
    // exceljs has no way to write U+007F into a document's properties.
    const writable = registers().filter(({ definition }) => !JSON.stringify(definition).includes('\u007f'));
    await fc.assert(
      fc.asyncProperty(writable, async ({ head, pages }) => {
        const reports = [new Report(), new Report()] as const;
        const native = readWorkbook(await encodeAll(xlsx, head, pages, { report: reports[0] }));
        const reference = readWorkbook(await encodeAll(referenceXlsx, head, pages, { report: reports[1] }));
        expect(reference.sheets.map(({ rows }) => rows)).toEqual(native.sheets.map(({ rows }) => rows));
        expect(reference.sheets.map(({ widths }) => widths)).toEqual(native.sheets.map(({ widths }) => widths));
        expect(reports[1].warnings).toEqual(reports[0].warnings);
      }),
      { numRuns: RUNS },
    );
  });

  it('write every part the same wherever the pages are cut', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async ({ head, records, pages }) => {
        for (const format of [xlsx, referenceXlsx]) {
          const whole = unzip(await encodeAll(format, head, [{ records, nextOffset: null, asOf: null }]));
          expect(unzip(await encodeAll(format, head, pages))).toEqual(whole);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

async function document(format: Format, { head, pages }: RegisterSample): Promise<Buffer<ArrayBuffer>> {
  const bytes = await encodeAll(format, head, pages);
  // A copy with a buffer of its own: exceljs reads the whole of it.
  return Buffer.from(new Uint8Array(bytes).buffer);
}

/** exceljs knows no escapes in cells and makes dates of serials. */
function fromExcelJs(value: ExcelJS.CellValue): unknown {
  if (value instanceof Date) return value.getTime();
  if (typeof value === 'object' && value !== null && 'hyperlink' in value) return unescapeLiterals(value.text);
  return typeof value === 'string' ? unescapeLiterals(value) : value;
}

/** It takes an empty text for no cell, and decodes the entities of its own kind of text cells twice. */
function forExcelJs(cell: ExpectedCell | null, twice: boolean): unknown {
  if (cell === null) return null;
  if (cell.kind === 'moment') return cell.ms;
  if (typeof cell.value !== 'string') return cell.value;
  if (cell.value === '') return null;
  return twice ? cell.value.replace(/&(lt|gt|amp|apos|quot);/g, (entity) => ENTITIES[entity]!) : cell.value;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&apos;': "'",
  '&quot;': '"',
};
