// Feeds csv-parse and converts its rows to records, each with the line in which it begins.
import { CsvError, type Info, parse, type Parser } from 'csv-parse';
import { GazetteError, quote } from '../../../errors.ts';
import { counted } from '../../../register/counted.ts';
import { MAX_VALUE_LENGTH, type RawRecord, type RawValue } from '../raw-record.ts';
import { isAmount } from '../table/header-rows.ts';
import { MAX_COLUMNS, RowHeader, type TableReaderOptions } from '../table/row-header.ts';
import type { OnNote } from '../reader-note.ts';
import { BROKEN, BROKEN_REASON } from '../text/text-piece.ts';
import { LineCounter } from './line-counter.ts';
import type { RowForm } from './dialect.ts';
import { strayQuote } from './split-rows.ts';

/** The maximum number of delimiters in a record, including those in its texts: sixty times the columns. */
const MAX_DELIMITERS = 1_000_000;

/** The rows of a table, from its header on. */
export class CsvRows {
  readonly #name: string;
  #parser: Parser;
  #lines: LineCounter;
  readonly #options: TableReaderOptions;
  readonly #onNote: OnNote;
  #header: RowHeader | null = null;
  /** The number of fields in the header, with those at its end that have no name. */
  #width = 0;
  /** The least number of fields in a row: where nearly all leave the last ones out, those are empty. */
  #leastWidth = 0;
  /** The rows of the header so far. */
  #headerRows = 0;
  #records: RawRecord[] = [];
  #emptyLines = 0;
  readonly #form: RowForm;
  /** The number of delimiters since the last complete record, including those inside quotes. */
  #delimiters = 0;
  #hasTaken = false;
  /** Whether any text so far had bytes that are no text. */
  #hasBroken = false;

  /** @param line the line of the header, from 1 */
  constructor(name: string, form: RowForm, line: number, options: TableReaderOptions, onNote: OnNote) {
    this.#name = name;
    this.#onNote = onNote;
    this.#lines = new LineCounter(line);
    this.#form = form;
    this.#options = options;
    this.#parser = this.#newParser();
  }

  #newParser(): Parser {
    const parser = parse({
      columns: false,
      delimiter: this.#form.delimiter,
      ltrim: this.#form.isSpaced,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      max_record_size: MAX_VALUE_LENGTH,
      // A quote inside a field that does not begin with one is a character, as spreadsheets read it. RFC 4180 2.5 leaves
      // nothing to read there.
      relax_quotes: true,
      // The lengths are checked here, where the names and the line are known.
      relax_column_count: true,
      on_record: (fields: readonly string[], info) => {
        this.#take(fields, info);
        return null;
      },
    });
    // Errors also arrive through the callbacks of write and end.
    parser.on('error', () => undefined);
    return parser.resume();
  }

  /** The names of the columns; none before the header was read. */
  get columns(): readonly string[] {
    return this.#header?.names ?? [];
  }

  /** The records that the text completes. @throws GazetteError `invalid_input`. */
  async push(text: string): Promise<RawRecord[]> {
    this.#hasTaken = false;
    this.#hasBroken ||= !text.isWellFormed();
    await this.#feed(Buffer.from(this.#hasBroken ? text.replaceAll(BROKEN, MARK) : text));
    this.#checkFields(text);
    return this.#taken();
  }

  /** The records that the end of the text completes. @throws GazetteError `invalid_input`. */
  async end(): Promise<RawRecord[]> {
    for (let fault = await this.#call('end'); fault !== null; fault = await this.#call('end')) {
      await this.#feed(this.#skipLine(fault));
    }
    if (this.#header === null) throw this.#refuse('is empty; expected a line with the names of the columns');
    return this.#taken();
  }

  async #feed(bytes: Buffer): Promise<void> {
    this.#lines.push(bytes);
    const fault = await this.#call('write', bytes);
    if (fault !== null) await this.#feed(this.#skipLine(fault));
  }

  /**
   * Makes the line in which a record begins that has no end a record with a fault, and begins anew after it.
   *
   * @returns the rest of what has come so far
   * @throws the fault, where none are kept, or that line has no end either
   */
  #skipLine({ line, error, isLast }: Fault): Buffer {
    const rest = this.#lines.rest();
    const start = rest.findIndex((byte) => byte !== LF && byte !== CR);
    const breakAt = rest.findIndex((byte, index) => index > start && (byte === LF || byte === CR));
    if (this.#options.keepsFaults !== true || this.#header === null || (breakAt < 0 && !isLast)) throw error;
    const end = breakAt < 0 ? rest.length : breakAt + (rest[breakAt] === CR && rest[breakAt + 1] === LF ? 2 : 1);
    const text = rest.toString('utf8', start, breakAt < 0 ? end : breakAt);
    this.#records.push({ value: text, at: line, fault: error });
    this.#parser.destroy();
    this.#parser = this.#newParser();
    this.#lines = new LineCounter(line + 1);
    this.#emptyLines = 0;
    return rest.subarray(end);
  }

  close(): void {
    this.#parser.destroy();
  }

  /** The parser returns a record only when all its fields are read: without a count they could fill the memory. */
  #checkFields(text: string): void {
    const { delimiter } = this.#form;
    if (this.#hasTaken) this.#delimiters = 0;
    else for (let at = text.indexOf(delimiter); at >= 0; at = text.indexOf(delimiter, at + 1)) this.#delimiters++;
    if (this.#delimiters <= MAX_DELIMITERS) return;
    const { line } = this.#lines;
    const reason = `the record that begins in line ${line} has more than ${MAX_DELIMITERS} delimiters; a table has at most ${MAX_COLUMNS} columns`;
    throw this.#refuse(reason, { line });
  }

  #taken(): RawRecord[] {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  #take(read: readonly string[], info: Info): void {
    const at = this.#lines.line + info.empty_lines - this.#emptyLines;
    this.#emptyLines = info.empty_lines;
    this.#hasTaken = true;
    const row = read.some((field) => field.startsWith('"')) ? this.#lines.rest(info.bytes).toString() : null;
    this.#lines.advance(info.bytes);
    const broken = this.#hasBroken ? read.findIndex((field) => field.includes(MARK)) : -1;
    const fields = broken < 0 ? read : read.map((field) => field.replaceAll(MARK, '\ufffd'));
    if (this.#header === null) {
      const { headerRows, names } = this.#form;
      if (++this.#headerRows < headerRows) return;
      this.#openHeader(headerRows === 0 ? fields.map(() => '') : (names ?? fields), at);
      if (headerRows > 0) return;
    }
    // Spreadsheets write such rows by the thousand below a table, as far as somebody once formatted cells.
    if (fields.length > 1 && fields.every((field) => field === '')) return;
    // DOS ended its texts with this sign.
    if (fields.length === 1 && fields[0] === '\u001a') return;
    const stray = row === null ? null : strayQuote(row, this.#form);
    const reason =
      stray !== null
        ? `the record that begins in line ${at}${this.#columnText(stray)}: ${STRAY_QUOTE}`
        : this.#reasonFor(fields, broken, `line ${at}`);
    if (reason !== null) {
      const fault = this.#refuse(reason, { line: at });
      if (this.#options.keepsFaults !== true) throw fault;
      this.#records.push({ value: fields, at, fault });
      return;
    }
    this.#records.push({ value: this.#header!.toRecord(fields.map(emptyToNull)), at });
  }

  #openHeader(row: readonly string[], at: number): void {
    const { width, headerRows } = this.#form;
    // Programs write the numbers of rows in a first column without a name, and some leave the numbers out alone.
    // A year or an amount is no name of the first column: it is that of a column of amounts.
    const isOneMore = row[0] === '' && width === row.length - 1 && !isAmount(row[1] ?? '');
    const cells = isOneMore ? row.slice(1) : row;
    if (isOneMore) {
      const message = `line ${at} has one name more than the rows have fields, and the first name is empty: it is left out, and the first column is ${quote(cells[0])}`;
      this.#onNote({ code: 'column_names', message });
    }
    const more = Array.from({ length: Math.max(0, (width ?? 0) - cells.length) }, () => '');
    const named = withoutEmptyEnd(cells).length;
    // Many programs end every row with a delimiter: then the last columns have neither a name nor a value.
    const noted = headerRows === 0 ? 0 : more.length > 0 ? cells.length + more.length : named;
    const refuse = (reason: string): GazetteError => this.#refuse(`line ${at}: ${reason}`, { line: at });
    this.#header = new RowHeader([...cells, ...more], this.#options, refuse, noted);
    if (this.#header.note !== null) this.#onNote(this.#header.note);
    this.#width = cells.length + more.length;
    this.#leastWidth = Math.min(headerRows === 0 ? cells.length : named, width ?? Infinity);
  }

  /** @param broken the field with bytes that are no text; -1 if there is none */
  #reasonFor(fields: readonly string[], broken: number, place: string): string | null {
    if (broken >= 0) return `${place}${this.#columnText(broken)} ${BROKEN_REASON}`;
    const misfit = this.#misfit(fields);
    return misfit === null ? null : place + misfit;
  }

  /** Why a row is refused, as it follows its place. */
  #misfit(fields: readonly string[]): string | null {
    if (fields.length < this.#leastWidth || fields.length > this.#width) {
      return ` has ${counted(fields.length, 'field')}, the header ${this.#width}`;
    }
    return this.#header!.cutCell(fields);
  }

  /** Gives bytes to the parser, or the end of the file. @returns the fault of a record that it cannot read */
  async #call(what: 'write' | 'end', bytes: Buffer = NOTHING): Promise<Fault | null> {
    const error = await new Promise<Error | null | undefined>((resolve) => {
      if (what === 'end') this.#parser.end(resolve);
      else this.#parser.write(bytes, resolve);
    });
    if (error === null || error === undefined) return null;
    if (!(error instanceof CsvError)) throw error;
    return this.#fault(error);
  }

  /**
   * csv-parse's error as ours. Its line count goes wrong at a CRLF inside quotes; the error has the record's own line.
   */
  #fault(error: CsvError): Fault {
    const line = this.#lines.line + (Number(error.empty_lines) || 0) - this.#emptyLines;
    const column = typeof error.column === 'number' ? this.#columnText(error.column) : '';
    const reason = FAULTS[error.code] ?? error.message;
    const isLast = error.code === 'CSV_QUOTE_NOT_CLOSED';
    const refusal = this.#refuse(`the record that begins in line ${line}${column}: ${reason}`, { line }, error);
    return { line, error: refusal, isLast };
  }

  #columnText(index: number): string {
    const name = this.#header?.names[index];
    return `, column ${name === undefined ? index + 1 : quote(name)}`;
  }

  #refuse(reason: string, details: { readonly line?: number } = {}, cause?: unknown): GazetteError {
    return new GazetteError('invalid_input', `${this.#name}: ${reason}`, {
      ...(cause === undefined ? {} : { cause }),
      details: { input: this.#name, ...details },
    });
  }
}

/** A record that cannot be read, and the line in which it begins. */
interface Fault {
  readonly line: number;
  /** Whether the file ends in it. */
  readonly isLast: boolean;
  readonly error: GazetteError;
}

/** What bytes that are no text are for csv-parse, which reads UTF-8: a character that Unicode leaves to programs. */
const MARK = '\u{10ffff}';

const NOTHING = Buffer.alloc(0);
const LF = 10;
const CR = 13;

/** RFC 4180 2.7: a quote inside a quoted field is doubled. */
const STRAY_QUOTE =
  'after the quote that ends a field expected the delimiter or the end of the line; a quote inside is doubled';

const FAULTS: Readonly<Partial<Record<string, string>>> = {
  CSV_QUOTE_NOT_CLOSED: 'the quoted field has no end',
  CSV_MAX_RECORD_SIZE: `longer than ${MAX_VALUE_LENGTH} bytes, the most that is read`,
};

function emptyToNull(text: string): RawValue {
  return text === '' ? null : text;
}

/** Names without the empty ones at the end, unless all are empty. */
function withoutEmptyEnd(fields: readonly string[]): readonly string[] {
  const last = fields.findLastIndex((field) => field.trim() !== '');
  return last < 0 ? fields : fields.slice(0, last + 1);
}
