// The first row of a table: the names of the columns. CSV and XLSX share it.
import { quote } from '../../errors.ts';
import type { RawObject, RawValue } from './raw-record.ts';

/** The maximum number of columns of a table: Excel's own limit. */
export const MAX_COLUMNS = 16_384;

/** Names for the cells of a row. */
export class RowHeader {
  readonly names: readonly string[];

  /** @throws the error that `refuse` creates when a name is missing or occurs twice, or there are too many. */
  constructor(names: readonly string[], refuse: (reason: string) => Error) {
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
      // An assignment would set the prototype; here it is an ordinary name.
      if (name === '__proto__') Object.defineProperty(record, name, { value: values[index]!, enumerable: true });
      else record[name] = values[index]!;
    });
    return record;
  }
}
