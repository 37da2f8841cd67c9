// The reference XLSX writer, on exceljs's streaming workbook (optional peer). It writes the native writer's sheets,
// cell for cell, and gives access to that package's styles. Limits: texts are `t="str"` without `xml:space`, the
// autofilter has no defined name, and the stream has no backpressure, so the sink passes at most one page at a time.
import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import ExcelJS from 'exceljs';
import type { Page } from '../../register/page.ts';
import { columnsOf } from '../../register/finding/chosen-fields.ts';
import type { Field, RegisterRecord } from '../../register/record.ts';
import { cellsOf } from '../cell.ts';
import type { DocumentHead, Format, Output, Sink } from '../format.ts';
import type { Report } from '../report.ts';
import { ABOUT_NAME, ABOUT_WIDTHS, aboutRows } from '../xlsx/about.ts';
import { decideCell, type SheetCell } from '../xlsx/cell-decision.ts';
import { cutText } from '../xlsx/cut-text.ts';
import { checkHead, checkLevel, recordsName, xlsx, type XlsxOptions } from '../xlsx/index.ts';
import { EXCEL_LIMITS, type SheetLimits } from '../xlsx/limits.ts';
import { linkTarget } from '../xlsx/links.ts';
import { widthOf } from '../xlsx/sheet.ts';
import { LINK_COLOR, TIME_FORMATS } from '../xlsx/styles.ts';
import { escapeLiterals, replaceIllegal } from '../xlsx/text.ts';
import { documentProperties } from '../xlsx/workbook.ts';

/** Options of exceljs beyond those of the native writer. */
export interface ReferenceXlsxOptions extends XlsxOptions {
  /**
   * Called with each sheet of records when its columns and header exist but before it is written: for fonts, fills,
   * number formats of columns and page set-up. The caller is responsible for the file.
   */
  readonly prepareSheet?: (sheet: ExcelJS.Worksheet) => void;
}

/** The XLSX writer on exceljs. @throws GazetteError `invalid_definition`, `invalid_record` as the native writer does. */
export const referenceXlsx: Format<ReferenceXlsxOptions> = referenceXlsxWithin(EXCEL_LIMITS);

/** The same with other sheet limits, so that a test need not write a million rows. */
export function referenceXlsxWithin(limits: SheetLimits): Format<ReferenceXlsxOptions> {
  return {
    ...xlsx,
    encoderVersion: null,
    optionNames: [...xlsx.optionNames!, 'prepareSheet'],
    open: (out, head, options) => new ReferenceXlsxSink(out, head, limits, options),
  };
}

/** The time of every zip entry: the earliest time of the format, in UTC, as archiver writes it. */
const ZIP_TIME = new Date(Date.UTC(1980, 0, 1));

/** The parts of archiver that are used through exceljs, whose types omit them. */
interface Archive {
  append(source: unknown, entry: Readonly<Record<string, unknown>>): unknown;
  abort(): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** exceljs has no option for the time of zip entries and uses the clock. */
class DatedWorkbookWriter extends ExcelJS.stream.xlsx.WorkbookWriter {
  declare readonly zip: Archive;

  /** Called in the package's constructor for the first entry: the last chance to change all entries. */
  override addThemes(): Promise<void> {
    const { zip } = this;
    const append = zip.append.bind(zip);
    zip.append = (source, entry) => append(source, { ...entry, date: ZIP_TIME });
    return super.addThemes();
  }
}

/** The package's option for the level; without one it uses its own default. */
function zipOptions(options: ReferenceXlsxOptions | undefined): object {
  const level = checkLevel(options?.level);
  return level === undefined ? {} : { zip: { zlib: { level } } };
}

class ReferenceXlsxSink implements Sink {
  readonly #out: Output;
  readonly #head: DocumentHead;
  readonly #limits: SheetLimits;
  readonly #options: ReferenceXlsxOptions | undefined;
  readonly #report: Report | undefined;
  readonly #fields: readonly Field[];
  readonly #workbook: DatedWorkbookWriter;
  /** Chunks that the package has written and the output has not received yet. */
  #chunks: Uint8Array[] = [];
  #failure: Error | null = null;
  #sheet: ExcelJS.Worksheet;
  #sheets = 0;
  #row = 1;
  #links = 0;
  /** Number of replaced characters in the current record. */
  #replacements = 0;

  constructor(out: Output, head: DocumentHead, limits: SheetLimits, options: ReferenceXlsxOptions | undefined) {
    checkHead(head);
    this.#out = out;
    this.#head = head;
    this.#limits = limits;
    this.#options = options;
    this.#report = options?.report;
    this.#fields = columnsOf(head.definition, head.fields);
    const stream = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        this.#chunks.push(chunk);
        done();
      },
    });
    const { title, author, description, created, modified } = documentProperties(head);
    this.#workbook = new DatedWorkbookWriter({
      stream,
      useStyles: true,
      useSharedStrings: false,
      ...zipOptions(options),
    });
    this.#workbook.zip.on('error', (error) => {
      this.#failure ??= error;
    });
    // The package uses its own name and the clock for missing properties.
    Object.assign(this.#workbook, {
      title: this.#property(title),
      creator: this.#property(author ?? ''),
      description: this.#property(description ?? ''),
      language: head.definition.language ?? undefined,
      lastModifiedBy: '',
      created: created ?? undefined,
      modified: modified ?? undefined,
    });
    this.#sheet = this.#openSheet();
  }

  async write(page: Page): Promise<void> {
    for (const record of page.records) {
      if (this.#row >= this.#limits.rows) {
        this.#endSheet();
        this.#sheet = this.#openSheet();
      }
      this.#record(record);
    }
    // Without backpressure, the package compresses only when the event loop gets a turn before the next page.
    await turn();
    this.#flush();
  }

  async close(): Promise<void> {
    this.#endSheet();
    this.#about();
    if (this.#replacements > 0) this.#report?.add('replaced_characters', null);
    await this.#workbook.commit();
    this.#flush();
  }

  abort(): void {
    this.#workbook.zip.abort();
    this.#chunks = [];
  }

  #flush(): void {
    if (this.#failure !== null) throw this.#failure;
    const chunks = this.#chunks;
    this.#chunks = [];
    for (const chunk of chunks) this.#out.bytes(new Uint8Array(chunk));
  }

  #openSheet(): ExcelJS.Worksheet {
    const sheet = this.#workbook.addWorksheet(recordsName(++this.#sheets), {
      views: [{ state: 'frozen', ySplit: 1, topLeftCell: 'A2', activeCell: 'A2' }],
    });
    sheet.columns = this.#fields.map((field) => ({ width: widthOf(field) }));
    const header = sheet.addRow(this.#fields.map(({ name }) => escapeLiterals(name)));
    header.font = { bold: true };
    this.#options?.prepareSheet?.(sheet);
    header.commit();
    this.#row = 1;
    this.#links = 0;
    return sheet;
  }

  #endSheet(): void {
    this.#sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: this.#row, column: this.#fields.length } };
    this.#sheet.commit();
  }

  #record(record: RegisterRecord): void {
    const before = this.#replacements;
    const row = this.#sheet.getRow(++this.#row);
    cellsOf(this.#head.definition, record, this.#fields).forEach((value, index) => {
      const field = this.#fields[index]!;
      const cell = decideCell(field.type, value);
      if (cell === null) return;
      if (field.name === 'source_url') this.#link(row.getCell(index + 1), record);
      else this.#write(row.getCell(index + 1), cell, record.id);
    });
    row.commit();
    if (this.#replacements > before) this.#report?.add('replaced_characters', record.id);
    this.#replacements = before;
  }

  #link(to: ExcelJS.Cell, { id, source_url }: RegisterRecord): void {
    const target = this.#links < this.#limits.links ? linkTarget(source_url) : null;
    if (target === null) {
      this.#report?.add('link_as_text', id);
      this.#write(to, { kind: 'text', text: source_url }, id);
      return;
    }
    this.#links++;
    to.value = { text: this.#text(source_url, id), hyperlink: target };
    to.font = { underline: true, color: { argb: LINK_COLOR } };
  }

  #write(to: ExcelJS.Cell, cell: SheetCell, recordId: string | null): void {
    if (cell.kind === 'instead') this.#report?.add('value_as_text', recordId);
    switch (cell.kind) {
      case 'text':
      case 'instead':
        to.value = this.#text(cell.text, recordId);
        break;
      case 'time':
        to.value = cell.serial;
        to.numFmt = TIME_FORMATS[cell.style];
        break;
      default:
        to.value = cell.value;
    }
  }

  /** A text that the package writes correctly: it has no escapes, lets U+FFFE through and drops U+007F. */
  #text(text: string, recordId: string | null): string {
    const cut = cutText(text);
    if (cut !== text) this.#report?.add('cut_text', recordId);
    const { xml, isReplaced } = replaceIllegal(escapeLiterals(cut));
    if (isReplaced) this.#replacements++;
    return xml.replaceAll('\u007f', '_x007F_');
  }

  /** A document property, which has no escapes. */
  #property(text: string): string {
    const { xml, isReplaced } = replaceIllegal(text.replaceAll('\u007f', '\ufffd'));
    if (isReplaced || text.includes('\u007f')) this.#replacements++;
    return xml;
  }

  #about(): void {
    const sheet = this.#workbook.addWorksheet(ABOUT_NAME);
    sheet.columns = ABOUT_WIDTHS.map((width) => ({ width }));
    aboutRows(this.#head).forEach((cells, index) => {
      const row = sheet.getRow(index + 1);
      cells.forEach(({ cell, isBold }, column) => {
        const to = row.getCell(column + 1);
        this.#write(to, cell, null);
        if (isBold) to.font = { bold: true };
      });
      row.commit();
    });
    sheet.commit();
  }
}
