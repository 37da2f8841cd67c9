// Reads workbooks back for the check before the timing: with SheetJS, and SheetJS's own with hucre (exceljs
// reads SheetJS's texts with their entities decoded twice).
import { loadPeer } from '../peers.ts';
import { type Contestant, documentOf } from '../harness.ts';
import { allFields } from '../../src/register/fields.ts';
import { expectEqual, type Input } from './table.ts';
import { cellsOf, serialOf, type SheetValue } from './xlsx-peers.ts';

interface SheetJsReader {
  read(data: Buffer, options: object): { readonly Sheets: Readonly<Record<string, object>> };
  readonly utils: { sheet_to_json(sheet: object, options: object): readonly (readonly SheetValue[])[] };
}
interface HucreReader {
  readXlsx(
    data: Uint8Array,
  ): Promise<{ readonly sheets: readonly { readonly rows: readonly (readonly SheetValue[])[] }[] }>;
}

/** The streaming packages as they compress when told to as we do: those a goal names at equal file size. */
export const AT_EQUAL_SIZE: readonly string[] = ['hucre stream (level 1)', 'exceljs stream', 'excelts stream'];

/** Sizes count as equal up to this part of ours, above or below: ours has links, a filter and a second sheet besides. */
export const EQUAL_SIZE = 0.15;

/** @throws Error unless the first sheet holds exactly the input's records, dates as dates and numbers as numbers. */
export async function checkWorkbook(document: Buffer, input: Input, { name }: Contestant): Promise<void> {
  const rows = name === 'SheetJS' ? await readWithHucre(document) : await readWithSheetJs(document);
  expectEqual(`${name}: rows`, rows.length, input.records.length + 1);
  const fields = allFields(input.definition);
  expectEqual(`${name}: header`, rows[0]!.join(), input.names.join());
  input.records.forEach((record, index) => {
    cellsOf(fields, record).forEach((value, column) => {
      const what = `${name}: ${record.id}, ${input.names[column]!}`;
      expectEqual(what, comparable(rows[index + 1]![column] ?? null), comparable(value));
    });
  });
}

/**
 * What is compared at equal file size has to be of equal size, or somebody wins by writing more.
 *
 * @throws Error naming both sizes.
 */
export async function checkSize(document: Buffer, native: Contestant, { name }: Contestant): Promise<void> {
  if (!AT_EQUAL_SIZE.includes(name)) return;
  const own = (await documentOf(native)).length;
  const share = document.length / own;
  if (Math.abs(share - 1) > EQUAL_SIZE) {
    throw new Error(
      `${name}: ${document.length} bytes are ${share.toFixed(2)} × our ${own}: not equal within ${EQUAL_SIZE * 100} %`,
    );
  }
}

/** Dates as the serial that stands in the cell, to the second. */
function comparable(value: SheetValue): string | number | boolean | null {
  if (value instanceof Date) return Math.round(serialOf(value) * 86_400);
  return value;
}

async function readWithSheetJs(document: Buffer): Promise<SheetValue[][]> {
  const module = await loadPeer<SheetJsReader & { readonly default?: SheetJsReader }>('xlsx');
  const sheetJs = module.default ?? module;
  const { Sheets } = sheetJs.read(document, { dense: true, cellDates: true, UTC: true });
  const rows = sheetJs.utils.sheet_to_json(Sheets.Records!, { header: 1, raw: true, defval: null, UTC: true });
  return rows.map((row) => [...row]);
}

async function readWithHucre(document: Buffer): Promise<SheetValue[][]> {
  const hucre = await loadPeer<HucreReader>('hucre/xlsx');
  const { sheets } = await hucre.readXlsx(document);
  return sheets[0]!.rows.map((row) => [...row]);
}
