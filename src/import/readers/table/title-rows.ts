// Where the header of a table is: spreadsheets and exports often have a title, a date or a source above it. The rule is
// careful: without a clear sign the first row is the header, and a table that does not fit it is refused.
import { GazetteError, quote } from '../../../errors.ts';
import type { ReaderNote } from '../reader-note.ts';
import type { TableReaderOptions } from './row-header.ts';

/** How many rows are looked at. */
export const HEADER_SAMPLE_ROWS = 50;

/** A cell that names no column: an amount, also one in brackets, or a date. Years do: many tables have a column for each. */
const AMOUNT_OR_DATE = /^(?:\([\d.,]+\)|[-+]?(?!(?:19|20)\d\d$)\d[\d.,:/ ’'-]*%?)$/;

/** The least share of rows below the header that must be as wide as it. */
const FITTING_SHARE = 0.8;

/** The least share of names that must differ: some headers have a name twice, rows of values have many. */
const DISTINCT_SHARE = 0.7;

/**
 * The index of the header: the first row that is more than half as full as the fullest, if rows follow that are as wide
 * as it, and its cells can be names. Rows above it whose cells cannot are left out if they are less full. Otherwise 0.
 *
 * @param rows the first rows, empty ones left out, cells as text
 * @param fits whether a row below has the width of the header
 */
export function headerIndex(
  rows: readonly (readonly string[])[],
  fits: (row: readonly string[], header: readonly string[]) => boolean,
): number {
  const filled = rows.map((row) => row.filter((cell) => cell.trim() !== '').length);
  const fullest = Math.max(...filled, 0);
  const first = filled.findIndex((count) => count * 2 > fullest);
  if (first <= 0) return 0;
  const full = filled.flatMap((count, index) => (count * 2 > fullest && count >= filled[first]! ? index : []));
  const [header] = full.filter((index) => isHeader(rows, index, fits));
  return header !== undefined && filled.slice(first, header).every((count) => count < filled[header]!) ? header : 0;
}

function isHeader(
  rows: readonly (readonly string[])[],
  index: number,
  fits: (row: readonly string[], header: readonly string[]) => boolean,
): boolean {
  const header = rows[index]!;
  const names = header.filter((cell) => cell.trim() !== '');
  const below = rows.slice(index + 1);
  const fitting = below.filter((row) => fits(row, header)).length;
  return (
    names.length >= 2 &&
    new Set(names).size >= names.length * DISTINCT_SHARE &&
    !names.some((name) => AMOUNT_OR_DATE.test(name.trim())) &&
    fitting > 0 &&
    fitting >= below.length * FITTING_SHARE
  );
}

/**
 * The note about rows above the header.
 *
 * @param above their cells
 * @param header in words: `line 4`, `row 4`
 * @param headerRow its number
 */
export function titleRowsNote(above: readonly (readonly string[])[], header: string, headerRow: number): ReaderNote {
  const rows = above.length === 1 ? 'one row' : `${above.length} rows`;
  const heading = headingIn(above.find((row) => !BACK.test(row.join(''))) ?? []);
  return {
    code: 'title_rows',
    message: `${rows} above the header in ${header} ${above.length === 1 ? 'is' : 'are'} not read; say the row of the header with --header-row`,
    headerRow,
    ...(heading === null ? {} : { heading }),
  };
}

/** The longest title, in UTF-16 units: what is longer explains. */
const MAX_TITLE = 120;

/** A date, a source, or another thing that is said of the file: `Stand: Januar 2026`. */
const LABELLED = /^[\p{L} ]{1,20}:/u;

/** A link to the first sheet of a workbook. */
const BACK = /^\s*(?:к (?:содержанию|оглавлению)|back to|zurück|retour|volver|torna)/iu;

/** The title in the first row of a file; null where it has several cells, or says something else. */
function headingIn(row: readonly string[]): string | null {
  const [cell = '', ...others] = row.filter((each) => each.trim() !== '');
  const heading = cell.trim().replace(/\s+/g, ' ');
  const isTitle = others.length === 0 && heading.length <= MAX_TITLE && hasWord(heading) && !LABELLED.test(heading);
  return isTitle ? heading : null;
}

/** Whether a name says something: a code has letters in twos and threes, in scripts that have a sign for each letter. */
export function hasWord(name: string): boolean {
  return /[\p{L}\p{M}]{4}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]{2}/u.test(name);
}

/** The note about names that stand in no row, or in several. @param rows in words: `lines 2 to 4`; null for none */
export function headerNote(rows: string | null): ReaderNote {
  return rows === null
    ? {
        code: 'no_header',
        header: false,
        message:
          'the first row looks like the others and is read as a record: columns are called by their letters; --header-row 1 reads it as names',
      }
    : { code: 'header_rows', message: `the names of the columns are in ${rows}, and are joined` };
}

/** @throws GazetteError `invalid_option` for anything but a row's number, and for a row of a header that is not there. */
export function checkHeader({ headerRow, header }: TableReaderOptions): void {
  if (headerRow !== undefined && header === false) {
    throw new GazetteError('invalid_option', 'there is no row of a header where there is no header', {
      details: { option: 'header_row' },
    });
  }
  if (headerRow === undefined || (Number.isSafeInteger(headerRow) && headerRow >= 1)) return;
  throw new GazetteError('invalid_option', `header row must be a whole number from 1, got ${quote(headerRow)}`, {
    details: { option: 'header_row' },
  });
}
