// The first row of a table: the names of the columns, and what cells become as values. CSV and XLSX share it.
import { quote } from '../../../errors.ts';
import { unguardFormula } from '../../../formats/formula-guard.ts';
import { isCutText } from '../../../formats/xlsx/cut-text.ts';
import type { RawObject, RawValue, RecordReaderOptions } from '../raw-record.ts';
import type { ReaderNote } from '../reader-note.ts';

/** The maximum number of columns of a table: Excel's own limit. */
export const MAX_COLUMNS = 16_384;

/** Options of readers of tables. */
export interface TableReaderOptions extends RecordReaderOptions {
  /** The line, or the row of a sheet, of the header, from 1. Default: found; rows with a title above it are not read. */
  readonly headerRow?: number;
  /** False for a table whose first row is a record: columns have the names of their letters. Default: found. */
  readonly header?: false;
  /**
   * `guarded` for a file that gazette wrote with its formula guard: the apostrophe that the guard put before a text is
   * removed, in names as well. Default `raw`: every text is taken as it is, because a file does not say who wrote it.
   */
  readonly formulas?: 'guarded' | 'raw';
}

/** The letters of a column. @param column from 1 */
export function lettersOf(column: number): string {
  let letters = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** Names for the cells of a row. */
export class RowHeader {
  /** The names, each once: the second column `Name` is `Name (2)`, a third column without a name `column C`. */
  readonly names: readonly string[];
  /** Which columns the file does not name so; null where it names all. */
  readonly note: ReaderNote | null;
  readonly #isGuarded: boolean;
  /** The columns without a name in the file: where they are empty, they are not in the record. */
  readonly #unnamed: ReadonlySet<number>;

  /**
   * @param noted of how many columns a note may speak; 0 for a table without a header, whose names are those of the letters
   * @throws the error that `refuse` creates when all names are empty texts, or there are too many.
   */
  constructor(
    cells: readonly string[],
    { formulas = 'raw' }: TableReaderOptions,
    refuse: (reason: string) => Error,
    noted: number = cells.length,
  ) {
    this.#isGuarded = formulas === 'guarded';
    const names = this.#isGuarded ? cells.map(unguardFormula) : cells;
    if (names.length > MAX_COLUMNS) throw refuse(`has ${names.length} columns; at most ${MAX_COLUMNS} are read`);
    const unnamed = names.flatMap((name, index) => (name.trim() === '' ? index : []));
    if (unnamed.length === names.length && noted > 0) {
      throw refuse('no column has a name; if the header is in another row, say which with --header-row');
    }
    this.#unnamed = new Set(unnamed);
    this.names = distinct(names);
    this.note = noteOf(names.slice(0, noted), this.names.slice(0, noted));
  }

  /** The record of a row's values, one for each name. */
  toRecord(values: readonly RawValue[]): RawObject {
    const record: Record<string, RawValue> = {};
    this.names.forEach((name, index) => {
      const cell = values[index] ?? null;
      if (cell === null && this.#unnamed.has(index)) return;
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

/** The names, each once. A name that the file itself gives is not taken for another column. */
function distinct(names: readonly string[]): readonly string[] {
  const given = new Set(names);
  const taken = new Set<string>();
  const numbers = new Map<string, number>();
  return names.map((name, index) => {
    const base = name.trim() === '' ? `column ${lettersOf(index + 1)}` : name;
    let number = numbers.get(base) ?? 1;
    let free = base;
    while (taken.has(free) || (free !== name && given.has(free))) free = `${base} (${++number})`;
    numbers.set(base, number);
    taken.add(free);
    return free;
  });
}

/** How many columns a note names. */
const MAX_NAMED = 5;

function noteOf(names: readonly string[], read: readonly string[]): ReaderNote | null {
  const changed = read.flatMap((name, index) => (name === names[index] ? [] : `column ${index + 1} as ${quote(name)}`));
  if (changed.length === 0) return null;
  const more = changed.length > MAX_NAMED ? ` and ${changed.length - MAX_NAMED} more` : '';
  const message = `columns without a name of their own are read under another: ${changed.slice(0, MAX_NAMED).join(', ')}${more}`;
  return { code: 'column_names', message };
}
