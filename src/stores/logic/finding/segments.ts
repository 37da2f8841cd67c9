// What an index says of one segment: which of its records may match. What is read is first what passes over most segments.
import type { FieldRange, IndexQuestion } from '../../../register/finding/terms.ts';
import { slotOf } from '../../rows/columns.ts';
import { addStored, isEmpty, keepBits, noBits, offsetsIn, SEGMENT, segmentOf } from './postings.ts';
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

/** The first segments of a page, before it is known where the register ends. */
export interface FirstAsked {
  /** The view of the page; null: the register as it is now. */
  readonly asOf: number | null;
  readonly offset: number;
  /** How many segments may be passed over at most. */
  readonly most: number;
  /** As in {@link SegmentsAsked}. */
  readonly limit: number;
  readonly range: FieldRange | null;
}

/** The same, once it is known where the register of this number ends. */
export function firstOf({ asOf, offset, most, limit, range }: FirstAsked, number: number, top: number): SegmentsAsked {
  const from = segmentOf(slotOf(number, Math.max((asOf ?? top) - offset, 0)));
  return { from, to: Math.max(from - most + 1, segmentOf(slotOf(number, 0))), limit, range };
}

/** The segments that are asked for where no range chooses them. */
export function consecutive({ from, to, limit }: SegmentsAsked): number[] {
  const segments: number[] = [];
  for (let segment = from; segment >= to && segments.length < limit; segment--) segments.push(segment);
  return segments;
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

/** As many terms as one word may be: with and without a mark. */
const MARKED = 2;

/** How a question is read. */
export function planOf({ groups, beginnings, ranges }: IndexQuestion): Plan {
  const sorted = groups.toSorted((a, b) => a.length - b.length);
  // Single words, or the group that is read most quickly.
  const count = Math.max(sorted.filter(({ length }) => length <= MARKED).length, Math.min(sorted.length, 1));
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

/** The beginnings of a look, each once. */
export function beginningsIn({ beginnings }: IndexQuestion): string[] {
  return [...new Set(beginnings.flat())];
}

function lookAt(question: IndexQuestion): Look {
  const { length } = beginningsIn(question);
  const cost = termsIn(question).length + length * BEGINNING_COST + question.ranges.length * COLUMN_COST;
  return { ...question, cost };
}

/**
 * The records of segments that have what a look asks for, as sets, stored or of bits: the highest segment first, and none that
 * has no such record.
 *
 * @param known those that are left of each segment by looks before; null: all
 */
export function keptIn(
  { groups, beginnings, ranges }: Look,
  known: ReadonlyMap<number, Uint8Array> | null,
  found: readonly FoundSet[],
): Map<number, Uint8Array> {
  // A look asks for something: a segment of which nothing was found has no such record.
  const bySegment = new Map<number, FoundSet[]>();
  for (const one of found) {
    const sets = bySegment.get(one.segment);
    if (sets === undefined) bySegment.set(one.segment, [one]);
    else sets.push(one);
  }
  const kept = new Map<number, Uint8Array>();
  const some = noBits();
  const isOneGroup = known === null && groups.length === 1 && beginnings.length + ranges.length === 0;
  for (const [segment, sets] of [...bySegment].sort(([a], [b]) => b - a)) {
    if (isOneGroup && sets.length === 1) {
      kept.set(segment, sets[0]!.bytes);
      continue;
    }
    const of = (kind: FoundSet['kind'], name: string): Uint8Array[] =>
      sets.filter((one) => one.kind === kind && one.name === name).map(({ bytes }) => bytes);
    const terms = new Map(sets.filter(({ kind }) => kind === 'term').map(({ name, bytes }) => [name, bytes]));
    const unions = [
      ...groups.map((group) => group.flatMap((term) => terms.get(term) ?? [])),
      ...beginnings
        .map((group) => group.flatMap((word) => of('beginning', word)))
        .filter(({ length }) => length <= MOST_WORDS),
    ];
    const columns = ranges.map((range) => ({ range, keys: of('range', range.field)[0] }));
    if (unions.some(({ length }) => length === 0) || columns.some(({ keys }) => keys === undefined)) continue;
    const bits = noBits();
    if (known === null) bits.fill(255);
    else addStored(bits, known.get(segment)!);
    for (const union of unions) {
      some.fill(0);
      for (const set of union) addStored(some, set);
      keepBits(bits, some);
    }
    for (const { range, keys } of columns) keepWithin(bits, keys!, range);
    if (!isEmpty(bits)) kept.set(segment, bits);
  }
  return kept;
}

/** Whether more words of a segment have a beginning than are read. */
export function isCutIn({ beginnings }: Look, segment: number, found: readonly FoundSet[]): boolean {
  return beginnings.some((group) => {
    const sets = found.filter((one) => one.segment === segment && one.kind === 'beginning' && group.includes(one.name));
    return sets.length > MOST_WORDS;
  });
}

/** The slots in sets, stored or of bits, highest first. @param kept the highest segment first */
export function slotsIn(kept: ReadonlyMap<number, Uint8Array>): number[] {
  const slots: number[] = [];
  for (const [segment, set] of kept) for (const offset of offsetsIn(set)) slots.push(segment * SEGMENT + offset);
  return slots;
}
