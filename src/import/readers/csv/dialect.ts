// Finds how a CSV file is written, from its first rows: the delimiter, and the line of its header. Nothing is guessed
// that the caller has said.
import type { OnNote } from '../reader-note.ts';
import { findHeader, type GivenHeader } from '../table/header-rows.ts';
import { HEADER_SAMPLE_ROWS, headerNote, titleRowsNote } from '../table/title-rows.ts';
import { type SampleRow, splitRows } from './split-rows.ts';

/** How the rows of a table are written. */
export interface RowForm {
  readonly delimiter: string;
  /** Whether the spaces that follow a delimiter belong to it. */
  readonly isSpaced: boolean;
  /** How many fields nearly all rows have; null where too few were seen, or they differ. */
  readonly width: number | null;
  /** How many rows name the columns. */
  readonly headerRows: number;
  /** The names, where several rows have them. */
  readonly names: readonly string[] | null;
}

/** How a file is written. */
export interface Dialect extends RowForm {
  /** Where the header begins in the text, in UTF-16 units. */
  readonly start: number;
  /** How many lines end before the header. */
  readonly linesBefore: number;
}

/** What the caller has said. */
export interface GivenDialect {
  readonly delimiter?: string;
  readonly header: GivenHeader;
}

/** Where several fit equally well, the earlier one: a comma is also in amounts and in texts. */
const DELIMITERS = ['\t', ';', '|', ','] as const;

const NAMES: Readonly<Record<string, string>> = { '\t': 'a tab', ';': 'a semicolon', '|': 'a vertical bar' };

/** In how many fields out of all a space must follow the delimiter. */
const SPACED_SHARE = 0.95;

/** How many rows show how wide rows are, and the share of them that must be so. */
const WIDTH = { leastRows: 5, share: 0.8 } as const;

/** Excel's own way to name the delimiter: a first line `sep=;`. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?(?:\r\n|[\r\n]|$)/i;

/**
 * The dialect of a text.
 *
 * @param isWhole whether the text ends with the file
 */
export function findDialect(text: string, isWhole: boolean, given: GivenDialect, onNote: OnNote): Dialect {
  const stated = given.header === 'first' ? null : SEPARATOR_LINE.exec(text);
  const offset = stated === null ? 0 : stated[0].length;
  const delimiter = given.delimiter ?? stated?.[1];
  const candidates = delimiter === undefined ? DELIMITERS : [delimiter];
  const rest = text.slice(offset);
  const best = candidates
    .map((candidate) => tryDelimiter(rest, isWhole, candidate, given.header))
    .reduce((first, second) => (second.fit > first.fit ? second : first));
  const found = delimiter ?? (best.fit === 0 ? ',' : best.delimiter);
  const isTable = best.fit > 0 || delimiter !== undefined || given.header !== null;
  const { linesBefore, titles, start, headerRows, names } = isTable || best.headerRows === 0 ? best : ONE_ROW;
  const rows = splitRows(rest.slice(best.start), found, isWhole, HEADER_SAMPLE_ROWS);
  const form = { ...formOf(rows.slice(headerRows)), headerRows, names };
  if (delimiter === undefined && found !== ',') {
    const message = `${NAMES[found]!} separates the fields; --delimiter says another`;
    onNote({ code: 'delimiter', message, delimiter: found });
  }
  if (form.isSpaced) {
    onNote({
      code: 'delimiter',
      message: 'a space follows the delimiter everywhere and belongs to it',
      delimiter: found,
    });
  }
  const lines = linesBefore + (stated === null ? 0 : 1);
  if (stated !== null && given.delimiter === undefined) {
    onNote({ code: 'delimiter', message: `the first line says what separates the fields: ${found}`, delimiter: found });
  }
  if (titles > 0) {
    const headerRow = lines + 1;
    const above = splitRows(rest.slice(0, best.start), found, true, titles).map(({ fields }) => fields);
    onNote(titleRowsNote(above, `line ${headerRow}`, headerRow));
  }
  if (headerRows !== 1 && given.header !== 'none') {
    onNote(headerNote(headerRows === 0 ? null : `lines ${lines + 1} to ${lines + 1 + lastLine(rows, headerRows)}`));
  }
  return { delimiter: found, ...form, start: offset + start, linesBefore: lines };
}

/** What rows have in common. @param below those below the header */
function formOf(below: readonly SampleRow[]): Omit<RowForm, 'delimiter' | 'headerRows' | 'names'> {
  const later = below.flatMap(({ fields }) => fields.slice(1).filter((field) => field !== ''));
  const spaced = later.filter((field) => field.startsWith(' ')).length;
  const widths = new Map<number, number>();
  for (const { fields } of below) widths.set(fields.length, (widths.get(fields.length) ?? 0) + 1);
  const [width, count] = [...widths].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0]);
  const isClear = below.length >= WIDTH.leastRows && count >= below.length * WIDTH.share;
  return { isSpaced: spaced > 0 && spaced >= later.length * SPACED_SHARE, width: isClear ? width : null };
}

/** How many lines follow the first before the last row of the header. */
function lastLine(rows: readonly SampleRow[], headerRows: number): number {
  return (rows[headerRows - 1]?.line ?? 1) - 1;
}

/** How well a delimiter fits. */
interface Attempt {
  readonly delimiter: string;
  /** The share of rows below the header that have as many fields; 0 for a header of one field. */
  readonly fit: number;
  readonly titles: number;
  readonly start: number;
  readonly linesBefore: number;
  readonly headerRows: number;
  readonly names: readonly string[] | null;
}

const ONE_ROW = { titles: 0, start: 0, linesBefore: 0, headerRows: 1, names: null } as const;

function tryDelimiter(text: string, isWhole: boolean, delimiter: string, given: GivenHeader): Attempt {
  const rows = splitRows(text, delimiter, isWhole, HEADER_SAMPLE_ROWS);
  const fits = (row: readonly string[], header: readonly string[]): boolean => row.length === header.length;
  const { index, count, names } = findHeader(
    rows.map(({ fields }) => fields),
    fits,
    given,
  );
  const header = rows[index];
  if (header === undefined) return { delimiter, fit: 0, ...ONE_ROW };
  const below = rows.slice(index + count);
  const fitting = below.filter(({ fields }) => fits(fields, header.fields)).length;
  return {
    delimiter,
    fit: header.fields.length < 2 ? 0 : (fitting + 1) / (below.length + 1),
    ...(index === 0 ? ONE_ROW : { titles: index, start: header.start, linesBefore: header.line - 1 }),
    headerRows: count,
    names,
  };
}
