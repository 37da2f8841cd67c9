// XLSX (ECMA-376, transitional): a workbook with one sheet of records, further ones when it is full, and a sheet about
// the register. It is written front to back in constant memory, without formulas, macros or shared strings.
import { checkWhole } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';
import type { Page } from '../../register/page.ts';
import { columnsOf } from '../../register/finding/chosen-fields.ts';
import type { RegisterRecord } from '../../register/record.ts';
import { checkLastChange } from '../check-value.ts';
import type { DocumentHead, Format, FormatOptions, Output, Sink } from '../format.ts';
import type { Report } from '../report.ts';
import { ABOUT_NAME, aboutXml } from './about.ts';
import {
  applicationPropertiesPart,
  contentTypesPart,
  packageRelationshipsPart,
  stylesPart,
  workbookRelationshipsPart,
} from './constant-parts.ts';
import { deflatePart, MAX_LEVEL } from './deflate.ts';
import { EXCEL_LIMITS, MAX_COLUMNS, type SheetLimits } from './limits.ts';
import { RecordRows } from './rows.ts';
import { type FinishedSheet, RecordsSheet, recordsSheetOpen } from './sheet.ts';
import { mend, replaceIllegal } from './text.ts';
import { corePropertiesXml, type SheetEntry, sheetPath, sheetRelationshipsPath, workbookXml } from './workbook.ts';
import { ZipWriter } from './zip.ts';
import { VERSION } from '../../version.ts';

/** Options of the XLSX writer. For styled workbooks use the reference writer on exceljs. */
export interface XlsxOptions extends FormatOptions {
  /**
   * zlib's compression level, 1 (the default) to 9. Level 6 makes files about a fifth smaller and takes about
   * twice as long, level 9 little smaller still and three times as long.
   */
  readonly level?: number;
}

/** Content type of a workbook. */
const XLSX_MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * The XLSX writer. `report` counts `replaced_characters` (U+FFFD for characters XML cannot carry), `cut_text` (beyond
 * 32,767 UTF-16 units), `value_as_text` (dates before 1900-03-01, date-times finer than a millisecond, integers beyond
 * 15 digits, NaN) and `link_as_text` (beyond 65,530 links in a sheet, or 2,080 characters).
 *
 * @throws GazetteError `invalid_option` from `open()` for a `level` that is not 1 to 9, `invalid_definition` when the
 *   register has more columns than a sheet, `internal_error` when a source gives an invalid last change; `invalid_record` from `write()`, naming the record and
 *   the field.
 * @example for await (const chunk of encode(pages(source), xlsx, head)) file.write(chunk);
 */
export const xlsx: Format<XlsxOptions> = xlsxWithin(EXCEL_LIMITS);

/** The same with other sheet limits, so that a test need not write a million rows. */
export function xlsxWithin(limits: SheetLimits): Format<XlsxOptions> {
  return {
    name: 'xlsx',
    mediaType: XLSX_MEDIA_TYPE,
    extension: 'xlsx',
    encoderVersion: `${VERSION}, zlib ${process.versions.zlib}`,
    optionNames: ['level'],
    takesFields: true,
    open: (out, head, options) => new XlsxSink(out, head, limits, options),
  };
}

/** Name of the sheet of records with this number, from 1. */
export function recordsName(number: number): string {
  return number === 1 ? 'Records' : `Records ${number}`;
}

/** @throws GazetteError `invalid_definition` for too many columns, `internal_error` for an invalid last change */
export function checkHead(head: DocumentHead): void {
  checkLastChange(head);
  const columns = columnsOf(head.definition, head.fields).length;
  if (columns > MAX_COLUMNS) {
    throw new GazetteError(
      'invalid_definition',
      `register ${head.definition.id}: a spreadsheet has at most ${MAX_COLUMNS} columns, got ${columns}`,
    );
  }
}

/** @throws GazetteError `invalid_option` */
export function checkLevel(level: number | undefined): number | undefined {
  return level === undefined ? undefined : checkWhole('xlsx option level', level, 1, MAX_LEVEL);
}

class XlsxSink implements Sink {
  readonly #head: DocumentHead;
  readonly #limits: SheetLimits;
  readonly #report: Report | undefined;
  readonly #level: number | undefined;
  readonly #zip: ZipWriter;
  readonly #rows: RecordRows;
  readonly #entries: SheetEntry[] = [];
  #sheet: RecordsSheet;

  constructor(out: Output, head: DocumentHead, limits: SheetLimits, options: XlsxOptions | undefined) {
    checkHead(head);
    const { report, level } = options ?? {};
    this.#level = checkLevel(level);
    this.#head = head;
    this.#limits = limits;
    this.#report = report;
    this.#zip = new ZipWriter(out);
    this.#rows = new RecordRows(head, report);
    // The package's own relationships come first, because readers that check only the first bytes recognise OPC files
    // by them.
    this.#zip.add('_rels/.rels', packageRelationshipsPart());
    this.#zip.add('docProps/app.xml', applicationPropertiesPart());
    this.#zip.add('xl/styles.xml', stylesPart());
    this.#sheet = this.#openSheet();
  }

  write(page: Page): void | Promise<void> {
    const { records } = page;
    const next = this.#writeFrom(records, 0);
    if (next < records.length || this.#sheet.isFull) return this.#writeRest(records, next);
  }

  close(): void | Promise<void> {
    const finished = this.#sheet.finish();
    if (finished instanceof Promise) {
      return finished.then((sheet) => {
        this.#endSheet(sheet);
        this.#endWorkbook();
      });
    }
    this.#endSheet(finished);
    this.#endWorkbook();
  }

  abort(): Promise<void> {
    return this.#sheet.abort();
  }

  /**
   * Writes records until none is left, the sheet is full, or the threads fall behind. Returns the index of the next
   * record.
   */
  #writeFrom(records: readonly RegisterRecord[], from: number): number {
    const sheet = this.#sheet;
    let index = from;
    while (index < records.length && !sheet.isFull && !sheet.hasAllRows) sheet.record(records[index++]!);
    return index;
  }

  async #writeRest(records: readonly RegisterRecord[], from: number): Promise<void> {
    await this.#sheet.relieve();
    for (let next = from; next < records.length; next = this.#writeFrom(records, next)) {
      if (this.#sheet.hasAllRows) {
        this.#endSheet(await this.#sheet.finish());
        this.#sheet = this.#openSheet();
      }
      await this.#sheet.relieve();
    }
  }

  #openSheet(): RecordsSheet {
    const number = this.#entries.length + 1;
    const columns = columnsOf(this.#head.definition, this.#head.fields);
    return new RecordsSheet(
      recordsSheetOpen(columns, number === 1),
      columns.length,
      this.#rows,
      this.#limits,
      (bytes) => {
        this.#zip.append(sheetPath(number), bytes);
      },
      this.#level,
    );
  }

  #endSheet({ sheet, links }: FinishedSheet): void {
    const { filterRange } = this.#sheet;
    const number = this.#entries.push({ name: recordsName(this.#entries.length + 1), filterRange });
    if ('pieces' in sheet) this.#zip.add(sheetPath(number), sheet);
    else this.#zip.end(sheet);
    if (links !== null) this.#zip.add(sheetRelationshipsPath(number), links);
  }

  #endWorkbook(): void {
    const about = this.#entries.push({ name: ABOUT_NAME, filterRange: null });
    const aboutSheet = mend(aboutXml(this.#head, this.#report));
    const properties = replaceIllegal(corePropertiesXml(this.#head));
    if (aboutSheet.isReplaced || properties.isReplaced) this.#report?.add('replaced_characters', null);
    this.#zip.add(sheetPath(about), deflatePart(aboutSheet.xml, this.#level));
    this.#zip.add('docProps/core.xml', deflatePart(properties.xml, this.#level));
    this.#zip.add('xl/workbook.xml', deflatePart(workbookXml(this.#entries), this.#level));
    this.#zip.add('xl/_rels/workbook.xml.rels', workbookRelationshipsPart(about));
    this.#zip.add('[Content_Types].xml', contentTypesPart(about));
    this.#zip.close();
  }
}
