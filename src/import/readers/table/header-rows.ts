// How many rows name the columns of a table: none where the first row is a record as the others are, several where groups
// of columns have headings above their names. Columns of amounts, dates and codes tell records from names.
import { headerIndex } from './title-rows.ts';

/** Where the names of the columns are. */
export interface HeaderRows {
  /** The first row with names; without a header, the first record. */
  readonly index: number;
  /** How many rows have names; 0 for a table without a header. */
  readonly count: number;
  /** The names, where several rows have them; otherwise null: they are those of the row. */
  readonly names: readonly string[] | null;
}

/** A cell of an amount, a date, a time, a percentage: none of a name. */
const AMOUNT = /^\(?[-+]?(?:[€$£¥]\s?)?\d[\d.,:/ '’\u00a0\u202f-]*(?:\s?[%‰€$£¥])?\)?$/;
const YEAR = /^(?:1[89]|20)\d\d$/;

/** A day, a month, a time, or a range: the name of a column of amounts may be one. */
const DATE_OR_RANGE = /\d[-–/:]\d|^\d{1,2}\.\d{1,2}\.\d{2,4}|^\d{1,2}\.(?:19|20)\d\d$/;

/** Whether a cell, without spaces around it, is an amount, a date, a time or a share. */
export function isAmount(cell: string): boolean {
  return AMOUNT.test(cell);
}

/** A cell that stands for no value. */
const NOTHING = /^(?:[-–—.…*]+|n\/?a|nan|null)?$/i;

/** The share of a column's cells that must be of one form. */
const TYPED_SHARE = 0.8;

/** The least share of the columns with values that a header of several rows must name. */
const NAMED_SHARE = 0.8;

/** The least share of the columns that differ in their names: the second and third below a heading may have none. */
const DISTINCT_SHARE = 0.3;

/** The longest heading over columns; a longer one is a title, in UTF-16 units. */
const MAX_HEADING = 60;

/** What the caller has said of a header: `none`, or that it begins in the first row. Null: it is found. */
export type GivenHeader = 'none' | 'first' | null;

/**
 * The rows that name the columns.
 *
 * @param rows the first rows as text; an empty one stands where the table has one
 * @param fits whether a row below has the width of the header
 */
export function findHeader(
  rows: readonly (readonly string[])[],
  fits: (row: readonly string[], header: readonly string[]) => boolean,
  given: GivenHeader,
): HeaderRows {
  if (given === 'none') return { index: 0, count: 0, names: null };
  const index = given === null ? headerIndex(rows, fits) : 0;
  const header = rows[index] ?? [];
  const below = new TypedColumns(rows.slice(index + 1));
  if (given === null && index === 0 && below.hasRecord(header) && !below.isNumbered(header))
    return { index, count: 0, names: null };
  const single = { index, count: 1, names: null };
  // The upper half may have other rows of the header.
  const columns = new TypedColumns(rows.slice(Math.max(index + 1, Math.floor(rows.length / 2))));
  if (columns.named(header) > columns.used.length - 2) return single;
  const first = rows.findIndex((row, at) => at > 0 && columns.hasRecord(row));
  if (first < 2) return single;
  const blocks = blocksOf(rows, first).filter(({ start }) => given === null || start === 0);
  if (blocks.length === 0) return single;
  const best = blocks
    .map(({ start, end }) => ({ start, end, names: joined(rows.slice(start, end), columns.used) }))
    .reduce((most, block) => (new Set(block.names).size > new Set(most.names).size ? block : most));
  const named = columns.named(best.names);
  if (
    new Set(best.names).size < columns.used.length * DISTINCT_SHARE ||
    named < columns.used.length * NAMED_SHARE ||
    named <= columns.named(header)
  )
    return single;
  return { index: best.start, count: best.end - best.start, names: best.end - best.start > 1 ? best.names : null };
}

/** Rows without an empty one between them, before a row. */
function blocksOf(rows: readonly (readonly string[])[], end: number): { start: number; end: number }[] {
  const blocks: { start: number; end: number }[] = [];
  for (let at = 0; at < end; at++) {
    if (isEmpty(rows[at]!)) continue;
    const last = blocks.at(-1);
    if (last?.end === at) last.end++;
    else blocks.push({ start: at, end: at + 1 });
  }
  return blocks;
}

/**
 * The names of columns, of the rows of their header: a heading over several columns, whose other cells are empty, belongs
 * to all of them, as far as the next heading in a row above it.
 */
function joined(rows: readonly (readonly string[])[], used: readonly number[]): readonly string[] {
  const width = Math.max(...rows.map((row) => row.length), (used.at(-1) ?? 0) + 1);
  const cell = (row: number, column: number): string => rows[row]![column]?.trim() ?? '';
  const last = rows.length - 1;
  return Array.from({ length: width }, (_, column) => {
    const isGap = used.includes(column) && rows.every((_row, row) => cell(row, column) === '');
    const parts = rows.map((_row, row) => {
      const isOver = rows.some((_other, below) => below > row && cell(below, column) !== '');
      let from = column;
      const begins = (at: number): boolean => rows.some((_other, above) => above <= row && cell(above, at) !== '');
      while (!begins(from) && from > 0 && (isGap || isOver)) from--;
      const part = cell(row, from);
      return row < last && part.length > MAX_HEADING ? '' : part;
    });
    return parts.filter((part, at) => part !== '' && part !== parts[at - 1]).join(' ');
  });
}

/** The columns of a table's records, as far as their cells are of one form. */
class TypedColumns {
  /** The columns that have values. */
  readonly used: readonly number[];
  readonly #rows: readonly (readonly string[])[];
  /** For each column of amounts or codes, whether a cell may be one of its values. */
  readonly #typed: ReadonlyMap<number, (cell: string) => boolean>;

  constructor(rows: readonly (readonly string[])[]) {
    this.#rows = rows;
    const width = Math.max(0, ...rows.map((row) => row.length));
    const typed = new Map<number, (cell: string) => boolean>();
    const used: number[] = [];
    for (let column = 0; column < width; column++) {
      if (rows.every((row) => (row[column]?.trim() ?? '') === '')) continue;
      used.push(column);
      const form = formOf(this.#cells(column));
      if (form !== null) typed.set(column, form);
    }
    this.used = used;
    this.#typed = typed;
  }

  /** Whether a row is a record: it has values in columns of amounts or codes, and hardly another text in them. */
  hasRecord(row: readonly string[]): boolean {
    const cells = [...this.#typed].map(([column, isValue]) => ({ cell: row[column]?.trim() ?? '', isValue }));
    const filled = cells.filter(({ cell }) => cell !== '');
    const fitting = filled.filter(({ cell, isValue }) => NOTHING.test(cell) || isValue(cell));
    return filled.length > 0 && fitting.length >= filled.length * TYPED_SHARE;
  }

  /** Whether a row counts its columns, 1, 2, 3, or leaves a cell empty where the records have a text: then its numbers are names. */
  isNumbered(row: readonly string[]): boolean {
    const cells = [...this.#typed].map(([column, isValue]) => ({ cell: row[column]?.trim() ?? '', isValue }));
    const numbers = cells.filter(({ cell, isValue }) => isValue(cell)).map(({ cell }) => Number(cell));
    const step = (numbers[1] ?? 0) - (numbers[0] ?? 0);
    const isEven = numbers.every((number, at) => at === 0 || number === numbers[at - 1]! + step);
    if (numbers.length > 2 && step > 0 && isEven) return true;
    return this.used.some((column) => {
      const isFull = this.#cells(column).length >= this.#rows.length * TYPED_SHARE;
      return !this.#typed.has(column) && isFull && (row[column]?.trim() ?? '') === '';
    });
  }

  /** How many of the columns with values have a name. */
  named(names: readonly string[]): number {
    return this.used.filter((column) => (names[column]?.trim() ?? '') !== '').length;
  }

  #cells(column: number): readonly string[] {
    return this.#rows.map((row) => row[column]?.trim() ?? '').filter((cell) => !NOTHING.test(cell));
  }
}

/** Whether a cell is of the form that nearly all of a column's cells have; null where they have none. */
function formOf(cells: readonly string[]): ((cell: string) => boolean) | null {
  if (cells.length === 0) return null;
  const share = (test: (cell: string) => boolean): boolean => cells.filter(test).length >= cells.length * TYPED_SHARE;
  if (share(isAmount)) {
    if (share((cell) => DATE_OR_RANGE.test(cell))) return (cell) => DATE_OR_RANGE.test(cell);
    // A year may be the name of a column of amounts.
    const hasYears = share((cell) => YEAR.test(cell));
    return (cell) => isAmount(cell) && !DATE_OR_RANGE.test(cell) && (hasYears || !YEAR.test(cell));
  }
  const shape = shapeOf(cells[0]!);
  const isCode = (cell: string): boolean => shapeOf(cell) === shape;
  return shape.includes('9') && cells.length > 1 && share(isCode) ? isCode : null;
}

/** `E-17` as `E-9`. */
function shapeOf(cell: string): string {
  return cell.replace(/\d+/g, '9');
}

function isEmpty(row: readonly string[]): boolean {
  return row.every((cell) => cell.trim() === '');
}
