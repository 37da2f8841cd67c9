// CSV (RFC 4180) with a header line, strictly read through csv-parse: ragged or badly quoted rows are refused with
// their line, never repaired.
import type { ByteSource } from './byte-source.ts';
import { CsvRows } from './csv/csv-rows.ts';
import { checkTableStart, type CsvReaderOptions, type StartedTable, TableStart } from './csv/table-start.ts';
import type { RawBatch, RawRecord, RecordReader } from './raw-record.ts';
import type { OnNote, ReaderNote } from './reader-note.ts';
import { withoutTotal } from './table/total-row.ts';
import { checkTextOptions, readText } from './text/read-text.ts';

/**
 * Reads the records of a CSV file, one property for each name in its header; `at` is the line where a record begins,
 * from 1. All values are text, to be converted to their fields' types; an empty field, quoted or not, is null. Lines
 * end in CRLF, LF or CR; empty ones are skipped, and rows of several fields that are all empty.
 *
 * The delimiter (comma, semicolon, tab or vertical bar) and rows above the header are found from the first 50 lines; a
 * first line `sep=;` says the delimiter. A second column `Name` is read as `Name (2)`. Notes say what was found.
 *
 * @throws GazetteError `invalid_option` for an invalid delimiter, header row or encoding; from `batches()`
 *   `invalid_input`, with the line and the column, for a row with more or fewer fields than names, a text that was cut in a workbook, a misplaced quote, an
 *   unterminated quoted field, a record over MAX_VALUE_LENGTH bytes or with too many fields, a header with few names, a
 *   file without a header.
 */
export function csvReader(source: ByteSource, options: CsvReaderOptions = {}): RecordReader {
  checkTableStart(options);
  checkTextOptions(options);
  const notes: ReaderNote[] = [];
  const onNote: OnNote = (note) => notes.push(note);
  let table: CsvTable | null = null;
  return {
    name: source.name,
    textValues: true,
    columns: () => table?.columns ?? [],
    where: (at) => `line ${at}`,
    notes: () => notes,
    batches: (signal) =>
      withoutTotal(readTable(signal), {
        keepsFaults: options.keepsFaults,
        place: (at) => `${source.name}: line ${at}`,
      }),
  };
  async function* readTable(signal?: AbortSignal): AsyncGenerator<RawBatch, void, undefined> {
    table = new CsvTable(source.name, options, onNote);
    let bytes = 0;
    try {
      for await (const piece of readText(source, 'csv', options, onNote, signal)) {
        const records = await table.push(piece.text);
        bytes = piece.end;
        if (records.length > 0) yield { records, bytes };
      }
      const records = await table.end();
      if (records.length > 0) yield { records, bytes };
    } finally {
      table.close();
    }
  }
}

/** The records of a text: first its dialect is found, then its rows are read. */
class CsvTable {
  readonly #name: string;
  readonly #options: CsvReaderOptions;
  readonly #start: TableStart;
  readonly #onNote: OnNote;
  #rows: CsvRows | null = null;

  constructor(name: string, options: CsvReaderOptions, onNote: OnNote) {
    this.#name = name;
    this.#options = options;
    this.#onNote = onNote;
    this.#start = new TableStart(name, options, onNote);
  }

  get columns(): readonly string[] {
    return this.#rows?.columns ?? [];
  }

  async push(text: string): Promise<readonly RawRecord[]> {
    if (this.#rows !== null) return this.#rows.push(text);
    const started = this.#start.push(text);
    return started === null ? [] : this.#open(started);
  }

  async end(): Promise<readonly RawRecord[]> {
    if (this.#rows !== null) return this.#rows.end();
    const records = await this.#open(this.#start.end());
    return [...records, ...(await this.#rows!.end())];
  }

  close(): void {
    this.#rows?.close();
  }

  /** Reads what has come so far. */
  async #open({ line, text, ...form }: StartedTable): Promise<readonly RawRecord[]> {
    const rows = new CsvRows(this.#name, form, line, this.#options, this.#onNote);
    this.#rows = rows;
    const records: RawRecord[] = [];
    for (let at = 0; at < text.length; at += PIECE_LENGTH) {
      records.push(...(await rows.push(text.slice(at, at + PIECE_LENGTH))));
    }
    return records;
  }
}

/** How much of the first text is read at once, in UTF-16 units: as much as in every later piece. */
const PIECE_LENGTH = 65_536;
