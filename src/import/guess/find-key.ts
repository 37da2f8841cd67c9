// Which columns together have a different value in every record, where no column has one alone: the id is made of them.
import { IdSet } from '../../register/sources/id-set.ts';
import { isExactNumber } from '../readers/exact-number.ts';
import { isRawObject, type RawRecord, type RawValue, type RecordReader } from '../readers/raw-record.ts';

/** The number of columns that an id is made of at most: one of more is hardly read by anybody. */
export const MAX_KEY_COLUMNS = 6;

/** What stands between the values of a key. */
export const KEY_SEPARATOR = '-';

/** The number of equal records by which the next column is chosen. */
const MAX_SAMPLE = 1000;

/**
 * A few of these columns that no two records have the same values of, none of which can be left out. It reads the file
 * once, and keeps 4 bytes in memory for each value.
 *
 * @param lists the columns that may be a part of a key, the likeliest first; those of a list only where the ones before do not
 *   suffice
 * @returns null where not even {@link MAX_KEY_COLUMNS} of them tell the records apart
 * @throws GazetteError what the reader throws; `aborted`
 */
export async function findKey(
  reader: RecordReader,
  lists: readonly (readonly string[])[],
  signal?: AbortSignal,
): Promise<readonly string[] | null> {
  const table = new ValueTable(lists.flat());
  for await (const { records } of reader.batches(signal)) {
    for (const raw of records.filter(({ fault }) => fault === undefined)) table.add(raw);
  }
  for (let count = 1; count <= lists.length; count++) {
    const key = fewest(table, lists.slice(0, count).flat());
    if (key !== null) return key;
  }
  return null;
}

function fewest(table: ValueTable, columns: readonly string[]): readonly string[] | null {
  const chosen: string[] = [];
  for (let equal = table.equalRows(chosen); equal.length > 0; equal = table.equalRows(chosen)) {
    const next = table.bestColumn(columns, chosen, equal);
    if (next === null || chosen.length === MAX_KEY_COLUMNS) return null;
    chosen.push(next);
  }
  const needed = chosen.reduce<readonly string[]>((key, column) => {
    const shorter = key.filter((one) => one !== column);
    return table.equalRows(shorter).length === 0 ? shorter : key;
  }, chosen);
  return columns.filter((column) => needed.includes(column));
}

/** The values of some columns, as hashes: two values that differ are very rarely taken for equal, which costs a column more. */
class ValueTable {
  readonly #columns: ReadonlyMap<string, number[]>;
  #rows = 0;

  constructor(columns: readonly string[]) {
    this.#columns = new Map(columns.map((column) => [column, []]));
  }

  add({ value }: RawRecord): void {
    for (const [column, hashes] of this.#columns)
      hashes.push(hashOf(textOf(isRawObject(value) ? value[column] : undefined)));
    this.#rows++;
  }

  /** Some of the rows that are equal in these columns to another one. */
  equalRows(columns: readonly string[]): readonly number[] {
    const keys = new IdSet();
    const equal = new Set<number>();
    for (let row = 0; row < this.#rows && equal.size < MAX_SAMPLE; row++) {
      const earlier = keys.add(this.#keyOf(row, columns), row);
      if (earlier !== null) equal.add(earlier).add(row);
    }
    return [...equal];
  }

  /** The column that tells most of these rows apart; null: none does. */
  bestColumn(columns: readonly string[], chosen: readonly string[], rows: readonly number[]): string | null {
    let best: string | null = null;
    let most = new Set(rows.map((row) => this.#keyOf(row, chosen))).size;
    for (const column of columns) {
      const different = new Set(rows.map((row) => this.#keyOf(row, [...chosen, column]))).size;
      if (different <= most) continue;
      [best, most] = [column, different];
    }
    return best;
  }

  #keyOf(row: number, columns: readonly string[]): string {
    return columns.map((column) => this.#columns.get(column)![row]).join();
  }
}

/** FNV-1a over UTF-16 units, in 30 bits, so that an array of hashes stays flat. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash & 0x3fffffff;
}

function textOf(value: RawValue | undefined): string {
  if (isExactNumber(value)) return value.digits;
  const text = value === undefined || value === null || typeof value === 'object' ? '' : String(value);
  // A template takes a blank text for none.
  return text.trim() === '' ? '' : text;
}
