// The frame of a worksheet around its rows (ECMA-376 part 1, 18.3.1.99, which fixes the order of elements): views,
// column widths and header before them, autofilter and links after them.
import { coreField } from '../../register/fields.ts';
import { isCoreField } from '../../register/finding/chosen-fields.ts';
import type { Field, RegisterRecord } from '../../register/record.ts';
import { cellOpen, columnLetters, styledTextTail } from './cell-xml.ts';
import { BlockDeflater, type DeflatedPart, type DeflateTotals } from './deflate.ts';
import type { SheetLimits } from './limits.ts';
import { SheetLinks } from './links.ts';
import type { RecordRows } from './rows.ts';
import { STYLE } from './styles.ts';
import { mend } from './text.ts';

/** The root element of every worksheet, without its end tag. */
export const WORKSHEET_OPEN: string =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">';

/** A view whose first row stays visible; one sheet of a workbook is selected. */
function frozenHeaderView(isSelected: boolean): string {
  return (
    `<sheetViews><sheetView${isSelected ? ' tabSelected="1"' : ''} workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    '<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>'
  );
}

/** Widths of columns in characters. */
export function columnWidths(widths: readonly number[]): string {
  const columns = widths.map((width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`);
  return `<cols>${columns.join('')}</cols>`;
}

/** Width of a field's column in characters: enough for its kind of values, and for its name and the filter's arrow. */
export function widthOf(field: Field): number {
  const width = isCoreField(field) ? coreField(field.name).width : undefined;
  return Math.max(width ?? TYPE_WIDTHS[field.type], field.name.length + 5);
}

const TYPE_WIDTHS: Readonly<Record<Field['type'], number>> = {
  text: 28,
  number: 14,
  decimal: 14,
  integer: 14,
  boolean: 10,
  date: 12,
  datetime: 22,
  url: 44,
  json: 32,
};

/** Everything before the first record's row: the same for every sheet of a register, except for the selection. */
export function recordsSheetOpen(fields: readonly Field[], isSelected: boolean): string {
  const header = fields.map((field, i) => `${cellOpen(i)}1${styledTextTail(STYLE.header, field.name)}`).join('');
  return (
    WORKSHEET_OPEN +
    frozenHeaderView(isSelected) +
    '<sheetFormatPr defaultRowHeight="15"/>' +
    columnWidths(fields.map(widthOf)) +
    // The field's name may look like an escape: `a_x0041_`.
    `<sheetData><row r="1">${mend(header).xml}</row>`
  );
}

/** One sheet of records, compressed as it grows. */
export class RecordsSheet {
  readonly #rows: RecordRows;
  readonly #limits: SheetLimits;
  readonly #lastColumn: string;
  readonly #links: SheetLinks;
  readonly #part: BlockDeflater;
  /** The last row written; the header is row 1. */
  #row = 1;

  /**
   * @param emit receives the compressed bytes of a sheet that outgrows its first block
   * @param level zlib's, 1 to 9; undefined for the default
   */
  constructor(
    open: string,
    columns: number,
    rows: RecordRows,
    limits: SheetLimits,
    emit: (bytes: Uint8Array<ArrayBuffer>) => void,
    level?: number,
  ) {
    this.#rows = rows;
    this.#limits = limits;
    this.#lastColumn = columnLetters(columns - 1);
    this.#links = new SheetLinks(limits.links, level);
    this.#part = new BlockDeflater(emit, level);
    this.#part.text(open);
  }

  /** Header and records: the range of the autofilter. */
  get filterRange(): { readonly lastColumn: string; readonly lastRow: number } {
    return { lastColumn: this.#lastColumn, lastRow: this.#row };
  }

  /** Whether the next record needs another sheet. */
  get hasAllRows(): boolean {
    return this.#row >= this.#limits.rows;
  }

  /** Whether to wait in {@link relieve} before the next record. */
  get isFull(): boolean {
    return this.#part.isFull || this.#links.isFull;
  }

  record(record: RegisterRecord): void {
    this.#rows.row(record, ++this.#row, this.#links, this.#part);
  }

  async relieve(): Promise<void> {
    await this.#part.relieve();
    await this.#links.relieve();
  }

  /**
   * Ends the sheet. Returns a whole part if it stayed within its first block, else its totals after `emit` has received
   * everything. Its relationships come after it; null when it has none.
   */
  finish(): FinishedSheet | Promise<FinishedSheet> {
    if (this.#part.hasStarted()) return this.#finishStarted();
    for (const text of this.#tail()) this.#part.text(text);
    if (this.#part.hasStarted()) return this.#finishStreamed();
    const links = this.#links.finish();
    const sheet = this.#part.finishSync();
    return links instanceof Promise ? links.then((part) => ({ sheet, links: part })) : { sheet, links };
  }

  async abort(): Promise<void> {
    await Promise.all([this.#part.abort(), this.#links.abort()]);
  }

  async #finishStarted(): Promise<FinishedSheet> {
    for (const text of this.#tail()) {
      this.#part.text(text);
      if (this.#part.isFull) await this.#part.relieve();
    }
    return this.#finishStreamed();
  }

  async #finishStreamed(): Promise<FinishedSheet> {
    return { sheet: await this.#part.finish(), links: await this.#links.finish() };
  }

  *#tail(): Generator<string, void, undefined> {
    yield `</sheetData><autoFilter ref="A1:${this.#lastColumn}${this.#row}"/>`;
    yield* this.#links.elements(columnLetters(this.#rows.linkColumn));
    yield '</worksheet>';
  }
}

/** A finished sheet, with its relationships. */
export interface FinishedSheet {
  readonly sheet: DeflatedPart | DeflateTotals;
  readonly links: DeflatedPart | null;
}
