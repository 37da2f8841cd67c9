// XLSX workbooks (ECMA-376) as records: one sheet whose first row names the columns, read in one pass in constant
// memory. It does not use exceljs, which decodes entities twice (`&lt;` in a text is lost), keeps only one run of a
// rich inline text, leaves `_x000D_` as it is, and unpacks archives of any size.
import { GazetteError } from '../../../errors.ts';
import type { ByteSource } from '../byte-source.ts';
import { counted } from '../../../register/counted.ts';
import type { RawBatch, RecordReader } from '../raw-record.ts';
import type { TableReaderOptions } from '../table/row-header.ts';
import type { ReaderNote } from '../reader-note.ts';
import { checkHeader } from '../table/title-rows.ts';
import { withoutTotal } from '../table/total-row.ts';
import { Archive } from './archive.ts';
import { readLinks } from './links.ts';
import { type CellErrors, SheetHandler } from './sheet.ts';
import { SheetTable } from './sheet-table.ts';
import { spool } from './spool.ts';
import { chooseSheets, readWorkbook } from './workbook.ts';
import { readPart } from './xml-part.ts';

/** Which part of a workbook {@link xlsxReader} reads. */
export interface XlsxReaderOptions extends TableReaderOptions {
  /** The sheet's name, whatever its case; without it the first visible one. Sheets named `NAME 2`, `NAME 3` … continue it. */
  readonly sheet?: string;
}

/**
 * Reads the records of a workbook, one property for each name in the sheet's header; `at` is the row, from 1,
 * counted through continuing sheets. Numbers and booleans keep their type, dates become RFC 3339 text (a date-time has
 * no zone in a spreadsheet and is treated as UTC), amounts of time (`[h]:mm`) ISO 8601 durations, an empty cell is null.
 * The target of a link is a property `COLUMN@href`. A second column `Name` is read as `Name (2)`. The file is copied to the system's temporary folder.
 *
 * Notes say which of several sheets is read, and how many cells have an error (#N/A), which are null.
 *
 * @throws GazetteError `invalid_option` for a header row that is none; from `batches()`: `invalid_input` for a file that
 *   is not a workbook, naming what it is, is damaged, or would unpack beyond the limits of xlsx/archive.ts; for a missing
 *   sheet; with its row for a header with few names, for a value behind the last column with a name, and for a text that
 *   was cut when the workbook was written.
 */
export function xlsxReader(source: ByteSource, options: XlsxReaderOptions = {}): RecordReader {
  checkHeader(options);
  const { keepsFaults = false } = options;
  const notes: ReaderNote[] = [];
  let errors: CellErrors | null = null;
  let columns: readonly string[] = [];
  const refuse = (reason: string): GazetteError =>
    new GazetteError('invalid_input', `${source.name}: ${reason}`, { details: { input: source.name } });
  return {
    name: source.name,
    textValues: true,
    columns: () => columns,
    where: (at) => `row ${at}`,
    notes: () => (errors === null ? notes : [...notes, errorsNote(errors)]),
    batches: (signal) => withoutTotal(readSheets(signal), { keepsFaults, place: (at) => `${source.name}: row ${at}` }),
  };
  async function* readSheets(signal?: AbortSignal): AsyncGenerator<RawBatch, void, undefined> {
    const file = await spool(source, signal);
    try {
      const archive = await Archive.open(file, source.maxUnpacked);
      const workbook = await readWorkbook(archive, source.name, signal);
      const { sheets, others, note } = chooseSheets(workbook, source.name, options.sheet);
      if (note !== null) {
        notes.push({ code: 'sheet', message: note, sheets: [sheets[0]!, ...others].map(({ name }) => name) });
      }
      let before = 0;
      for (const [index, { part }] of sheets.entries()) {
        const links = await readLinks(archive, source.name, part, refuse, signal);
        const handler = new SheetHandler({ workbook, links, keepsFaults, refuse, errors });
        // A sheet that continues another has nothing above its header.
        const headerRow = index === 0 ? options.headerRow : 1;
        const table = new SheetTable(before, {
          headerRow,
          header: options.header,
          keepsFaults,
          ...(options.formulas === undefined ? {} : { formulas: options.formulas }),
          refuse,
          onNote: (found) => notes.push(found),
        });
        for await (const rows of readPart(archive, source.name, part, handler, signal)) {
          const records = (rows ?? []).flatMap((row) => table.push(row));
          errors = handler.errors;
          columns = table.columns;
          if (records.length > 0) yield { records, bytes: file.size };
        }
        const records = table.end(index === 0);
        columns = table.columns;
        if (records.length > 0) yield { records, bytes: file.size };
        before = table.last;
      }
    } finally {
      await file.close();
    }
  }
}

/**
 * The names of the visible worksheets of a workbook, in their order.
 *
 * @throws GazetteError `invalid_input` for a file that is not a workbook; `aborted`
 */
export async function sheetNames(source: ByteSource, signal?: AbortSignal): Promise<readonly string[]> {
  const file = await spool(source, signal);
  try {
    const { sheets } = await readWorkbook(await Archive.open(file, source.maxUnpacked), source.name, signal);
    return sheets.filter(({ isHidden }) => !isHidden).map(({ name }) => name);
  } finally {
    await file.close();
  }
}

function errorsNote({ count, first }: CellErrors): ReaderNote {
  const cells = count === 1 ? 'one cell has an error' : `${counted(count, 'cell')} have an error`;
  return { code: 'error_cells', message: `${cells} instead of a value (first ${first}), read as empty` };
}
