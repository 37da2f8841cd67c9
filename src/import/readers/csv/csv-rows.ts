// Feeds csv-parse and converts its rows to records, each with the line in which it begins.
import { type CsvError, type Info, parse, type Parser } from 'csv-parse';
import { GazetteError, quote } from '../../../errors.ts';
import { counted } from '../../../register/counted.ts';
import { MAX_VALUE_LENGTH, type RawRecord, type RawValue } from '../raw-record.ts';
import { MAX_COLUMNS, RowHeader, type TableReaderOptions } from '../row-header.ts';
import type { OnNote } from '../reader-note.ts';
import { LineCounter } from './line-counter.ts';

/** The maximum number of delimiters in a record, including those in its texts: sixty times the columns. */
const MAX_DELIMITERS = 1_000_000;

/** The rows of a table, from its header on. */
export class CsvRows {
  readonly #name: string;
  readonly #parser: Parser;
  readonly #lines: LineCounter;
  readonly #options: TableReaderOptions;
  readonly #onNote: OnNote;
  #header: RowHeader | null = null;
  /** The number of fields in the header, with those at its end that have no name. */
  #width = 0;
  #records: RawRecord[] = [];
  #emptyLines = 0;
  readonly #delimiter: string;
  /** The number of delimiters since the last complete record, including those inside quotes. */
  #delimiters = 0;
  #hasTaken = false;

  /** @param line the line of the header, from 1 */
  constructor(name: string, delimiter: string, line: number, options: TableReaderOptions, onNote: OnNote) {
    this.#name = name;
    this.#onNote = onNote;
    this.#lines = new LineCounter(line);
    this.#delimiter = delimiter;
    this.#options = options;
    this.#parser = parse({
      columns: false,
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      max_record_size: MAX_VALUE_LENGTH,
      // The lengths are checked here, where the names and the line are known.
      relax_column_count: true,
      on_record: (fields: readonly string[], info) => {
        this.#take(fields, info);
        return null;
      },
    });
    // Errors also arrive through the callbacks of write and end.
    this.#parser.on('error', () => undefined);
    this.#parser.resume();
  }

  /** The records that the text completes. @throws GazetteError `invalid_input`. */
  async push(text: string): Promise<RawRecord[]> {
    const bytes = Buffer.from(text);
    this.#lines.push(bytes);
    this.#hasTaken = false;
    await this.#call((done) => this.#parser.write(bytes, done));
    this.#checkFields(text);
    return this.#taken();
  }

  /** The records that the end of the text completes. @throws GazetteError `invalid_input`. */
  async end(): Promise<RawRecord[]> {
    await this.#call((done) => this.#parser.end(done));
    if (this.#header === null) throw this.#refuse('is empty; expected a line with the names of the columns');
    return this.#taken();
  }

  close(): void {
    this.#parser.destroy();
  }

  /** The parser returns a record only when all its fields are read: without a count they could fill the memory. */
  #checkFields(text: string): void {
    const delimiter = this.#delimiter;
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

  #take(fields: readonly string[], info: Info): void {
    const at = this.#lines.line + info.empty_lines - this.#emptyLines;
    this.#emptyLines = info.empty_lines;
    this.#hasTaken = true;
    this.#lines.advance(info.bytes);
    if (this.#header === null) {
      const names = withoutEmptyEnd(fields);
      this.#header = new RowHeader(names, this.#options, (reason) =>
        this.#refuse(`line ${at}: ${reason}`, { line: at }),
      );
      if (this.#header.note !== null) this.#onNote(this.#header.note);
      this.#width = fields.length;
      return;
    }
    // Spreadsheets write such rows by the thousand below a table, as far as somebody once formatted cells.
    if (fields.length > 1 && fields.every((field) => field === '')) return;
    const reason = this.#misfit(fields);
    if (reason !== null) {
      const fault = this.#refuse(`line ${at}${reason}`, { line: at });
      if (this.#options.keepsFaults !== true) throw fault;
      this.#records.push({ value: fields, at, fault });
      return;
    }
    this.#records.push({ value: this.#header.toRecord(fields.map(emptyToNull)), at });
  }

  /** Why a row is refused, as it follows its place. Many programs end every row with a delimiter: then the last columns have no name, and no value. */
  #misfit(fields: readonly string[]): string | null {
    const { names } = this.#header!;
    if (fields.length < names.length || fields.length > this.#width) {
      return ` has ${counted(fields.length, 'field')}, the header ${this.#width}`;
    }
    const extra = fields.findIndex((field, index) => index >= names.length && field !== '');
    if (extra >= 0) return ` has a value in column ${extra + 1}, which has no name; the header has ${names.length}`;
    return this.#header!.cutCell(fields);
  }

  async #call(start: (done: (error?: Error | null) => void) => unknown): Promise<void> {
    try {
      await new Promise<void>((resolve, reject) => {
        start((error) => {
          if (error === null || error === undefined) resolve();
          else reject(error);
        });
      });
    } catch (error) {
      throw error instanceof GazetteError ? error : this.#fault(error as CsvError);
    }
  }

  /**
   * csv-parse's error as ours. Its line count goes wrong at a CRLF inside quotes; the error has the record's own line.
   */
  #fault(error: CsvError): GazetteError {
    const index = typeof error.column === 'number' ? error.column : null;
    const line = this.#lines.line + (Number(error.empty_lines) || 0) - this.#emptyLines;
    const name = index === null ? undefined : this.#header?.names[index];
    const column = index === null ? '' : `, column ${name === undefined ? index + 1 : quote(name)}`;
    const reason = FAULTS[error.code] ?? error.message;
    return this.#refuse(`the record that begins in line ${line}${column}: ${reason}`, { line }, error);
  }

  #refuse(reason: string, details: { readonly line?: number } = {}, cause?: unknown): GazetteError {
    return new GazetteError('invalid_input', `${this.#name}: ${reason}`, {
      ...(cause === undefined ? {} : { cause }),
      details: { input: this.#name, ...details },
    });
  }
}

const FAULTS: Readonly<Partial<Record<string, string>>> = {
  // RFC 4180 2.7: a quote inside a quoted field is doubled.
  CSV_INVALID_CLOSING_QUOTE:
    'after the quote that ends a field expected the delimiter or the end of the line; a quote inside is doubled',
  // RFC 4180 2.5: unquoted fields contain no quotes.
  INVALID_OPENING_QUOTE: 'a quote in a field that does not begin with one',
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
