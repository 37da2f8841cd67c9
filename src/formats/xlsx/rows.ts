// Records as rows (ECMA-376 part 1, 18.3.1.73): the innermost loop of the XLSX writer. A record is built as one string
// and encoded once, except texts with a two-byte character, which would make the whole string slow to build and to
// encode. A column remembers its last value, because values often repeat from row to row.
import { CORE_FIELDS } from '../../register/fields.ts';
import { columnsOf } from '../../register/finding/chosen-fields.ts';
import { type CoreValue, coreValues, type Field, type FieldType, type RegisterRecord } from '../../register/record.ts';
import { cellOf } from '../cell.ts';
import { checkCoreFields, checkCount, checkId, checkText } from '../check-value.ts';
import type { DocumentHead, Output } from '../format.ts';
import { numberText } from '../number-text.ts';
import type { Report, Warning } from '../report.ts';
import { decideCell, isHeldNumber } from './cell-decision.ts';
import { cutText } from './cut-text.ts';
import { booleanTail, cellOpen, numberTail, plainTextTail, TEXT_CLOSE, textOpen, timeTail } from './cell-xml.ts';
import { linkTarget, type SheetLinks } from './links.ts';
import { STYLE } from './styles.ts';
import { escapeMarkup, hasEscapes, isOneByte, isPlain, mend, needsMending } from './text.ts';

const LINK_STYLE = `" s="${STYLE.link}`;

/**
 * A column and its last value that was written unchanged. All columns share one class, because the loop is fastest with
 * one object shape.
 */
class Column {
  readonly field: Field;
  /** The part of a cell before its row number. */
  readonly open: string;
  /** Where the values of a record have that of a core field; -1 for an own field. */
  readonly place: number;
  readonly isNullable: boolean;
  /** What its values are: times, digits of numbers, texts that often come again, the links, or other texts. */
  readonly kind: 'time' | 'digits' | 'repeated' | 'link' | 'text';
  lastText: string | null = null;
  /** The tail of that last value. */
  lastTail = '';

  constructor(field: Field, index: number) {
    this.field = field;
    this.open = cellOpen(index);
    this.place = CORE_FIELDS.findIndex(({ name }) => name === field.name);
    const core = CORE_FIELDS[this.place];
    this.isNullable = core?.nullable ?? true;
    this.kind = kindOf(field, core?.isRepeated === true);
  }
}

function kindOf({ name, type }: Field, isRepeated: boolean): Column['kind'] {
  if (type === 'date' || type === 'datetime') return 'time';
  if (type === 'integer' || type === 'decimal') return 'digits';
  if (name === LINK_FIELD) return 'link';
  return isRepeated ? 'repeated' : 'text';
}

/** The field whose column has the links of a sheet. */
const LINK_FIELD = 'source_url';

/** Writes the rows of records of one register. */
export class RecordRows {
  readonly #report: Report | undefined;
  readonly #columns: readonly Column[];
  /** Whether some columns were asked for: the others are then not checked by their cells. */
  readonly #isChosen: boolean;
  /** The column of the links, counted from 0; -1 if it was not asked for. */
  readonly linkColumn: number;
  /** The current record, for reports and errors. */
  #record: RegisterRecord | null = null;
  /**
   * The end of the current row, still being built, and the pieces before it: texts with a two-byte character are
   * separate pieces.
   */
  #built = '';
  readonly #pieces: string[] = [];
  /** Number of cells of the row that are reported or that make mending necessary. */
  #specials = 0;

  constructor({ definition, fields }: Pick<DocumentHead, 'definition' | 'fields'>, report: Report | undefined) {
    this.#report = report;
    this.#isChosen = fields !== undefined;
    this.#columns = columnsOf(definition, fields).map((field, index) => new Column(field, index));
    this.linkColumn = this.#columns.findIndex(({ kind }) => kind === 'link');
  }

  /** Writes the row element of a record; its source is added to the links. */
  row(record: RegisterRecord, rowNumber: number, links: SheetLinks, out: Pick<Output, 'text'>): void {
    const at = numberText(rowNumber);
    this.#record = record;
    this.#specials = 0;
    this.#pieces.length = 0;
    if (this.#isChosen) checkCoreFields(record);
    else checkId(record);
    this.#built = `<row r="${at}">`;
    const values = coreValues(record);
    for (const column of this.#columns) {
      if (column.place < 0) this.#field(column, at, record);
      else this.#core(column, at, values[column.place]!, rowNumber, links);
    }
    this.#end(out);
  }

  /** The cell of a core field. Sources may return anything: every kind of cell checks what it needs of its value. */
  #core(column: Column, at: string, value: CoreValue, rowNumber: number, links: SheetLinks): void {
    if (value === null) {
      if (!column.isNullable) checkCoreFields(this.#record!);
      return;
    }
    const text = value as string;
    switch (column.kind) {
      case 'time':
        this.#time(column, at, text);
        break;
      case 'digits':
        this.#number(column, at, 'integer', checkCount(this.#record!, column.field.name, value));
        break;
      case 'link':
        this.#source(column, at, text, rowNumber, links);
        break;
      case 'repeated':
        this.#repeated(column, at, text);
        break;
      case 'text':
        this.#text(column, at, text);
    }
  }

  #end(out: Pick<Output, 'text'>): void {
    const pieces = this.#pieces;
    pieces.push(`${this.#built}</row>`);
    let isReplaced = false;
    for (const piece of pieces) {
      if (this.#specials === 0 && !hasEscapes(piece)) {
        out.text(piece);
        continue;
      }
      const mended = mend(piece);
      if (mended.isReplaced) isReplaced = true;
      out.text(mended.xml);
    }
    if (isReplaced) this.#report?.add('replaced_characters', this.#record!.id);
  }

  #text(column: Column, at: string, text: string): void {
    this.#built += column.open + at;
    this.#textTail(column, text);
  }

  /** A text that is often the same as in the previous record. */
  #repeated(column: Column, at: string, text: string): void {
    this.#built += column.open + at;
    if (text === column.lastText) {
      this.#built += column.lastTail;
    } else if (typeof text === 'string' && isPlain(text)) {
      column.lastText = text;
      column.lastTail = plainTextTail(text);
      this.#built += column.lastTail;
    } else {
      this.#specialTail(this.#check(column, text));
    }
  }

  #time(column: Column, at: string, text: string): void {
    this.#built += column.open + at;
    if (text !== column.lastText) {
      const tail = timeTail(this.#check(column, text));
      if (tail === null) {
        this.#insteadTail(column, text, 'value_as_text');
        return;
      }
      column.lastText = text;
      column.lastTail = tail;
    }
    this.#built += column.lastTail;
  }

  #source(column: Column, at: string, url: string, rowNumber: number, links: SheetLinks): void {
    this.#built += column.open + at;
    const target = links.hasAll ? null : linkTarget(this.#check(column, url));
    if (target === null) {
      this.#insteadTail(column, url, 'link_as_text');
      return;
    }
    const escaped = escapeMarkup(target);
    links.add(rowNumber, escaped);
    this.#built += LINK_STYLE;
    // Most URLs are their own target and then contain nothing else to escape.
    if (target === url) this.#built += plainTextTail(escaped);
    else this.#textTail(column, url);
  }

  /** One of the definition's own fields. */
  #field(column: Column, at: string, record: RegisterRecord): void {
    const { field, kind } = column;
    const value = cellOf(record, field);
    if (typeof value === 'number') {
      this.#number(column, at, field.type, value);
      return;
    }
    if (typeof value === 'string' && kind !== 'digits') {
      if (kind === 'time') this.#time(column, at, value);
      else this.#text(column, at, value);
      return;
    }
    const cell = decideCell(field.type, value);
    switch (cell?.kind) {
      case 'number':
        this.#built += column.open + at + numberTail(cell.value);
        break;
      case 'boolean':
        this.#built += column.open + at + booleanTail(cell.value);
        break;
      case 'text':
        this.#text(column, at, cell.text);
        break;
      case 'instead':
        this.#built += column.open + at;
        this.#insteadTail(column, cell.text, 'value_as_text');
        break;
      default:
      // Nothing to write: times are texts and have been written already.
    }
  }

  #number(column: Column, at: string, type: FieldType, value: number): void {
    this.#built += column.open + at;
    if (isHeldNumber(type, value)) this.#built += numberTail(value);
    else this.#insteadTail(column, String(value), 'value_as_text');
  }

  /** The tail of a text cell: most texts are written unchanged. */
  #textTail(column: Column, text: string): void {
    if (typeof text === 'string' && isPlain(text)) this.#built += plainTextTail(text);
    else this.#specialTail(this.#check(column, text));
  }

  #specialTail(text: string): void {
    const cut = cutText(text);
    if (cut !== text) {
      this.#specials++;
      this.#report?.add('cut_text', this.#record!.id);
    }
    if (needsMending(cut)) this.#specials++;
    const open = this.#built + textOpen(cut);
    const escaped = escapeMarkup(cut);
    if (isOneByte(escaped)) {
      this.#built = open + escaped + TEXT_CLOSE;
    } else {
      this.#pieces.push(open, escaped);
      this.#built = TEXT_CLOSE;
    }
  }

  #insteadTail(column: Column, text: string, warning: Warning['code']): void {
    this.#report?.add(warning, this.#record!.id);
    this.#textTail(column, text);
  }

  /** Sources may return anything; only a text has the members that the row needs. */
  #check(column: Column, text: string): string {
    return typeof text === 'string' ? text : checkText(this.#record!, column.field.name, text);
  }
}
