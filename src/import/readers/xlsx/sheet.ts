// The rows of one worksheet (ECMA-376-1 18.3.1.99), as values by column: texts, numbers, booleans, dates as text. The
// value of a formula is its last result; styles and links are not read.
import type { GazetteError } from '../../../errors.ts';
import { exactly, needsExactness } from '../exact-number.ts';
import type { RawValue } from '../raw-record.ts';
import { MAX_COLUMNS } from '../row-header.ts';
import { serialToText } from './cell-date.ts';
import { RichText, unescape, type Workbook } from './workbook.ts';
import type { PartHandler } from './xml-part.ts';

/** One row that has a value. */
export interface Row {
  /** From 1, as spreadsheets display it. */
  readonly number: number;
  /** By column; null where a cell is empty. The last element is the last value. */
  readonly values: readonly RawValue[];
}

/** Collects rows while a sheet is read. */
export class SheetHandler implements PartHandler<readonly Row[]> {
  readonly #workbook: Workbook;
  readonly #refuse: (reason: string) => GazetteError;
  #rows: Row[] = [];
  #row = 0;
  #values: RawValue[] = [];
  #column = 0;
  #inCell = false;
  #inValue = false;
  #type = 'n';
  #style = 0;
  #value: string | null = null;
  readonly #inline = new RichText();

  /** @param refuse creates the error for an invalid row */
  constructor(workbook: Workbook, refuse: (reason: string) => GazetteError) {
    this.#workbook = workbook;
    this.#refuse = refuse;
  }

  /** The rows since the last call. */
  take(): readonly Row[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    switch (name) {
      case 'row':
        this.#openRow(attributes.r);
        return;
      case 'c':
        this.#openCell(attributes);
        return;
      case 'v':
        this.#inValue = this.#inCell;
        if (this.#inValue) this.#value = '';
        return;
      default:
        if (this.#inCell) this.#inline.open(name);
    }
  }

  text(text: string): void {
    if (this.#inValue) this.#value! += text;
    else if (this.#inCell) this.#inline.add(text);
  }

  close(name: string): void {
    switch (name) {
      case 'row':
        while (this.#values.length > 0 && this.#values.at(-1) === null) this.#values.pop();
        if (this.#values.length > 0) this.#rows.push({ number: this.#row, values: this.#values });
        return;
      case 'c':
        this.#inCell = false;
        this.#set(this.#cellValue());
        return;
      case 'v':
        this.#inValue = false;
        return;
      default:
        if (this.#inCell) this.#inline.close(name);
    }
  }

  #openRow(reference: string | undefined): void {
    const number = reference === undefined ? this.#row + 1 : Number(reference);
    if (!Number.isSafeInteger(number) || number <= this.#row) {
      throw this.#refuse(`row ${this.#row} is followed by row ${String(reference)}; rows must rise`);
    }
    this.#row = number;
    this.#values = [];
    this.#column = 0;
  }

  #openCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    this.#column = r === undefined ? this.#column + 1 : this.#columnOf(r);
    this.#inCell = true;
    this.#type = t;
    this.#style = Number(s);
    this.#value = null;
    this.#inline.clear();
  }

  /** The column of a reference such as `AB12`, from 1. */
  #columnOf(reference: string): number {
    let column = 0;
    for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
    if (column === 0 || column > MAX_COLUMNS)
      throw this.#refuse(`row ${this.#row} has a cell ${reference.slice(0, 20)}, which no sheet has`);
    return column;
  }

  #set(value: RawValue): void {
    if (value === null) return;
    while (this.#values.length < this.#column - 1) this.#values.push(null);
    this.#values[this.#column - 1] = value;
  }

  #cellValue(): RawValue {
    const value = this.#value;
    switch (this.#type) {
      case 'inlineStr':
        return textOrNull(this.#inline.value);
      case 's': {
        if (value === null) return null;
        const text = this.#workbook.sharedStrings[Number(value)];
        if (text === undefined)
          throw this.#refuse(`row ${this.#row} has a text number ${value.slice(0, 20)}, which the workbook lacks`);
        return textOrNull(text);
      }
      case 'b':
        return value === null ? null : value.trim() === '1' || value.trim() === 'true';
      case 'n':
        return value === null ? null : this.#number(value);
      default:
        // `str` is a formula's text, `d` a date in ISO 8601, `e` an error such as #N/A, which remains visible.
        return value === null ? null : textOrNull(unescape(value));
    }
  }

  #number(text: string): RawValue {
    const trimmed = text.trim();
    if (trimmed === '') return null;
    const number = Number(trimmed);
    if (!Number.isFinite(number))
      throw this.#refuse(`row ${this.#row} has the number ${trimmed.slice(0, 40)}, which is none`);
    const kind = this.#workbook.kinds[this.#style] ?? 'number';
    // Excel holds doubles, but some programs write all digits of an integer. Digits behind the 17th of a fraction are
    // Excel's own: it writes 0.1 as 0.10000000000000001.
    if (kind === 'number' && /^-?\d{16,}$/.test(trimmed) && needsExactness(trimmed)) return exactly(trimmed);
    return serialToText(number, kind, this.#workbook.date1904);
  }
}

/** An empty cell is absent, and so is one whose formula returns an empty text. */
function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
