// CSV (RFC 4180): UTF-8, CRLF, a header row of field names. Null is an empty field, the empty string is `""`. Cells
// that a spreadsheet would run as formulas get a reversible guard. NUL becomes U+FFFD, because databases and spreadsheets
// refuse it or cut the text there. The options have csv-stringify's names.
import { GazetteError, quote } from '../errors.ts';
import type { Page } from '../register/page.ts';
import { columnsOf, isCoreField } from '../register/finding/chosen-fields.ts';
import type { Field, RegisterRecord } from '../register/record.ts';
import { cellOf } from './cell.ts';
import { checkCoreFields } from './check-value.ts';
import { guardCell, guardFormula } from './formula-guard.ts';
import type { DocumentHead, FormatOptions, Output, Sink, VersionedFormat } from './format.ts';
import { numberText } from './number-text.ts';
import type { Report } from './report.ts';
import { VERSION } from '../version.ts';

/** The dialect of a CSV file. */
export interface CsvOptions extends FormatOptions {
  /**
   * The delimiter between fields: one character, default `,`. Not allowed are A to Z, a to z, digits, `"`, `+`, `-`,
   * `.`, NUL, line ends and characters that UTF-8 cannot carry, because numbers and quotes would become ambiguous.
   */
  readonly delimiter?: string;
  /** Whether the file begins with U+FEFF, so that Excel recognises UTF-8. Default false, as in RFC 4180. */
  readonly bom?: boolean;
  /** The line end after each record. Default CRLF (RFC 4180 2.1). */
  readonly record_delimiter?: '\r\n' | '\n' | '\r';
  /** Whether every field except null is quoted. Default false: only fields that need quotes. */
  readonly quoted?: boolean;
  /** `guard`, the default, puts `'` before text that a spreadsheet would run; `raw` writes it unchanged. */
  readonly formulas?: 'guard' | 'raw';
}

/** A checked dialect in which every option has a value. */
type CsvDialect = Readonly<Required<Omit<CsvOptions, 'report'>>>;

const DEFAULTS: CsvDialect = {
  delimiter: ',',
  bom: false,
  record_delimiter: '\r\n',
  quoted: false,
  formulas: 'guard',
};

// Characters of numbers, booleans and quoted fields, line ends, and characters that do not survive the writer or UTF-8.
const NO_DELIMITER = /^[\dA-Za-z"+\-.\0\r\n\ud800-\udfff\ufeff\ufffd]$/;

/**
 * Fills in the defaults of a dialect.
 *
 * @throws GazetteError `invalid_option`, naming the option, the allowed values and the given one.
 */
export function csvDialect(options: CsvOptions = {}): CsvDialect {
  const dialect: CsvDialect = {
    delimiter: options.delimiter ?? DEFAULTS.delimiter,
    bom: options.bom ?? DEFAULTS.bom,
    record_delimiter: options.record_delimiter ?? DEFAULTS.record_delimiter,
    quoted: options.quoted ?? DEFAULTS.quoted,
    formulas: options.formulas ?? DEFAULTS.formulas,
  };
  check(
    'delimiter',
    'one character, none of A to Z, a to z, 0 to 9, quote, NUL, line end, "+", "-" or "."',
    dialect.delimiter,
    (value) => typeof value === 'string' && value.length === 1 && !NO_DELIMITER.test(value),
  );
  check('bom', 'true or false', dialect.bom, (value) => typeof value === 'boolean');
  check(
    'record_delimiter',
    'CRLF, LF or CR',
    dialect.record_delimiter,
    (value) => value === '\r\n' || value === '\n' || value === '\r',
  );
  check('quoted', 'true or false', dialect.quoted, (value) => typeof value === 'boolean');
  check('formulas', '"guard" or "raw"', dialect.formulas, (value) => value === 'guard' || value === 'raw');
  return dialect;
}

function check(option: string, expected: string, value: unknown, fits: (value: unknown) => boolean): void {
  if (!fits(value)) {
    throw new GazetteError('invalid_option', `csv option ${option} must be ${expected}, got ${quote(value)}`, {
      details: { option },
    });
  }
}

/**
 * The CSV writer (RFC 4180).
 *
 * @throws GazetteError `invalid_option` from `open()`; `invalid_record` from `write()`, naming the record and the field.
 * @example for await (const chunk of encode(pages(source), csv, head, { delimiter: ';' })) process.stdout.write(chunk);
 */
export const csv: VersionedFormat<CsvOptions> = {
  name: 'csv',
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  encoderVersion: VERSION,
  optionNames: Object.keys(DEFAULTS),
  takesFields: true,
  open: (out, head, options) => new CsvSink(out, head, options),
};

/** PostgreSQL and pandas refuse a file with this character, and sqlite3 ends the text before it. */
const NUL = '\0';

/** The text with U+FFFD for each NUL. */
export function withoutNul(text: string): string {
  return text.replaceAll(NUL, '\ufffd');
}

/** Characters with a special meaning inside a character class. */
const CLASS_SIGNS = /[\\\]^]/;

/** From this length on (UTF-16 units), four searches for one character each are faster than one for a class of four. */
const LONG_TEXT = 30;

class CsvSink implements Sink {
  readonly #out: Output;
  readonly #fields: readonly Field[];
  /** The columns that were asked for; null: all. */
  readonly #chosen: readonly Field[] | null;
  readonly #report: Report | undefined;
  readonly #delimiter: string;
  readonly #recordEnd: string;
  readonly #quoted: boolean;
  readonly #guarded: boolean;
  readonly #special: RegExp;
  readonly #feedId: string;
  readonly #feedCell: string;
  readonly #textCell: string;
  readonly #htmlCell: string;
  /** Whether a core field of the current record has the wrong type. */
  #isMisfit = false;
  /** Whether the current record has a text with NUL. */
  #hasNul = false;

  constructor(out: Output, head: DocumentHead, options: CsvOptions | undefined) {
    const { delimiter, bom, record_delimiter, quoted, formulas } = csvDialect(options);
    this.#out = out;
    this.#fields = head.definition.fields;
    this.#report = options?.report;
    this.#delimiter = delimiter;
    this.#recordEnd = record_delimiter;
    this.#quoted = quoted;
    this.#guarded = formulas === 'guard';
    this.#special = new RegExp(`["\\0\\r\\n${delimiter.replace(CLASS_SIGNS, '\\$&')}]`);
    this.#feedId = head.definition.id;
    this.#feedCell = this.#framed(this.#feedId);
    this.#textCell = this.#framed('text');
    this.#htmlCell = this.#framed('html');
    this.#chosen = head.fields === undefined ? null : columnsOf(head.definition, head.fields);
    const names = columnsOf(head.definition, head.fields).map(({ name }) => this.#text(name));
    out.text(`${bom ? '\ufeff' : ''}${names.join(delimiter)}${record_delimiter}`);
    this.#hasNul = false;
  }

  write(page: Page): void {
    for (const record of page.records) {
      const row = this.#chosen === null ? this.#row(record) : this.#rowOf(record, this.#chosen);
      // Only a wrong record is checked again field by field, to name the field.
      if (this.#isMisfit) checkCoreFields(record);
      this.#out.text(row);
      // UTF-8 writes a lone surrogate as U+FFFD.
      if (this.#hasNul || (this.#report !== undefined && !row.isWellFormed())) {
        this.#report?.add('replaced_characters', record.id);
        this.#hasNul = false;
      }
    }
  }

  close(): void {
    // The header and every record end with their own line end.
  }

  /**
   * The record's line. Core fields are read by name, in the order of CORE_FIELDS, and the two that rarely change are
   * framed once. Together this is a tenth faster than a loop over the fields.
   */
  #row(record: RegisterRecord): string {
    const d = this.#delimiter;
    const type: string = record.content_type;
    let row = this.#text(record.id);
    if (record.id === '') this.#isMisfit = true;
    row += record.feed_id === this.#feedId ? this.#feedCell : this.#framed(record.feed_id);
    row += this.#text(record.key) + d;
    row += this.#text(record.title) + d;
    row += this.#textOrNull(record.summary) + d;
    row += this.#textOrNull(record.content);
    row += type === 'text' ? this.#textCell : type === 'html' ? this.#htmlCell : this.#framed(type);
    row += this.#textOrNull(record.author) + d;
    row += this.#textOrNull(record.document_type) + d;
    row += this.#textOrNull(record.facility_id) + d;
    row += this.#text(record.source_url) + d;
    row += this.#textOrNull(record.published_at) + d;
    row += this.#text(record.observed_at) + d;
    row += this.#textOrNull(record.updated_at) + d;
    row += this.#count(record.version) + d;
    if (record.position !== null) row += this.#count(record.position);
    for (const field of this.#fields) row += d + this.#value(record, field);
    return row + this.#recordEnd;
  }

  /** The line of some columns. */
  #rowOf(record: RegisterRecord, columns: readonly Field[]): string {
    checkCoreFields(record);
    const cells = columns.map((field) => {
      if (!isCoreField(field)) return this.#value(record, field);
      const value = record[field.name];
      return typeof value === 'string' ? this.#text(value) : this.#plain(value);
    });
    return cells.join(this.#delimiter) + this.#recordEnd;
  }

  #value(record: RegisterRecord, field: Field): string {
    const { type } = field;
    const value = record.data[field.name];
    if (typeof value === 'string' && type !== 'json' && type !== 'integer' && type !== 'decimal')
      return this.#text(value);
    if (value === null) return '';
    const cell = cellOf(record, field);
    if (typeof cell !== 'string') return this.#plain(cell);
    return this.#quote(this.#guarded ? guardCell(type, cell) : cell);
  }

  /** The cell of a text. Sources may return anything, so a value that is not a text is noted. */
  #text(text: string): string {
    if (typeof text === 'string') return this.#quote(this.#guarded ? guardFormula(text) : text);
    this.#isMisfit = true;
    return '';
  }

  #textOrNull(text: string | null): string {
    return text === null ? '' : this.#text(text);
  }

  #count(value: number): string {
    if (!Number.isSafeInteger(value) || value < 1) this.#isMisfit = true;
    return this.#plain(value);
  }

  /** The cell of a text between two delimiters. */
  #framed(text: string): string {
    return this.#delimiter + this.#text(text) + this.#delimiter;
  }

  /** The cell of a value that is not a text: it never needs quotes, in any dialect. */
  #plain(cell: number | boolean | null): string {
    if (cell === null) return '';
    const text = typeof cell === 'number' ? numberText(cell) : String(cell);
    return this.#quoted ? `"${text}"` : text;
  }

  /** {@link #quote} of a text with NUL. Texts are searched one by one, because the line is slow to search as a whole. */
  #quoteWithoutNul(text: string): string {
    this.#hasNul = true;
    return this.#quote(withoutNul(text));
  }

  #quote(text: string): string {
    if (text.length < LONG_TEXT) {
      // The empty string must differ from null.
      if (text === '') return '""';
      if (!this.#special.test(text) && !this.#quoted) return text;
      if (text.includes(NUL)) return this.#quoteWithoutNul(text);
      const first = text.indexOf('"');
      return first < 0 ? `"${text}"` : doubleQuotes(text, first);
    }
    if (text.includes(NUL)) return this.#quoteWithoutNul(text);
    const first = text.indexOf('"');
    if (first >= 0) return doubleQuotes(text, first);
    return this.#quoted || text.includes(this.#delimiter) || text.includes('\n') || text.includes('\r')
      ? `"${text}"`
      : text;
  }
}

/** RFC 4180 2.7: a quote inside a quoted field is doubled. `first` is the position of the first one. */
function doubleQuotes(text: string, first: number): string {
  let escaped = '"';
  let start = 0;
  for (let at = first; at >= 0; at = text.indexOf('"', start)) {
    escaped += `${text.slice(start, at + 1)}"`;
    start = at + 1;
  }
  return `${escaped}${text.slice(start)}"`;
}
