// CSV (RFC 4180): UTF-8, CRLF, a header row of field names. Null is an empty field, the empty string is `""`. Cells
// that a spreadsheet would run as formulas get a reversible guard. NUL becomes U+FFFD, because databases and spreadsheets
// refuse it or cut the text there.
import type { Page } from '../register/page.ts';
import { columnsOf } from '../register/finding/chosen-fields.ts';
import { CORE_FIELDS } from '../register/fields.ts';
import { canonicalJson, type JsonValue } from '../register/canonical-json.ts';
import {
  type CoreValue,
  coreValues,
  type Field,
  type FieldType,
  type RegisterDefinition,
  type RegisterRecord,
} from '../register/record.ts';
import type { ByteRows } from '../register/sources/byte-rows.ts';
import { CsvRows } from './rows/csv-rows.ts';
import { type Cell, cellOf, NUL, withoutNul } from './cell.ts';
import { csvDialect, type CsvDialect, type CsvOptions, DEFAULT_DIALECT } from './csv-dialect.ts';
import { checkCoreFields } from './check-value.ts';
import { guardCell, guardFormula } from './formula-guard.ts';
import type { DocumentHead, Format, Output, Sink } from './format.ts';
import { numberText } from './number-text.ts';
import type { Report } from './report.ts';
import { VERSION } from '../version.ts';

/**
 * The CSV writer (RFC 4180).
 *
 * @throws GazetteError `invalid_option` from `open()`; `invalid_record` from `write()`, naming the record and the field.
 * @example for await (const chunk of encode(pages(source), csv, head, { delimiter: ';' })) process.stdout.write(chunk);
 */
export const csv: Format<CsvOptions> = {
  name: 'csv',
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  encoderVersion: VERSION,
  optionNames: Object.keys(DEFAULT_DIALECT),
  takesFields: true,
  takesRows: true,
  open: (out, head, options) => new CsvSink(out, head, options),
};

/** Characters with a special meaning inside a character class. */
const CLASS_SIGNS = /[\\\]^]/;

/** From this length on (UTF-16 units), four searches for one character each are faster than one for a class of four. */
const LONG_TEXT = 30;

/** A column. All have one shape, because the loop over them is the fastest so. */
class Column {
  readonly field: Field;
  /** Where the values of a record have that of a core field; -1 for an own field. */
  readonly at: number;
  readonly isNullable: boolean;
  readonly isCount: boolean;
  readonly isRepeated: boolean;
  /** The last text of a repeated column, and its cell. */
  lastText: string | null = null;
  lastCell = '';

  constructor(field: Field) {
    this.field = field;
    this.at = CORE_FIELDS.findIndex(({ name }) => name === field.name);
    const core = CORE_FIELDS[this.at];
    this.isNullable = core?.nullable ?? true;
    this.isCount = core?.type === 'integer';
    this.isRepeated = core?.isRepeated === true;
  }
}

class CsvSink implements Sink {
  readonly #out: Output;
  readonly #columns: readonly Column[];
  /** Whether some columns were asked for: the others are then not checked by their cells. */
  readonly #isChosen: boolean;
  readonly #report: Report | undefined;
  readonly #delimiter: string;
  readonly #recordEnd: string;
  readonly #quoted: boolean;
  readonly #guarded: boolean;
  readonly #special: RegExp;
  /** Whether a core field of the current record has the wrong type. */
  #isMisfit = false;
  /** Whether the current record has a text with NUL. */
  #hasNul = false;
  readonly #definition: RegisterDefinition;
  readonly #dialect: CsvDialect;
  /** Made when rows come: pages need none. */
  #rows: CsvRows | undefined;

  constructor(out: Output, head: DocumentHead, options: CsvOptions | undefined) {
    const dialect = csvDialect(options);
    const { delimiter, bom, record_delimiter, quoted, formulas } = dialect;
    this.#dialect = dialect;
    this.#out = out;
    this.#report = options?.report;
    this.#delimiter = delimiter;
    this.#recordEnd = record_delimiter;
    this.#quoted = quoted;
    this.#guarded = formulas === 'guard';
    this.#special = new RegExp(`["\\0\\r\\n${delimiter.replace(CLASS_SIGNS, '\\$&')}]`);
    this.#isChosen = head.fields !== undefined;
    this.#columns = columnsOf(head.definition, head.fields).map((field) => new Column(field));
    const names = this.#columns.map(({ field }) => this.#text(field.name));
    out.text(`${bom ? '\ufeff' : ''}${names.join(delimiter)}${record_delimiter}`);
    this.#hasNul = false;
    this.#definition = head.definition;
  }

  write(page: Page): void {
    for (const record of page.records) {
      const row = this.#row(record);
      // Only a wrong record is checked again field by field, to name the field.
      if (this.#isMisfit || this.#isChosen) checkCoreFields(record);
      this.#out.text(row);
      // UTF-8 writes a lone surrogate as U+FFFD.
      if (this.#hasNul || (this.#report !== undefined && !row.isWellFormed())) {
        this.#report?.add('replaced_characters', record.id);
        this.#hasNul = false;
      }
    }
  }

  writeRows(rows: ByteRows, from: number): number {
    // The delimiter may be more than a byte.
    if (this.#delimiter >= '\x80') return from;
    this.#rows ??= new CsvRows(this.#definition, this.#dialect, {
      text: (text) => this.#text(text),
      own: (field, value) => this.#own(field, value),
    });
    return this.#rows.write(this.#out, rows, from);
  }

  close(): void {
    // Every record ends with its own line end.
  }

  #row(record: RegisterRecord): string {
    if (record.id === '') this.#isMisfit = true;
    const values = coreValues(record);
    const delimiter = this.#delimiter;
    let row = '';
    let isFirst = true;
    for (const column of this.#columns) {
      const cell = column.at < 0 ? this.#value(record, column.field) : this.#core(values[column.at]!, column);
      row = isFirst ? cell : row + delimiter + cell;
      isFirst = false;
    }
    return row + this.#recordEnd;
  }

  /** The cell of a core field. Sources may return anything, so a value that does not fit is noted. */
  #core(value: CoreValue, column: Column): string {
    if (value === null) {
      if (!column.isNullable) this.#isMisfit = true;
      return '';
    }
    if (column.isCount) return this.#count(value as number);
    if (!column.isRepeated) return this.#text(value as string);
    if (value === column.lastText) return column.lastCell;
    const cell = this.#text(value as string);
    // Each record with NUL is reported, and each with a value that is not a text is refused.
    if (!this.#hasNul && !this.#isMisfit) {
      column.lastText = value as string;
      column.lastCell = cell;
    }
    return cell;
  }

  #value(record: RegisterRecord, field: Field): string {
    const { type } = field;
    const value = record.data[field.name];
    if (typeof value === 'string' && type !== 'json' && type !== 'integer' && type !== 'decimal')
      return this.#text(value);
    if (value === null) return '';
    return this.#cell(type, cellOf(record, field));
  }

  /** The cell of an own value that is JSON. */
  #own(field: Field, value: JsonValue): string {
    if (value === null) return '';
    return this.#cell(field.type, field.type === 'json' || typeof value === 'object' ? canonicalJson(value) : value);
  }

  #cell(type: FieldType, cell: Cell): string {
    if (typeof cell !== 'string') return this.#plain(cell);
    return this.#quote(this.#guarded ? guardCell(type, cell) : cell);
  }

  /** The cell of a text. A value that is not a text is noted. */
  #text(text: string): string {
    if (typeof text === 'string') return this.#quote(this.#guarded ? guardFormula(text) : text);
    this.#isMisfit = true;
    return '';
  }

  #count(value: number): string {
    if (!Number.isSafeInteger(value) || value < 1) this.#isMisfit = true;
    return this.#plain(value);
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
