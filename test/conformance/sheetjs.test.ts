// Workbooks of arbitrary registers, by both writers, read by SheetJS.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Format } from '../../src/formats/format.ts';
import { referenceXlsx } from '../../src/formats/reference/xlsx.ts';
import { xlsx } from '../../src/formats/xlsx/index.ts';
import { linkTarget } from '../../src/formats/xlsx/links.ts';
import { encodeAll } from '../contracts/readers.ts';
import { type ExpectedCell, expectedRow } from '../contracts/xlsx-model.ts';
import { lettersOf, msOf } from '../contracts/xlsx-reader.ts';
import { registers, RUNS } from '../properties/arbitraries.ts';
import { loadJudge } from './tools.ts';

/** What is used of the package. */
interface SheetJs {
  read(
    document: Uint8Array,
    options: { readonly cellNF: boolean },
  ): {
    readonly Sheets: Readonly<Record<string, Readonly<Record<string, Cell>>>>;
  };
}

interface Cell {
  /** Its type: `n` for a number. */
  readonly t: string;
  readonly v?: unknown;
  /** The number format's code. */
  readonly z?: string;
  readonly l?: { readonly Target: string };
}

let sheetJs: SheetJs;
beforeAll(async () => {
  sheetJs = await loadJudge<SheetJs>('xlsx');
});

describe.each<readonly [string, Format]>([
  ['the native writer', xlsx],
  ['exceljs', referenceXlsx],
])('a workbook by %s', (_, format) => {
  it('is read back by SheetJS', async () => {
    await fc.assert(
      fc.asyncProperty(registers(), async ({ definition, head, pages, records }) => {
        const workbook = sheetJs.read(await encodeAll(format, head, pages), { cellNF: true });
        const sheet = workbook.Sheets.Records!;
        records.forEach((record, index) => {
          const { cells } = expectedRow(definition, record);
          cells.forEach((cell, column) => {
            expect(found(sheet[`${lettersOf(column)}${index + 2}`])).toEqual(expected(cell));
          });
          // It leaves the entities of a target as they are.
          const link = sheet[`K${index + 2}`]!.l?.Target.replaceAll('&apos;', "'");
          expect(plain(link?.replaceAll('&amp;', '&') ?? null)).toBe(plain(linkTarget(record.source_url)));
        });
      }),
      { numRuns: RUNS },
    );
  });
});

function found(cell: Cell | undefined): unknown {
  if (cell === undefined) return null;
  const isMoment = cell.t === 'n' && cell.z !== 'General' && cell.z !== undefined;
  return isMoment ? msOf(cell.v as number) : cell.v;
}

function expected(cell: ExpectedCell | null): unknown {
  if (cell === null) return null;
  return cell.kind === 'value' ? cell.value : cell.ms;
}

/** A link may be read with its non-ASCII characters percent-encoded. */
function plain(url: string | null): string | null {
  return url === null ? null : url.replace(/[^!-~]+/g, encodeURIComponent);
}
