// Which records of a segment of positions have a term, as a store keeps it: their offsets in the segment, ascending, as 16 bits
// each (little endian), or one bit for each record of the segment where that is not longer. A set has exactly one stored form.
import { bytes, Table, TEXT, whole } from '../../rows/table.ts';
import { keyedTable, type KeyedTable } from '../rule.ts';
import { asBytes, asNumber, asText } from '../../rows/sql.ts';

/** How many positions a segment has: a smaller one makes rare words slower to find, a larger one common words slower to write. */
export const SEGMENT = 4096;

/** The length of a set as bits. */
const BITS_LENGTH = SEGMENT / 8;

/** The offsets in a segment of the records that have a term. */
export interface Posting {
  readonly segment: number;
  readonly term: string;
  /** In their stored form. */
  readonly positions: Uint8Array;
}

/** The table of all sets; those that are empty have no row. */
export const POSTING_TABLE: Table = new Table(
  'term_postings',
  { segment: whole(1), term: TEXT, positions: bytes(2, BITS_LENGTH) },
  { key: ['segment', 'term'], isKeyed: true },
);

/** Its rows. */
export const POSTINGS: KeyedTable<Posting> = keyedTable(POSTING_TABLE, ([segment, term, positions]) => ({
  segment: asNumber(segment),
  term: asText(term),
  positions: asBytes(positions),
}));

/** The number of the segment of a slot. It says the register too. */
export function segmentOf(slot: number): number {
  return Math.floor(slot / SEGMENT);
}

/** The empty set as bits. */
export function noBits(): Uint8Array {
  return new Uint8Array(BITS_LENGTH);
}

/** Adds a stored set to one of bits. */
export function addStored(bits: Uint8Array, stored: Uint8Array): void {
  if (stored.length === BITS_LENGTH) for (let at = 0; at < BITS_LENGTH; at++) bits[at]! |= stored[at]!;
  else for (let at = 0; at < stored.length; at += 2) addOffset(bits, stored[at]! | (stored[at + 1]! << 8));
}

/** Whether a stored set has an offset. */
export function hasOffset(stored: Uint8Array, offset: number): boolean {
  if (stored.length === BITS_LENGTH) return (stored[offset >> 3]! & (1 << (offset & 7))) !== 0;
  for (let at = 0; at < stored.length; at += 2) if ((stored[at]! | (stored[at + 1]! << 8)) === offset) return true;
  return false;
}

/** The offsets in a set, stored or of bits, highest first. */
export function offsetsIn(set: Uint8Array): number[] {
  const offsets: number[] = [];
  if (set.length !== BITS_LENGTH) {
    for (let at = set.length - 2; at >= 0; at -= 2) offsets.push(set[at]! | (set[at + 1]! << 8));
    return offsets;
  }
  for (let at = BITS_LENGTH - 1; at >= 0; at--) {
    const byte = set[at]!;
    if (byte === 0) continue;
    for (let bit = 7; bit >= 0; bit--) if ((byte & (1 << bit)) !== 0) offsets.push(at * 8 + bit);
  }
  return offsets;
}

/** How many offsets a set has, stored or of bits. */
export function sizeOf(set: Uint8Array): number {
  if (set.length !== BITS_LENGTH) return set.length / 2;
  let size = 0;
  for (let at = 0; at < BITS_LENGTH; at++) size += ONES[set[at]!]!;
  return size;
}

/** How many bits a byte has. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** Takes from a set of bits what another one lacks. */
export function keepBits(bits: Uint8Array, others: Uint8Array): void {
  for (let at = 0; at < BITS_LENGTH; at++) bits[at]! &= others[at]!;
}

/** Whether a set of bits has none. */
export function isEmpty(bits: Uint8Array): boolean {
  for (let at = 0; at < BITS_LENGTH; at++) if (bits[at] !== 0) return false;
  return true;
}

/**
 * A stored set after changes; of no length when it is empty.
 *
 * @param changes in their order: an offset that comes, or the complement (`~offset`) of one that goes
 */
export function changedSet(stored: Uint8Array, changes: readonly number[]): Uint8Array {
  const appended = stored.length === BITS_LENGTH ? null : appendedSet(stored, changes);
  if (appended !== null) return appended;
  const bits = noBits();
  addStored(bits, stored);
  for (const change of changes) {
    if (change >= 0) addOffset(bits, change);
    else bits[~change >> 3]! &= ~(1 << (~change & 7));
  }
  return storedForm(bits);
}

/** The set with higher offsets than it has, which imports add; null if it is another change, or no longer a list. */
function appendedSet(stored: Uint8Array, changes: readonly number[]): Uint8Array | null {
  const length = stored.length + 2 * changes.length;
  if (length >= BITS_LENGTH) return null;
  const longer = new Uint8Array(length);
  longer.set(stored);
  let at = stored.length;
  let last = at === 0 ? -1 : stored[at - 2]! | (stored[at - 1]! << 8);
  for (const offset of changes) {
    if (offset <= last) return null;
    longer[at++] = offset & 255;
    longer[at++] = offset >> 8;
    last = offset;
  }
  return longer;
}

function storedForm(bits: Uint8Array): Uint8Array {
  const offsets = offsetsIn(bits);
  if (2 * offsets.length >= BITS_LENGTH) return bits;
  const list = new Uint8Array(2 * offsets.length);
  for (const [at, offset] of offsets.reverse().entries()) {
    list[2 * at] = offset & 255;
    list[2 * at + 1] = offset >> 8;
  }
  return list;
}

function addOffset(bits: Uint8Array, offset: number): void {
  bits[offset >> 3]! |= 1 << (offset & 7);
}
