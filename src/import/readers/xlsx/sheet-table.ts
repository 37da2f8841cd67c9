// The rows of a sheet as records: finds the header, and names the cells below it.
import type { GazetteError } from '../../../errors.ts';
import { toUri } from '../../../register/url.ts';
import type { RawObject, RawRecord, RawValue } from '../raw-record.ts';
import type { OnNote } from '../reader-note.ts';
import { RowHeader, type TableReaderOptions } from '../table/row-header.ts';
import { findHeader, type GivenHeader } from '../table/header-rows.ts';
import { HEADER_SAMPLE_ROWS, headerNote, titleRowsNote } from '../table/title-rows.ts';
import type { Row } from './sheet.ts';

/** How the rows of a sheet become records. */
export interface SheetTableOptions extends Pick<TableReaderOptions, 'formulas'> {
  /** The row of the header in this sheet, from 1; undefined to find it. */
  readonly headerRow: number | undefined;
  /** False for a sheet whose first row is a record. */
  readonly header: false | undefined;
  readonly keepsFaults: boolean;
  /** Creates the error for an invalid row. */
  readonly refuse: (reason: string) => GazetteError;
  readonly onNote: OnNote;
}

/** Converts the rows of one sheet to records. */
export class SheetTable {
  /** The last row read, counted through all sheets. */
  last: number;
  readonly #before: number;
  readonly #headerRow: number | undefined;
  readonly #given: GivenHeader;
  readonly #keepsFaults: boolean;
  readonly #refuse: (reason: string) => GazetteError;
  readonly #onNote: OnNote;
  readonly #cells: TableReaderOptions;
  #header: RowHeader | null = null;
  /** The first rows, until the header is known. */
  #head: Row[] = [];

  /** @param before the number of rows in the sheets before this one */
  constructor(before: number, { headerRow, header, keepsFaults, refuse, onNote, ...cells }: SheetTableOptions) {
    this.last = before;
    this.#before = before;
    this.#headerRow = headerRow;
    this.#given = header === false ? 'none' : headerRow === undefined ? null : 'first';
    this.#keepsFaults = keepsFaults;
    this.#refuse = refuse;
    this.#onNote = onNote;
    this.#cells = cells;
  }

  /** The names of the columns; none before the header was read. */
  get columns(): readonly string[] {
    return this.#header?.names ?? [];
  }

  /** The records that the row completes. @throws GazetteError `invalid_input`. */
  push(row: Row): RawRecord[] {
    this.last = this.#before + row.number;
    if (this.#header !== null) return [this.#record(row, this.#header)];
    if (row.number < (this.#headerRow ?? 1)) return [];
    this.#head.push(row);
    return this.#head.length === HEADER_SAMPLE_ROWS ? this.#open() : [];
  }

  /** The records that the end of the sheet completes. @throws GazetteError `invalid_input` for one without a header. */
  end(needsHeader: boolean): RawRecord[] {
    if (this.#header !== null) return [];
    if (this.#head.length > 0) return this.#open();
    if (!needsHeader) return [];
    const { last } = this;
    const expected = 'expected a row with the names of the columns';
    throw this.#refuse(
      last === this.#before ? `the sheet is empty; ${expected}` : `the sheet ends with row ${last}; ${expected}`,
    );
  }

  #open(): RawRecord[] {
    const rows = this.#head;
    this.#head = [];
    const fits = (row: readonly string[], header: readonly string[]): boolean => row.length <= header.length;
    // A sheet leaves out its empty rows.
    const cells = rows.flatMap(({ number, values }, index) => [
      ...(index > 0 && number > rows[index - 1]!.number + 1 ? [{ index, names: [] }] : []),
      { index, names: values.map(toName) },
    ]);
    const found = findHeader(
      cells.map(({ names }) => names),
      fits,
      this.#given,
    );
    const { index } = cells[found.index]!;
    const count = found.count;
    const at = this.#before + rows[index]!.number;
    const above = rows.slice(0, index).map(({ values }) => values.map(toName));
    if (index > 0) this.#onNote(titleRowsNote(above, `row ${at}`, at));
    if (count !== 1 && this.#given !== 'none') {
      this.#onNote(headerNote(count === 0 ? null : `rows ${at} to ${at + count - 1}`));
    }
    const width = Math.max(...rows.map(({ values }) => values.length));
    const names = count === 0 ? Array.from({ length: width }, () => '') : (found.names ?? cells[found.index]!.names);
    const header = new RowHeader(
      names,
      this.#cells,
      (reason) => this.#refuse(`row ${at}: ${reason}`),
      count === 0 ? 0 : names.length,
    );
    this.#header = header;
    // A sheet that continues another has the same names.
    if (header.note !== null && this.#before === 0) this.#onNote(header.note);
    return rows.slice(index + count).map((row) => this.#record(row, header));
  }

  #record({ number, values, links, fault }: Row, header: RowHeader): RawRecord {
    const at = this.#before + number;
    const { names } = header;
    if (fault !== null) return { value: values, at, fault };
    const reason =
      values.length > names.length
        ? ` has a value in column ${values.length}, which has no name; the header has ${names.length}`
        : header.cutCell(values);
    if (reason !== null) {
      const refused = this.#refuse(`row ${at}${reason}`);
      if (!this.#keepsFaults) throw refused;
      return { value: values, at, fault: refused };
    }
    const all = [...values, ...new Array<RawValue>(names.length - values.length).fill(null)];
    const value = header.toRecord(all);
    return { value: links === null ? value : withTargets(value, values, links, names), at };
  }
}

/**
 * The record with the targets of its links, each as a property `COLUMN@href`. A target that is the address in the cell's
 * own text can be mapped as well, but is not one of the values to be kept: it would say the same twice.
 */
function withTargets(
  record: RawObject,
  values: readonly RawValue[],
  links: ReadonlyMap<number, string>,
  names: readonly string[],
): RawObject {
  const all = { ...record };
  for (const [index, value] of links) {
    const name = `${names[index]!}@href`;
    if (!names.includes(name))
      Object.defineProperty(all, name, { value, enumerable: !isSameAddress(value, values[index]!) });
  }
  return all;
}

/** Links have addresses percent-encoded; texts have them as people write them. */
function isSameAddress(target: string, text: RawValue): boolean {
  if (target === text) return true;
  if (typeof text !== 'string') return false;
  if (target === toUri(text)) return true;
  const address = URL.parse(text);
  return address !== null && address.href === URL.parse(target)?.href;
}

function toName(value: RawValue): string {
  return typeof value === 'object' ? '' : String(value);
}
