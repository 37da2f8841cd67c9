// The rows of one worksheet (ECMA-376-1 18.3.1.99), as values by column: texts, numbers, booleans, dates as text. The
// value of a formula is its last result; the targets of links stand beside the values.
import { GazetteError } from '../../../errors.ts';
import { exactly, needsExactness } from '../exact-number.ts';
import type { RawValue } from '../raw-record.ts';
import { lettersOf, MAX_COLUMNS } from '../table/row-header.ts';
import { type CellFormat, GENERAL, isoToText, serialToText } from './cell-date.ts';
import { columnOf, linkKey, linkOfFormula, type SheetLinks } from './links.ts';
import { RichText, unescape, type Workbook } from './workbook.ts';
import type { PartHandler } from './xml-part.ts';

/** One row that has a value. */
export interface Row {
  /** From 1, as spreadsheets display it. */
  readonly number: number;
  /** By column; null where a cell is empty. The last element is the last value. */
  readonly values: readonly RawValue[];
  /** The targets of links, by column from 0; null where there is none. */
  readonly links: ReadonlyMap<number, string> | null;
  /** Why the row cannot be read, if the handler was asked to continue. */
  readonly fault: GazetteError | null;
}

/** How a sheet is read. */
export interface SheetOptions {
  readonly workbook: Workbook;
  readonly links: SheetLinks;
  readonly keepsFaults: boolean;
  /** Creates the error for an invalid row. */
  readonly refuse: (reason: string) => GazetteError;
  /** Cells with an error in the sheets before. */
  readonly errors: CellErrors | null;
}

/** Cells that have an error instead of a value. */
export interface CellErrors {
  readonly count: number;
  /** The first in words: `#N/A in B17`. */
  readonly first: string;
}

/** Collects rows while a sheet is read. */
export class SheetHandler implements PartHandler<readonly Row[]> {
  /** Cells with an error so far; null if there is none. */
  errors: CellErrors | null;
  readonly #workbook: Workbook;
  readonly #sheetLinks: SheetLinks;
  readonly #keepsFaults: boolean;
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
  #inFormula = false;
  #formula = '';
  #links: Map<number, string> | null = null;
  #fault: GazetteError | null = null;
  readonly #inline = new RichText();

  constructor({ workbook, links, keepsFaults, refuse, errors }: SheetOptions) {
    this.errors = errors;
    this.#workbook = workbook;
    this.#sheetLinks = links;
    this.#keepsFaults = keepsFaults;
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
      case 'f':
        this.#inFormula = this.#inCell;
        return;
      default:
        if (this.#inCell) this.#inline.open(name);
    }
  }

  text(text: string): void {
    if (this.#inValue) this.#value! += text;
    else if (this.#inFormula) this.#formula += text;
    else if (this.#inCell) this.#inline.add(text);
  }

  close(name: string): void {
    switch (name) {
      case 'row':
        while (this.#values.length > 0 && this.#values.at(-1) === null) this.#values.pop();
        if (this.#values.length > 0 || this.#fault !== null) {
          this.#rows.push({ number: this.#row, values: this.#values, links: this.#links, fault: this.#fault });
        }
        return;
      case 'c':
        this.#inCell = false;
        this.#closeCell();
        return;
      case 'f':
        this.#inFormula = false;
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
    this.#links = null;
    this.#fault = null;
  }

  #openCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    this.#column = r === undefined ? this.#column + 1 : this.#columnOf(r);
    this.#inCell = true;
    this.#type = t;
    this.#style = Number(s);
    this.#value = null;
    this.#formula = '';
    this.#inline.clear();
  }

  #closeCell(): void {
    const value = this.#readCell();
    if (value === null) return;
    while (this.#values.length < this.#column - 1) this.#values.push(null);
    this.#values[this.#column - 1] = value;
    const link =
      (this.#sheetLinks.size === 0 ? undefined : this.#sheetLinks.get(linkKey(this.#row, this.#column))) ??
      (this.#formula === '' ? null : linkOfFormula(this.#formula));
    if (link !== null) (this.#links ??= new Map()).set(this.#column - 1, link);
  }

  /** The cell's value; if it has none that can be read, the row has a fault, and its text remains. */
  #readCell(): RawValue {
    if (!this.#keepsFaults) return this.#cellValue();
    try {
      return this.#cellValue();
    } catch (fault) {
      if (!(fault instanceof GazetteError)) throw fault;
      this.#fault ??= fault;
      return this.#value;
    }
  }

  /** An error such as #N/A is no value: the cell is empty, and it is counted. */
  #countError(text: string): null {
    const { count, first } = this.errors ?? {
      count: 0,
      first: `${text.slice(0, 20)} in ${lettersOf(this.#column)}${this.#row}`,
    };
    this.errors = { count: count + 1, first };
    return null;
  }

  /** The column of a reference such as `AB12`, from 1. */
  #columnOf(reference: string): number {
    const column = columnOf(/^[A-Z]{1,3}/.exec(reference)?.[0] ?? '');
    if (column === 0 || column > MAX_COLUMNS)
      throw this.#refuse(`row ${this.#row} has a cell ${reference.slice(0, 20)}, which no sheet has`);
    return column;
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
      case 'd':
        return value === null ? null : textOrNull(isoToText(value.trim(), this.#format.kind));
      case 'e':
        return this.#countError(value ?? 'an error');
      default:
        // `str` is a formula's text.
        return value === null ? null : textOrNull(unescape(value));
    }
  }

  #number(text: string): RawValue {
    const trimmed = text.trim();
    if (trimmed === '') return null;
    const number = Number(trimmed);
    if (!Number.isFinite(number))
      throw this.#refuse(`row ${this.#row} has the number ${trimmed.slice(0, 40)}, which is none`);
    const { kind, digits } = this.#format;
    // Digits that only the format shows belong to the value: the post code 01067 is stored as 1067.
    if (digits > 0 && Number.isInteger(number) && number >= 0) return String(number).padStart(digits, '0');
    // Excel holds doubles, but some programs write all digits of an integer. Digits behind the 17th of a fraction are
    // Excel's own: it writes 0.1 as 0.10000000000000001.
    if (kind === 'number' && /^-?\d{16,}$/.test(trimmed) && needsExactness(trimmed)) return exactly(trimmed);
    return serialToText(number, this.#format, this.#workbook.date1904);
  }

  get #format(): CellFormat {
    return this.#workbook.formats[this.#style] ?? GENERAL;
  }
}

/** An empty cell is absent, and so is one whose formula returns an empty text. */
function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
