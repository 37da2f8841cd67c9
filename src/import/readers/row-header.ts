// The first row of a table: the names of the columns, and what cells become as values. CSV and XLSX share it.
import { quote } from '../../errors.ts';
import { unguardFormula } from '../../formats/formula-guard.ts';
import { isCutText } from '../../formats/xlsx/cut-text.ts';
import type { RawObject, RawValue } from './raw-record.ts';

/** The maximum number of columns of a table: Excel's own limit. */
export const MAX_COLUMNS = 16_384;

/** What the cells of a table are. */
export interface CellOptions {
  /**
   * `guarded` for a file that gazette wrote with its formula guard: the apostrophe that the guard put before a text is
   * removed, in names as well. Default `raw`: every text is taken as it is, because a file does not say who wrote it.
   */
  readonly formulas?: 'guarded' | 'raw';
}

/** Names for the cells of a row. */
export class RowHeader {
  readonly names: readonly string[];
  readonly #isGuarded: boolean;

  /** @throws the error that `refuse` creates when a name is missing or occurs twice, or there are too many. */
  constructor(cells: readonly string[], { formulas = 'raw' }: CellOptions, refuse: (reason: string) => Error) {
    this.#isGuarded = formulas === 'guarded';
    const names = this.#isGuarded ? cells.map(unguardFormula) : cells;
    if (names.length > MAX_COLUMNS) throw refuse(`has ${names.length} columns; at most ${MAX_COLUMNS} are read`);
    const columns = new Map<string, number>();
    names.forEach((name, index) => {
      const column = index + 1;
      if (name.trim() === '') throw refuse(`column ${column} has no name; the first row names every column`);
      const before = columns.get(name);
      if (before !== undefined) throw refuse(`columns ${before} and ${column} are both called ${quote(name)}`);
      columns.set(name, column);
    });
    this.names = names;
  }

  /** The record of a row's values, one for each name. */
  toRecord(values: readonly RawValue[]): RawObject {
    const record: Record<string, RawValue> = {};
    this.names.forEach((name, index) => {
      const cell = values[index]!;
      const value = this.#isGuarded && typeof cell === 'string' ? unguardFormula(cell) : cell;
      // An assignment would set the prototype; here it is an ordinary name.
      if (name === '__proto__') Object.defineProperty(record, name, { value, enumerable: true });
      else record[name] = value;
    });
    return record;
  }

  /** Why a row is refused, as it follows its place: a text was cut when a workbook was written. Null if none was. */
  cutCell(values: readonly RawValue[]): string | null {
    const index = values.findIndex((value) => typeof value === 'string' && isCutText(value));
    if (index < 0) return null;
    const name = this.names[index];
    const column = name === undefined ? index + 1 : quote(name);
    return `, column ${column}: the text was cut at the limit of a workbook's cell, as the mark at its end says; the whole text is in the other formats`;
  }
}
