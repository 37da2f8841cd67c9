// The times and numbers of a segment's records as a store keeps them: for each field one column of keys (order-keys.ts), 32
// bits for each record of the segment in the order of their offsets (little endian), 0 for a record without a value, and no
// zeros at the end. Beside each column are its least and its greatest key: segments in which nothing lies within a range are
// passed over by an index of those alone.
import type { KeyRange } from '../../../register/finding/order-keys.ts';
import { asBytes, asNumber, asText } from '../../rows/sql.ts';
import { bytes, index, Table, TEXT, whole } from '../../rows/table.ts';
import { keyedTable, type KeyedTable } from '../rule.ts';
import { SEGMENT } from './postings.ts';

/** The length of a key. */
const KEY_BYTES = 4;

/** A column. `lowest` and `highest` are of its keys. */
export interface ValueColumn extends KeyRange {
  readonly segment: number;
  /** A core field, or `data.` and the name of an own field. */
  readonly field: string;
  readonly keys: Uint8Array;
}

/** The table of all columns; those that are empty have no row. */
export const COLUMN_TABLE: Table = new Table(
  'value_columns',
  { segment: whole(1), field: TEXT, lowest: whole(1), highest: whole(1), keys: bytes(KEY_BYTES, SEGMENT * KEY_BYTES) },
  {
    key: ['segment', 'field'],
    isKeyed: true,
    indexes: [index('value_columns_ranges', '(field, segment, lowest, highest)')],
  },
);

/** Its rows. */
export const COLUMNS: KeyedTable<ValueColumn> = keyedTable(COLUMN_TABLE, ([segment, field, lowest, highest, keys]) => ({
  segment: asNumber(segment),
  field: asText(field),
  lowest: asNumber(lowest),
  highest: asNumber(highest),
  keys: asBytes(keys),
}));

/** A column after changes; of no length when it is empty. @param changes offsets, each followed by its key or by 0 */
export function changedColumn(stored: Uint8Array, changes: readonly number[]): Uint8Array {
  const whole = stored.subarray(0, stored.length - (stored.length % KEY_BYTES));
  let { length } = whole;
  for (let at = 0; at < changes.length; at += 2) {
    if (changes[at + 1]! > 0) length = Math.max(length, (changes[at]! + 1) * KEY_BYTES);
  }
  const column = new Uint8Array(length);
  column.set(whole);
  const view = new DataView(column.buffer);
  for (let at = 0; at < changes.length; at += 2) {
    const place = changes[at]! * KEY_BYTES;
    if (place < length) view.setUint32(place, changes[at + 1]!, true);
  }
  while (length > 0 && view.getUint32(length - KEY_BYTES, true) === 0) length -= KEY_BYTES;
  return column.subarray(0, length);
}

/** The row of a column that is not empty. */
export function columnRow(segment: number, field: string, keys: Uint8Array): readonly (string | number | Uint8Array)[] {
  let [lowest, highest] = [Infinity, 0];
  eachKeyIn(keys, (key) => {
    if (key < lowest) lowest = key;
    if (key > highest) highest = key;
  });
  return [segment, field, lowest, highest, keys];
}

/** Whether a column has a key at an offset. */
export function hasKey(keys: Uint8Array, offset: number): boolean {
  const place = offset * KEY_BYTES;
  return place + KEY_BYTES <= keys.length && viewOf(keys).getUint32(place, true) > 0;
}

/** Takes from a set of bits the offsets whose keys are not within a range. */
export function keepWithin(bits: Uint8Array, keys: Uint8Array, { lowest, highest }: KeyRange): void {
  const view = viewOf(keys);
  const count = Math.floor(keys.length / KEY_BYTES);
  for (let at = 0; at < bits.length; at++) {
    const byte = bits[at]!;
    if (byte === 0) continue;
    let kept = 0;
    for (let bit = 0; bit < 8; bit++) {
      const offset = at * 8 + bit;
      if ((byte & (1 << bit)) === 0 || offset >= count) continue;
      const key = view.getUint32(offset * KEY_BYTES, true);
      if (key >= lowest && key <= highest) kept |= 1 << bit;
    }
    bits[at] = kept;
  }
}

function eachKeyIn(keys: Uint8Array, take: (key: number) => void): void {
  const view = viewOf(keys);
  for (let place = 0; place + KEY_BYTES <= keys.length; place += KEY_BYTES) {
    const key = view.getUint32(place, true);
    if (key > 0) take(key);
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
