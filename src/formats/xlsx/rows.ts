// Records as rows (ECMA-376 part 1, 18.3.1.73): the innermost loop of the XLSX writer. A record is built as one string
// and encoded once, except texts with a two-byte character, which would make the whole string slow to build and to
// encode. A column remembers its last value, because values often repeat from row to row.
import { CORE_FIELDS } from '../../register/fields.ts';
import { columnsOf, isCoreField } from '../../register/finding/chosen-fields.ts';
import type { Field, FieldType, RegisterRecord } from '../../register/record.ts';
import { cellOf } from '../cell.ts';
import { checkCoreFields, checkCount, checkText } from '../check-value.ts';
import type { DocumentHead, Output } from '../format.ts';
import { numberText } from '../number-text.ts';
import type { Report, WarningCode } from '../report.ts';
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
  /** The kind of texts in the column: times, digits of numbers, or other texts. */
  readonly kind: 'time' | 'digits' | 'text';
  lastText: string | null = null;
  /** The tail of that last value. */
  lastTail = '';

  constructor(field: Field, index: number) {
    const { type } = field;
    this.field = field;
    this.open = cellOpen(index);
    this.kind =
      type === 'date' || type === 'datetime' ? 'time' : type === 'integer' || type === 'decimal' ? 'digits' : 'text';
  }
}

/** Writes the rows of records of one register. */
export class RecordRows {
  readonly #report: Report | undefined;
  readonly #core: readonly Column[] = CORE_FIELDS.map((field, index) => new Column(field, index));
  readonly #fields: readonly Column[];
  /** The columns that were asked for; null: all. */
  readonly #chosen: readonly Column[] | null;
  /** The column of the links, `source_url`, counted from 0; -1 if it was not asked for. */
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
    const columns = columnsOf(definition, fields);
    this.#chosen = fields === undefined ? null : columns.map((field, index) => new Column(field, index));
    this.linkColumn = columns.findIndex(({ name }) => name === 'source_url');
    this.#fields = definition.fields.map((field, index) => new Column(field, CORE_FIELDS.length + index));
  }

  /** Writes the row element of a record; its source is added to the links. */
  row(record: RegisterRecord, rowNumber: number, links: SheetLinks, out: Pick<Output, 'text'>): void {
    const at = numberText(rowNumber);
    this.#record = record;
    this.#specials = 0;
    this.#pieces.length = 0;
    // Of some columns, the others are not checked by their cells.
    if (this.#chosen !== null || isIncomplete(record)) checkCoreFields(record);
    this.#built = `<row r="${at}">`;
    if (this.#chosen === null) this.#allCells(record, at, rowNumber, links);
    else for (const column of this.#chosen) this.#cell(column, at, record, rowNumber, links);
    this.#end(out);
  }

  #allCells(record: RegisterRecord, at: string, rowNumber: number, links: SheetLinks): void {
    const core = this.#core;
    this.#text(core[0]!, at, record.id);
    this.#repeated(core[1]!, at, record.feed_id);
    this.#text(core[2]!, at, record.key);
    this.#text(core[3]!, at, record.title);
    this.#text(core[4]!, at, record.summary);
    this.#text(core[5]!, at, record.content);
    this.#repeated(core[6]!, at, record.content_type);
    this.#repeated(core[7]!, at, record.author);
    this.#repeated(core[8]!, at, record.document_type);
    this.#repeated(core[9]!, at, record.facility_id);
    this.#source(core[10]!, at, record.source_url, rowNumber, links);
    this.#time(core[11]!, at, record.published_at);
    this.#time(core[12]!, at, record.observed_at);
    this.#time(core[13]!, at, record.updated_at);
    this.#count(core[14]!, at, record.version);
    this.#count(core[15]!, at, record.position);
    for (const column of this.#fields) this.#field(column, at, record);
  }

  /** The cell of one column that was asked for. */
  #cell(column: Column, at: string, record: RegisterRecord, rowNumber: number, links: SheetLinks): void {
    const { field } = column;
    if (!isCoreField(field)) {
      this.#field(column, at, record);
      return;
    }
    if (field.name === 'source_url') {
      this.#source(column, at, record.source_url, rowNumber, links);
      return;
    }
    const value = record[field.name];
    if (typeof value === 'number' || field.name === 'version' || field.name === 'position') {
      this.#count(column, at, record[field.name as 'version' | 'position']);
    } else if (column.kind === 'time') this.#time(column, at, value);
    else this.#text(column, at, value);
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

  #text(column: Column, at: string, text: string | null): void {
    if (text === null) return;
    this.#built += column.open + at;
    this.#textTail(column, text);
  }

  /** A text that is often the same as in the previous record. */
  #repeated(column: Column, at: string, text: string | null): void {
    if (text === null) return;
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

  #time(column: Column, at: string, text: string | null): void {
    if (text === null) return;
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

  #count(column: Column, at: string, value: number | null): void {
    if (value !== null) this.#number(column, at, 'integer', checkCount(this.#record!, column.field.name, value));
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

  #insteadTail(column: Column, text: string, warning: WarningCode): void {
    this.#report?.add(warning, this.#record!.id);
    this.#textTail(column, text);
  }

  /** Sources may return anything; only a text has the members that the row needs. */
  #check(column: Column, text: string): string {
    return typeof text === 'string' ? text : checkText(this.#record!, column.field.name, text);
  }
}

/**
 * Whether a record lacks a required field, since a source may leave out anything. Present values are checked by their
 * cells.
 */
function isIncomplete(record: RegisterRecord): boolean {
  const given: Readonly<Partial<Record<keyof RegisterRecord, unknown>>> = record;
  const { id, feed_id, key, title, content_type, observed_at } = given;
  return (
    typeof id !== 'string' ||
    id === '' ||
    feed_id === null ||
    key === null ||
    title === null ||
    content_type === null ||
    observed_at === null
  );
}
