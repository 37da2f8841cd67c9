// Where the header of a table is: spreadsheets and exports often have a title, a date or a source above it. The rule is
// careful: without a clear sign the first row is the header, and a table that does not fit it is refused.
import { GazetteError, quote } from '../../errors.ts';

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

/** The note about rows above the header. @param header in words: `line 4`, `row 4` */
export function titleRowsNote(count: number, header: string): string {
  const rows = count === 1 ? 'one row' : `${count} rows`;
  return `${rows} above the header in ${header} ${count === 1 ? 'is' : 'are'} not read; say the row of the header with --header-row`;
}

/** @throws GazetteError `invalid_option` for anything but a row's number. */
export function checkHeaderRow(headerRow: number | undefined): void {
  if (headerRow === undefined || (Number.isSafeInteger(headerRow) && headerRow >= 1)) return;
  throw new GazetteError('invalid_option', `header row must be a whole number from 1, got ${quote(headerRow)}`, {
    details: { option: 'header_row' },
  });
}
