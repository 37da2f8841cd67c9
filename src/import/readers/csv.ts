// CSV (RFC 4180) with a header line, strictly read through csv-parse: ragged or badly quoted rows are refused with
// their line, never repaired. The formula guard of gazette's own files is not removed, because a file does not say who
// wrote it.
import { type CsvError, type Info, parse, type Parser } from 'csv-parse';
import { GazetteError, quote } from '../../errors.ts';
import { counted } from '../../register/counted.ts';
import { type ByteSource, readText } from './byte-source.ts';
import { type FaultOptions, MAX_VALUE_LENGTH, type RawRecord, type RawValue, type RecordReader } from './raw-record.ts';
import { MAX_COLUMNS, RowHeader } from './row-header.ts';

/** The maximum number of delimiters in a record, including those in its texts: sixty times the columns. */
const MAX_DELIMITERS = 1_000_000;

/** Options for splitting lines. */
export interface CsvReaderOptions extends FaultOptions {
  /** The delimiter between fields: one character, neither a quote nor a line break. Default: a comma. */
  readonly delimiter?: string;
}

/**
 * Reads the records of a CSV file, one property for each name in its first line; `at` is the line where a record
 * begins, from 1. All values are text, to be converted to their fields' types; an empty field, quoted or not, is null.
 * Lines end in CRLF, LF or CR; empty ones are skipped.
 *
 * @throws GazetteError `invalid_option` for an invalid delimiter; from `batches()` `invalid_input`, with the line and
 *   the column, for a row with more or fewer fields than names, a misplaced quote, an unterminated quoted field, a
 *   record over {@link MAX_VALUE_LENGTH} bytes or with too many fields, a name that is missing or occurs twice, a file
 *   without a header.
 */
export function csvReader(source: ByteSource, options: CsvReaderOptions = {}): RecordReader {
  const delimiter = options.delimiter ?? ',';
  if (!/^[^"\r\n\ufeff]$/u.test(delimiter)) {
    throw new GazetteError('invalid_option', `delimiter must be one character, got ${quote(delimiter)}`, {
      details: { option: 'delimiter' },
    });
  }
  return {
    name: source.name,
    textValues: true,
    where: (at) => `line ${at}`,
    async *batches(signal) {
      const rows = new Rows(source.name, delimiter, options.keepsFaults ?? false);
      let bytes = 0;
      try {
        for await (const piece of readText(source, signal)) {
          const records = await rows.push(piece.text);
          bytes = piece.end;
          if (records.length > 0) yield { records, bytes };
        }
        const records = await rows.end();
        if (records.length > 0) yield { records, bytes };
      } finally {
        rows.close();
      }
    },
  };
}

/** Feeds csv-parse and converts its rows to records. */
class Rows {
  readonly #name: string;
  readonly #parser: Parser;
  readonly #lines = new LineCounter();
  readonly #keepsFaults: boolean;
  #header: RowHeader | null = null;
  #records: RawRecord[] = [];
  #emptyLines = 0;
  readonly #delimiter: string;
  /** The number of delimiters since the last complete record, including those inside quotes. */
  #delimiters = 0;
  #hasTaken = false;

  constructor(name: string, delimiter: string, keepsFaults: boolean) {
    this.#name = name;
    this.#delimiter = delimiter;
    this.#keepsFaults = keepsFaults;
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

  async push(text: string): Promise<RawRecord[]> {
    const bytes = Buffer.from(text);
    this.#lines.push(bytes);
    this.#hasTaken = false;
    await this.#call((done) => this.#parser.write(bytes, done));
    this.#checkFields(text);
    return this.#taken();
  }

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
      this.#header = new RowHeader(fields, (reason) => this.#refuse(`line ${at}: ${reason}`, { line: at }));
      return;
    }
    const { names } = this.#header;
    if (fields.length !== names.length) {
      const fault = this.#refuse(`line ${at} has ${counted(fields.length, 'field')}, the header ${names.length}`, {
        line: at,
      });
      if (!this.#keepsFaults) throw fault;
      this.#records.push({ value: fields, at, fault });
      return;
    }
    this.#records.push({ value: this.#header.toRecord(fields.map(emptyToNull)), at });
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

const LF = 10;
const CR = 13;

/** Counts the lines of what csv-parse has read. It holds back a few bytes, and a record may span many pieces. */
class LineCounter {
  /** The line that begins, or continues, after the counted bytes; from 1. */
  line = 1;
  readonly #pieces: Buffer[] = [];
  /** The bytes counted so far, and those of them in released pieces. */
  #counted = 0;
  #dropped = 0;
  #lastWasCr = false;

  push(bytes: Buffer): void {
    this.#pieces.push(bytes);
  }

  /** Counts up to this many bytes from the start. */
  advance(end: number): void {
    for (let piece = this.#pieces[0]; piece !== undefined; piece = this.#pieces[0]) {
      const stop = Math.min(end - this.#dropped, piece.length);
      this.#count(piece.subarray(this.#counted - this.#dropped, stop));
      this.#counted = this.#dropped + stop;
      if (stop < piece.length) return;
      this.#dropped += piece.length;
      this.#pieces.shift();
    }
  }

  #count(bytes: Buffer): void {
    for (const byte of bytes) {
      if (byte === CR || (byte === LF && !this.#lastWasCr)) this.line++;
      this.#lastWasCr = byte === CR;
    }
  }
}
