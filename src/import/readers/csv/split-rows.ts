// Splits the first rows of a CSV file in trying delimiters: leniently and only as far as they are complete. The records
// themselves are read by csv-parse.

/** A row of a sample. */
export interface SampleRow {
  readonly fields: readonly string[];
  /** Where it begins in the text, in UTF-16 units. */
  readonly start: number;
  /** Its line, from 1. */
  readonly line: number;
}

/**
 * The first rows of a text, empty ones left out.
 *
 * @param isWhole whether the text ends with the file; otherwise its last row may be cut, and is left out
 */
export function splitRows(text: string, delimiter: string, isWhole: boolean, limit: number): SampleRow[] {
  const rows: SampleRow[] = [];
  const breaks = new RegExp(`["\\r\\n]|${delimiter.replace(/[\\^$.|?*+()[\]{}]/, '\\$&')}`, 'gu');
  let fields: string[] = [];
  let start = 0;
  let from = 0;
  let line = 1;
  let rowLine = 1;
  const endRow = (end: number, next: number): void => {
    fields.push(unquoted(text.slice(from, end)));
    if (fields.length > 1 || fields[0] !== '') rows.push({ fields, start, line: rowLine });
    fields = [];
    start = from = next;
    rowLine = ++line;
  };
  while (rows.length < limit) {
    const found = breaks.exec(text);
    if (found === null) {
      if (isWhole && start < text.length) endRow(text.length, text.length);
      return rows;
    }
    const { 0: mark, index } = found;
    if (mark === '"') {
      // RFC 4180 2.5: only a field that begins with a quote is quoted.
      if (index !== from) continue;
      const close = closingQuote(text, index);
      if (close < 0) return rows;
      line += lineBreaks(text.slice(index, close));
      breaks.lastIndex = close + 1;
    } else if (mark === delimiter) {
      fields.push(unquoted(text.slice(from, index)));
      from = breaks.lastIndex;
    } else {
      if (mark === '\r' && text[index + 1] === '\n') breaks.lastIndex++;
      endRow(index, breaks.lastIndex);
    }
  }
  return rows;
}

/** How rows are written. */
interface StrayOptions {
  readonly delimiter: string;
  /** Whether spaces after a delimiter belong to it. */
  readonly isSpaced: boolean;
}

/**
 * The first field of a row that goes on after the quote that ends it, from 0; null if there is none (RFC 4180 2.5, 2.7).
 *
 * @param row one row as it stands in the file; line breaks before and after it mean nothing
 */
export function strayQuote(row: string, { delimiter, isSpaced }: StrayOptions): number | null {
  let at = row.search(/[^\r\n]/);
  for (let column = 0; ; column++) {
    while (isSpaced && row[at] === ' ') at++;
    if (row[at] === '"') {
      at = closingQuote(row, at) + 1;
      const next = row[at] ?? '\n';
      if (next !== delimiter && next !== '\r' && next !== '\n') return column;
    }
    const end = row.indexOf(delimiter, at);
    if (end < 0) return null;
    at = end + delimiter.length;
  }
}

/** RFC 4180 2.7: a quote inside a quoted field is doubled. */
function closingQuote(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return -1;
}

function unquoted(field: string): string {
  return field.startsWith('"') && field.endsWith('"') && field.length > 1
    ? field.slice(1, -1).replaceAll('""', '"')
    : field;
}

/** The number of line ends: CRLF, LF or CR. */
function lineBreaks(text: string): number {
  return text.match(/\r\n|[\r\n]/g)?.length ?? 0;
}
