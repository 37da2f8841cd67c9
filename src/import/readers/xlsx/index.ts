// XLSX workbooks (ECMA-376) as records: one sheet whose first row names the columns, read in one pass in constant
// memory. It does not use exceljs, which decodes entities twice (`&lt;` in a text is lost), keeps only one run of a
// rich inline text, and unpacks archives of any size.
import { GazetteError } from '../../../errors.ts';
import type { ByteSource } from '../byte-source.ts';
import type { RawRecord, RawValue, RecordReader } from '../raw-record.ts';
import { RowHeader } from '../row-header.ts';
import { Archive } from './archive.ts';
import { type Row, SheetHandler } from './sheet.ts';
import { spool } from './spool.ts';
import { chooseSheets, readWorkbook } from './workbook.ts';
import { readPart } from './xml-part.ts';

/** Which part of a workbook {@link xlsxReader} reads. */
export interface XlsxReaderOptions {
  /** The sheet's name; without it the first visible one. Sheets named `NAME 2`, `NAME 3` … continue it. */
  readonly sheet?: string;
}

/**
 * Reads the records of a workbook, one property for each name in the sheet's first row; `at` is the row, from 1,
 * counted through continuing sheets. Numbers and booleans keep their type, dates become RFC 3339 text (a date-time has
 * no zone in a spreadsheet and is treated as UTC), an empty cell is null. The file is copied to the system's temporary
 * folder.
 *
 * @throws GazetteError from `batches()`: `invalid_input` for a file that is not a workbook, is damaged or encrypted, or
 *   would unpack beyond the limits of xlsx/archive.ts; for a missing sheet; with its row for a header without a name or
 *   with one twice, and for a value in a column without a name.
 */
export function xlsxReader(source: ByteSource, options: XlsxReaderOptions = {}): RecordReader {
  return {
    name: source.name,
    textValues: true,
    where: (at) => `row ${at}`,
    async *batches(signal) {
      const file = await spool(source, signal);
      try {
        const archive = await Archive.open(file);
        const workbook = await readWorkbook(archive, source.name, signal);
        const refuse = (reason: string): GazetteError =>
          new GazetteError('invalid_input', `${source.name}: ${reason}`, { details: { input: source.name } });
        let before = 0;
        let hasHeader = false;
        for (const { part } of chooseSheets(workbook, source.name, options.sheet)) {
          const handler = new SheetHandler(workbook, refuse);
          const table = new Table(before, refuse);
          for await (const rows of readPart(archive, source.name, part, handler, signal)) {
            const records = (rows ?? []).flatMap((row) => table.read(row));
            if (records.length > 0) yield { records, bytes: file.size };
          }
          hasHeader ||= table.last > before;
          before = table.last;
        }
        if (!hasHeader) throw refuse('the sheet is empty; expected a row with the names of the columns');
      } finally {
        await file.close();
      }
    },
  };
}

/** Converts a sheet's rows to records. */
class Table {
  /** The last row read, counted through all sheets. */
  last: number;
  readonly #before: number;
  readonly #refuse: (reason: string) => GazetteError;
  #header: RowHeader | null = null;

  constructor(before: number, refuse: (reason: string) => GazetteError) {
    this.last = before;
    this.#before = before;
    this.#refuse = refuse;
  }

  read({ number, values }: Row): RawRecord[] {
    const at = this.#before + number;
    this.last = at;
    if (this.#header === null) {
      this.#header = new RowHeader(values.map(toName), (reason) => this.#refuse(`row ${at}: ${reason}`));
      return [];
    }
    const { names } = this.#header;
    if (values.length > names.length) {
      throw this.#refuse(
        `row ${at} has a value in column ${values.length}, which has no name; the header has ${names.length}`,
      );
    }
    const all = [...values, ...new Array<RawValue>(names.length - values.length).fill(null)];
    return [{ value: this.#header.toRecord(all), at }];
  }
}

function toName(value: RawValue): string {
  return value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
}
