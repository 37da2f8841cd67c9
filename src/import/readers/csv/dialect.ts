// Finds how a CSV file is written, from its first rows: the delimiter, and the line of its header. Nothing is guessed
// that the caller has said.
import type { OnNote } from '../reader-note.ts';
import { HEADER_SAMPLE_ROWS, headerIndex, titleRowsNote } from '../title-rows.ts';
import { splitRows } from './split-rows.ts';

/** How a file is written. */
export interface Dialect {
  readonly delimiter: string;
  /** Where the header begins in the text, in UTF-16 units. */
  readonly start: number;
  /** How many lines end before the header. */
  readonly linesBefore: number;
}

/** What the caller has said. */
export interface GivenDialect {
  readonly delimiter?: string;
  /** Whether the text begins with the header. */
  readonly atHeader: boolean;
}

/** Where several fit equally well, the earlier one: a comma is also in amounts and in texts. */
const DELIMITERS = ['\t', ';', '|', ','] as const;

const NAMES: Readonly<Record<string, string>> = { '\t': 'a tab', ';': 'a semicolon', '|': 'a vertical bar' };

/** Excel's own way to name the delimiter: a first line `sep=;`. */
const SEPARATOR_LINE = /^"?sep=([^"\r\n])"?(?:\r\n|[\r\n]|$)/i;

/**
 * The dialect of a text.
 *
 * @param isWhole whether the text ends with the file
 */
export function findDialect(text: string, isWhole: boolean, given: GivenDialect, onNote: OnNote): Dialect {
  const stated = given.atHeader ? null : SEPARATOR_LINE.exec(text);
  const offset = stated === null ? 0 : stated[0].length;
  const delimiter = given.delimiter ?? stated?.[1];
  const candidates = delimiter === undefined ? DELIMITERS : [delimiter];
  const rest = text.slice(offset);
  const best = candidates
    .map((candidate) => tryDelimiter(rest, isWhole, candidate, given.atHeader))
    .reduce((first, second) => (second.fit > first.fit ? second : first));
  const found = delimiter ?? (best.fit === 0 ? ',' : best.delimiter);
  if (delimiter === undefined && found !== ',') {
    const message = `${NAMES[found]!} separates the fields; --delimiter says another`;
    onNote({ code: 'delimiter', message, delimiter: found });
  }
  const { linesBefore, titles, start } = best.fit === 0 && delimiter === undefined ? NO_TITLES : best;
  const lines = linesBefore + (stated === null ? 0 : 1);
  if (stated !== null && given.delimiter === undefined) {
    onNote({ code: 'delimiter', message: `the first line says what separates the fields: ${found}`, delimiter: found });
  }
  if (titles > 0) {
    const headerRow = lines + 1;
    onNote({ code: 'title_rows', message: titleRowsNote(titles, `line ${headerRow}`), headerRow });
  }
  return { delimiter: found, start: offset + start, linesBefore: lines };
}

/** How well a delimiter fits. */
interface Attempt {
  readonly delimiter: string;
  /** The share of rows below the header that have as many fields; 0 for a header of one field. */
  readonly fit: number;
  readonly titles: number;
  readonly start: number;
  readonly linesBefore: number;
}

const NO_TITLES = { titles: 0, start: 0, linesBefore: 0 } as const;

function tryDelimiter(text: string, isWhole: boolean, delimiter: string, atHeader: boolean): Attempt {
  const rows = splitRows(text, delimiter, isWhole, HEADER_SAMPLE_ROWS);
  const fits = (row: readonly string[], header: readonly string[]): boolean => row.length === header.length;
  const index = atHeader
    ? 0
    : headerIndex(
        rows.map(({ fields }) => fields),
        fits,
      );
  const header = rows[index];
  if (header === undefined) return { delimiter, fit: 0, ...NO_TITLES };
  const below = rows.slice(index + 1);
  const fitting = below.filter(({ fields }) => fits(fields, header.fields)).length;
  return {
    delimiter,
    fit: header.fields.length < 2 ? 0 : (fitting + 1) / (below.length + 1),
    ...(index === 0 ? NO_TITLES : { titles: index, start: header.start, linesBefore: header.line - 1 }),
  };
}
