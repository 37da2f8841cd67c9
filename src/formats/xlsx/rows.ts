// Records as rows (ECMA-376 part 1, 18.3.1.73): the innermost loop of the XLSX writer. A record is one string, built
// once and encoded once. A column remembers its last value: registers repeat themselves from row to row.
import {
  CORE_FIELDS,
  type Field,
  type FieldType,
  type RegisterDefinition,
  type RegisterRecord,
} from '../../register/record.ts';
import { cellOf } from '../cell.ts';
import { checkCoreFields, checkCount, checkText } from '../check-value.ts';
import type { Report, WarningCode } from '../report.ts';
import { cutText, decideCell, isHeldNumber } from './cell-decision.ts';
import { booleanTail, cellOpen, numberTail, plainTextTail, textTail, timeTail } from './cell-xml.ts';
import { linkTarget, type SheetLinks } from './links.ts';
import { STYLE } from './styles.ts';
import { escapeMarkup, hasEscapes, isPlain, mend, needsMending } from './text.ts';

/** Position of `source_url`, the column of the links, counted from 0. */
export const LINK_COLUMN: number = CORE_FIELDS.findIndex((field) => field.name === 'source_url');

const LINK_STYLE = `" s="${STYLE.link}`;

/** A column, and the last value that stood in it unchanged. One class for all: the loop is as fast as it knows shapes. */
class Column {
  readonly field: Field;
  /** What stands before the row number. */
  readonly open: string;
  /** What the texts of the column are: moments, digits of numbers, or just texts. */
  readonly kind: 'time' | 'digits' | 'text';
  lastText: string | null = null;
  /** What followed the row number then. */
  lastTail = '';

  constructor(field: Field, index: number) {
    const { type } = field;
    this.field = field;
    this.open = cellOpen(index);
    this.kind = type === 'date' || type === 'datetime' ? 'time' : type === 'integer' ? 'digits' : 'text';
  }
}

/** Writes the rows of records of one register. */
export class RecordRows {
  readonly #report: Report | undefined;
  readonly #core: readonly Column[] = CORE_FIELDS.map((field, index) => new Column(field, index));
  readonly #fields: readonly Column[];
  /** The record in work, for reports and errors. */
  #record: RegisterRecord | null = null;
  /** Cells of the row that are reported, or for which it must be mended. */
  #specials = 0;

  constructor(definition: RegisterDefinition, report: Report | undefined) {
    this.#report = report;
    this.#fields = definition.fields.map((field, index) => new Column(field, CORE_FIELDS.length + index));
  }

  /** The row element of a record; its source is added to the links. */
  row(record: RegisterRecord, rowNumber: number, links: SheetLinks): string {
    const core = this.#core;
    const at = String(rowNumber);
    this.#record = record;
    this.#specials = 0;
    if (isIncomplete(record)) checkCoreFields(record);
    let row = `<row r="${at}">`;
    row += this.#text(core[0]!, at, record.id);
    row += this.#repeated(core[1]!, at, record.feed_id);
    row += this.#text(core[2]!, at, record.title);
    row += this.#text(core[3]!, at, record.summary);
    row += this.#text(core[4]!, at, record.content);
    row += this.#repeated(core[5]!, at, record.content_type);
    row += this.#repeated(core[6]!, at, record.author);
    row += this.#repeated(core[7]!, at, record.document_type);
    row += this.#repeated(core[8]!, at, record.facility_id);
    row += this.#source(core[9]!, at, record.source_url, rowNumber, links);
    row += this.#time(core[10]!, at, record.published_at);
    row += this.#time(core[11]!, at, record.observed_at);
    row += this.#time(core[12]!, at, record.updated_at);
    row += this.#count(core[13]!, at, record.version);
    row += this.#count(core[14]!, at, record.position);

    for (const column of this.#fields) row += this.#field(column, at, record);
    row += '</row>';
    if (this.#specials === 0 && !hasEscapes(row)) return row;
    const { xml, isReplaced } = mend(row);
    if (isReplaced) this.#report?.add('replaced_characters', record.id);
    return xml;
  }

  #text(column: Column, at: string, text: string | null): string {
    return text === null ? '' : column.open + at + this.#textTail(column, text);
  }

  /** A text that often is that of the record before. */
  #repeated(column: Column, at: string, text: string | null): string {
    if (text === null) return '';
    if (text === column.lastText) return column.open + at + column.lastTail;
    const specials = this.#specials;
    const tail = this.#textTail(column, text);
    if (this.#specials === specials) {
      column.lastText = text;
      column.lastTail = tail;
    }
    return column.open + at + tail;
  }

  #time(column: Column, at: string, text: string | null): string {
    if (text === null) return '';
    if (text === column.lastText) return column.open + at + column.lastTail;
    const tail = timeTail(this.#check(column, text));
    if (tail === null) return column.open + at + this.#insteadTail(column, text, 'value_as_text');
    column.lastText = text;
    column.lastTail = tail;
    return column.open + at + tail;
  }

  #source(column: Column, at: string, url: string, rowNumber: number, links: SheetLinks): string {
    const target = links.hasAll ? null : linkTarget(this.#check(column, url));
    if (target === null) return column.open + at + this.#insteadTail(column, url, 'link_as_text');
    const escaped = escapeMarkup(target);
    links.add(rowNumber, escaped);
    // Most URLs are their own target: then they hold nothing else that is special.
    return column.open + at + LINK_STYLE + (target === url ? plainTextTail(escaped) : this.#textTail(column, url));
  }

  /** One of the definition's own fields. */
  #field(column: Column, at: string, record: RegisterRecord): string {
    const { field, kind } = column;
    const value = cellOf(record, field);
    if (typeof value === 'number') return this.#number(column, at, field.type, value);
    if (typeof value === 'string' && kind !== 'digits') {
      return kind === 'time' ? this.#time(column, at, value) : column.open + at + this.#textTail(column, value);
    }
    const cell = decideCell(field.type, value);
    switch (cell?.kind) {
      case 'number':
        return column.open + at + numberTail(cell.value);
      case 'boolean':
        return column.open + at + booleanTail(cell.value);
      case 'text':
        return column.open + at + this.#textTail(column, cell.text);
      case 'instead':
        return column.open + at + this.#insteadTail(column, cell.text, 'value_as_text');
      default:
        return '';
    }
  }

  #count(column: Column, at: string, value: number | null): string {
    return value === null
      ? ''
      : this.#number(column, at, 'integer', checkCount(this.#record!, column.field.name, value));
  }

  #number(column: Column, at: string, type: FieldType, value: number): string {
    return isHeldNumber(type, value)
      ? column.open + at + numberTail(value)
      : column.open + at + this.#insteadTail(column, String(value), 'value_as_text');
  }

  /** What follows the row number of a text cell: most texts are written as they are. */
  #textTail(column: Column, text: string): string {
    return typeof text === 'string' && isPlain(text)
      ? plainTextTail(text)
      : this.#specialTail(this.#check(column, text));
  }

  #specialTail(text: string): string {
    const cut = cutText(text);
    if (cut !== text) {
      this.#specials++;
      this.#report?.add('cut_text', this.#record!.id);
    }
    if (needsMending(cut)) this.#specials++;
    return textTail(cut);
  }

  #insteadTail(column: Column, text: string, warning: WarningCode): string {
    this.#report?.add(warning, this.#record!.id);
    return this.#textTail(column, text);
  }

  /** Records of an embedder's own may hold anything; only text has the members the rows are made with. */
  #check(column: Column, text: string): string {
    return typeof text === 'string' ? text : checkText(this.#record!, column.field.name, text);
  }
}

/** Whether a record lacks what no record may: an embedder's source may leave out anything. What is there, its cell checks. */
function isIncomplete(record: RegisterRecord): boolean {
  const given: Readonly<Partial<Record<keyof RegisterRecord, unknown>>> = record;
  const { id, feed_id, title, content_type, observed_at } = given;
  return (
    typeof id !== 'string' ||
    id === '' ||
    feed_id === null ||
    title === null ||
    content_type === null ||
    observed_at === null
  );
}
