// How many records match a filter, counted in the index of terms: what it knows for sure is counted there, segment by segment,
// and the rest of what it finds is read and examined. A request does no more than a page may.
import type { RecordFilter } from '../../../register/finding/filter.ts';
import { indexQuestion, sureRanges } from '../../../register/finding/terms.ts';
import { EXAMINED_RECORDS, type Matched } from '../../../register/page.ts';
import type { MatchedQuery } from '../../../register/sources/matched.ts';
import { slotOf } from '../../rows/columns.ts';
import { unknownFeed } from '../../rows/register.ts';
import { EXAMINED_TEXT, lengthOf, LOOK_UPS, SLICE_LOOK_UPS, SLICE_RECORDS } from './found-page.ts';
import type { FoundReads, Looked, Searched } from './found-reads.ts';
import { turnsOf } from './pace.ts';
import { offsetsIn, SEGMENT, segmentOf, sizeOf } from './postings.ts';
import { asksIndex, type FirstAsked, firstOf, isCutIn, keptIn, planOf, type SegmentsAsked } from './segments.ts';
import { isComplete } from './term-state.ts';

/**
 * Null: the index does not answer the filter.
 *
 * @throws GazetteError `unknown_feed`
 */
export async function foundCount(
  { shown, number, reads }: Searched,
  filter: RecordFilter,
  { asOf, signal }: Pick<MatchedQuery, 'asOf' | 'signal'>,
): Promise<Matched | null> {
  const question = indexQuestion(filter, shown.prices !== undefined);
  if (!asksIndex(question) || filter.canonical.key !== undefined) return null;
  const { whole, range } = planOf(question);
  const ranges = sureRanges(filter);
  const sure = ranges === null ? null : { ...whole, ranges };
  const limit = Math.max(Math.floor(SLICE_LOOK_UPS / whole.cost), 1);
  const first: FirstAsked = { asOf: asOf === undefined ? null : Number(asOf), offset: 0, most: LOOK_UPS, limit, range };
  const turn = turnsOf(signal);
  const doubtful: number[] = [];
  let [matched, lookUps, isAtLeast] = [0, 0, false];
  let highest: number | null = null;
  for (let asked: FirstAsked | SegmentsAsked | null = first; asked !== null;) {
    await turn();
    const answer: Looked | null = await reads.look(asked, whole);
    if (answer === null) throw unknownFeed(shown.id);
    if (!isComplete(answer.head.index, shown)) return null;
    highest ??= slotOf(number, first.asOf ?? answer.head.top);
    const { to }: SegmentsAsked = 'from' in asked ? asked : firstOf(first, number, answer.head.top);
    const certain = sure === null ? null : keptIn(sure, null, answer.found);
    for (const [segment, set] of keptIn(whole, null, answer.found)) {
      const known = isCutIn(whole, segment, answer.found) ? undefined : certain?.get(segment);
      const isTop = segment === segmentOf(highest);
      if (known !== undefined && !isTop && (ranges!.length === 0 || sizeOf(known) === sizeOf(set))) {
        matched += sizeOf(known);
        continue;
      }
      const others = new Set(known === undefined ? [] : offsetsIn(known));
      for (const offset of offsetsIn(set)) {
        const slot = segment * SEGMENT + offset;
        if (slot > highest) continue;
        if (others.has(offset)) matched++;
        else if (doubtful.length < EXAMINED_RECORDS) doubtful.push(slot);
        else isAtLeast = true;
      }
    }
    lookUps += answer.segments.length * whole.cost;
    const last: number = answer.segments.at(-1) ?? to;
    asked = answer.segments.length < limit || last <= to ? null : { from: last - 1, to, limit, range };
    isAtLeast ||= asked === null ? to > segmentOf(slotOf(number, 0)) : lookUps + whole.cost > LOOK_UPS;
    if (lookUps + whole.cost > LOOK_UPS) break;
  }
  const examined = await countIn(reads, doubtful, filter, turn);
  return { matched: matched + examined.matched, isAtLeast: isAtLeast || examined.isAtLeast };
}

/** How many records of these slots match, as far as one request may examine them. */
async function countIn(
  reads: FoundReads,
  slots: readonly number[],
  filter: RecordFilter,
  turn: () => Promise<void>,
): Promise<Matched> {
  let [matched, length] = [0, 0];
  for (let at = 0; at < slots.length; at += SLICE_RECORDS) {
    if (length >= EXAMINED_TEXT) return { matched, isAtLeast: true };
    await turn();
    const { records } = await reads.records(slots.slice(at, at + SLICE_RECORDS));
    for (const record of records) {
      if (filter.matches(record)) matched++;
      length += lengthOf(record);
    }
  }
  return { matched, isAtLeast: false };
}
