// What an index says of one segment: which of its records may match. What is read is first what passes over most segments.
import type { FieldRange, IndexQuestion } from '../../../register/finding/terms.ts';
import { addStored, noBits, offsetsIn, SEGMENT } from './postings.ts';
import { keepWithin } from './value-columns.ts';

/** What is read of segments. */
export interface Look extends IndexQuestion {
  /** How many look-ups of a set it counts as in each segment. */
  readonly cost: number;
}

/** What a beginning of words and a column count as: each takes as long to read as so many sets. */
const BEGINNING_COST = 24;
const COLUMN_COST = 8;

/** The most words with a beginning whose sets are read of a segment: if there are more, all its records may have one. */
export const MOST_WORDS = 128;

/** The segments in which something is read. */
export interface SegmentsAsked {
  /** The highest and the lowest of them. */
  readonly from: number;
  readonly to: number;
  /** The most of them, the highest first. */
  readonly limit: number;
  /** Only those that have a key within it; null: all. */
  readonly range: FieldRange | null;
}

/** The segments that are asked for where no range chooses them. */
export function consecutive({ from, to, limit }: SegmentsAsked): number[] {
  return Array.from({ length: Math.min(limit, from - to + 1) }, (_, down) => from - down);
}

/** What is found of a segment. */
export interface FoundSet {
  readonly segment: number;
  /** A set of a term, the sets of the words with a beginning, or a column of keys. */
  readonly kind: 'term' | 'beginning' | 'range';
  /** The term, the beginning, or the field. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A question in the order in which it is read: what passes over segments, and what is read of the others. */
export interface Plan {
  /** The range by which segments are chosen; null: all are. */
  readonly range: FieldRange | null;
  readonly first: Look;
  /** Null: nothing. */
  readonly rest: Look | null;
  /** Both at once. */
  readonly whole: Look;
}

/** How a question is read. */
export function planOf({ groups, beginnings, ranges }: IndexQuestion): Plan {
  const sorted = groups.toSorted((a, b) => a.length - b.length);
  // Single words, or the group that is read most quickly.
  const count = Math.max(sorted.filter(({ length }) => length === 1).length, Math.min(sorted.length, 1));
  const whole = lookAt({ groups: sorted, beginnings, ranges });
  const first = lookAt({ groups: sorted.slice(0, count), beginnings: [], ranges: [] });
  const rest = lookAt({ groups: sorted.slice(count), beginnings, ranges });
  const isWhole = first.cost === 0 || rest.cost === 0;
  const range = ranges.toSorted((a, b) => a.highest - a.lowest - (b.highest - b.lowest))[0] ?? null;
  return { range, first: isWhole ? whole : first, rest: isWhole ? null : rest, whole };
}

/** Whether a question asks an index for anything. */
export function asksIndex({ groups, beginnings, ranges }: IndexQuestion): boolean {
  return groups.length + beginnings.length + ranges.length > 0;
}

/** The terms of a look, each once. */
export function termsIn({ groups }: IndexQuestion): string[] {
  return [...new Set(groups.flat())];
}

function lookAt(question: IndexQuestion): Look {
  const { beginnings, ranges } = question;
  const cost = termsIn(question).length + beginnings.length * BEGINNING_COST + ranges.length * COLUMN_COST;
  return { ...question, cost };
}

/**
 * The records of segments that have what a look asks for, as bits.
 *
 * @param known those that are left of each segment by looks before
 */
export function keptIn(
  { groups, beginnings, ranges }: Look,
  known: ReadonlyMap<number, Uint8Array>,
  found: readonly FoundSet[],
): Map<number, Uint8Array> {
  const bySegment = new Map(Array.from(known.keys(), (segment): [number, FoundSet[]] => [segment, []]));
  for (const one of found) bySegment.get(one.segment)?.push(one);
  const kept = new Map<number, Uint8Array>();
  for (const [segment, sets] of bySegment) {
    const of = (kind: FoundSet['kind'], name: string): Uint8Array[] =>
      sets.filter((one) => one.kind === kind && one.name === name).map(({ bytes }) => bytes);
    const terms = new Map(sets.filter(({ kind }) => kind === 'term').map(({ name, bytes }) => [name, bytes]));
    const unions = [
      ...groups.map((group) => group.flatMap((term) => terms.get(term) ?? [])),
      ...beginnings.map((word) => of('beginning', word)).filter(({ length }) => length <= MOST_WORDS),
    ];
    const columns = ranges.map((range) => ({ range, keys: of('range', range.field)[0] }));
    if (unions.some(({ length }) => length === 0) || columns.some(({ keys }) => keys === undefined)) continue;
    const bits = known.get(segment)!.slice();
    for (const union of unions) {
      const some = noBits();
      for (const set of union) addStored(some, set);
      for (let at = 0; at < bits.length; at++) bits[at]! &= some[at]!;
    }
    for (const { range, keys } of columns) keepWithin(bits, keys!, range);
    if (bits.some((byte) => byte > 0)) kept.set(segment, bits);
  }
  return kept;
}

/** All records of segments, as bits. */
export function allIn(segments: readonly number[]): Map<number, Uint8Array> {
  return new Map(segments.map((segment) => [segment, noBits().fill(255)]));
}

/** The slots in sets of bits, highest first. */
export function slotsIn(kept: ReadonlyMap<number, Uint8Array>): number[] {
  return [...kept]
    .sort(([a], [b]) => b - a)
    .flatMap(([segment, bits]) => offsetsIn(bits).map((offset) => segment * SEGMENT + offset));
}
