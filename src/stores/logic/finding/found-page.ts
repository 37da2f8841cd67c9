// How a page of a filter is found that the index of terms answers, the same for every store: segment by segment, newest first,
// what the index has of them is read and put together (segments.ts); the records that are left are read and examined. A request
// does no more than a bound, returns what it found, and says where to go on.
import type { RecordFilter } from '../../../register/finding/filter.ts';
import { indexQuestion } from '../../../register/finding/terms.ts';
import { EXAMINED_RECORDS, offsetAfter, type Page, PAGE_SIZE, type PageQuery } from '../../../register/page.ts';
import type { RegisterRecord } from '../../../register/record.ts';
import { SLOT_SPAN, slotOf } from '../../rows/columns.ts';
import { pageOf, type PageRange, rangeOf, unknownFeed } from '../../rows/register.ts';
import type { FoundReads, Looked, Searched } from './found-reads.ts';
import { MARGIN, Pace, turnsOf } from './pace.ts';
import { SEGMENT } from './postings.ts';
import {
  asksIndex,
  type FirstAsked,
  firstOf,
  keptIn,
  type Look,
  type Plan,
  planOf,
  type SegmentsAsked,
  slotsIn,
} from './segments.ts';
import { checkSearch, isComplete } from './term-state.ts';

/** The most characters of records' texts that a request examines. */
export const EXAMINED_TEXT: number = 2 ** 22;

/** The most sets of terms that a request reads: each takes about 2 µs, and has at most 512 bytes. It passes over as many segments. */
export const LOOK_UPS = 10_000;

/** How many of them are read at once. */
export const SLICE_LOOK_UPS = 1000;

/** How many records are read at once, and of how many characters, by the length of those before. */
export const SLICE_RECORDS = 500;
const SLICE_TEXT = 2 ** 19;

/**
 * The page of a filter.
 *
 * @throws GazetteError as `rangeOf()` and `checkSearch()`; `unknown_feed`
 */
export async function foundPage(searched: Searched, filter: RecordFilter, query: PageQuery): Promise<Page> {
  const { shown, reads } = searched;
  // What is wrong for every register is refused before it is asked.
  rangeOf({ ...query, asOf: 0 }, 0);
  const mayBeView = query.asOf === undefined || Number.isSafeInteger(query.asOf);
  const question = indexQuestion(filter, shown.prices !== undefined);
  const plan = asksIndex(question) ? planOf(question) : null;
  for (;;) {
    const first = plan !== null && mayBeView ? await reads.look(firstAsked(reads, plan, query), plan.whole) : null;
    const head = first?.head ?? (await reads.head());
    if (head === null) throw unknownFeed(shown.id);
    const isIndexed = isComplete(head.index, shown);
    checkSearch(filter, shown, isIndexed);
    const search = new Search(searched, filter, query, rangeOf(query, head.top));
    const page = await (isIndexed && plan !== null && first !== null ? search.find(plan, first) : search.readAll());
    // The terms of the register are made again since it was asked.
    if (page !== null) return page;
  }
}

/** The first segments that are read, together with the register itself. */
function firstAsked({ firstSegments }: FoundReads, { whole, range }: Plan, { asOf, offset }: PageQuery): FirstAsked {
  const limit = Math.min(firstSegments, Math.max(Math.floor(SLICE_LOOK_UPS / whole.cost), 1));
  return { asOf: asOf === undefined ? null : Number(asOf), offset, most: LOOK_UPS, limit, range };
}

/** One request. */
class Search {
  readonly #searched: Searched;
  readonly #filter: RecordFilter;
  readonly #query: PageQuery;
  readonly #range: PageRange;
  readonly #found: RegisterRecord[] = [];
  #examined = 0;
  #lookUps = 0;
  #length = 0;
  readonly #turn: () => Promise<void>;
  /** Slots that the index has and that are not read yet, highest first, and the register's changes when they were found. */
  #waiting: number[] = [];
  #known = 0;
  #signature = '';

  constructor(searched: Searched, filter: RecordFilter, query: PageQuery, range: PageRange) {
    this.#searched = searched;
    this.#filter = filter;
    this.#query = query;
    this.#range = range;
    this.#turn = turnsOf(query.signal);
  }

  /** Without an index: reads every record. */
  async readAll(): Promise<Page> {
    const { number, reads } = this.#searched;
    const { from } = this.#range;
    const end = Math.max(from - EXAMINED_RECORDS, 0);
    let at = from;
    while (at > end && this.#mayGoOn()) {
      const limit = this.#slice();
      await this.#turn();
      const records = await reads.below(slotOf(number, at), slotOf(number, end + 1), limit);
      if (this.#take(records, records.length, false)) return this.#fullPage();
      at = records.length < limit ? end : records.at(-1)!.position! - 1;
    }
    return this.#pageTo(at);
  }

  /**
   * Reads the records that the complete index has for a question. Null: it is not complete any more.
   *
   * @param first what the index has of the first segments
   */
  async find(plan: Plan, first: Looked): Promise<Page | null> {
    const { number, reads } = this.#searched;
    this.#signature = first.head.index.signature;
    const asked = firstAsked(reads, plan, this.#query);
    const { to } = firstOf(asked, number, first.head.top);
    const highest = slotOf(number, this.#range.from);
    const [pace, restPace] = [new Pace(), new Pace()];
    let [answer, look, limit]: [Looked, Look, number] = [first, plan.whole, asked.limit];
    this.#lookUps += answer.segments.length * look.cost;
    for (;;) {
      const kept = keptIn(look, null, answer.found);
      const rest = look === plan.whole ? null : plan.rest;
      const segments = [...kept.keys()];
      let candidates = 0;
      for (let at = 0; at < segments.length;) {
        const most = rest === null ? segments.length : this.#atOnce(rest, restPace.next(this.#missing()));
        if (most === 0) return this.#endAt(this.#endOf(segments[at]!));
        const part = segments.slice(at, at + most);
        let left: ReadonlyMap<number, Uint8Array> = kept;
        if (rest !== null) {
          const again = await this.#look(part, rest);
          if (again === null) return null;
          left = keptIn(rest, kept, again.found);
        }
        const slots = slotsIn(left).filter((slot) => slot <= highest);
        const page = await this.#await(slots, answer.head.change);
        if (page !== null) return page;
        at += part.length;
        candidates += slots.length;
        restPace.read(part.length, slots.length);
      }
      if (answer.segments.length < limit || answer.segments.at(-1)! <= to) return this.#endAt(this.#endOf(to - 1));
      pace.read(answer.segments.length, candidates);
      const segment = answer.segments.at(-1)! - 1;
      const count = pace.next(this.#missing());
      // Of a single segment everything is read at once.
      look = count === 1 ? plan.whole : plan.first;
      limit = this.#atOnce(look, count);
      if (limit === 0) return this.#endAt(this.#endOf(segment));
      const next = await this.#look({ from: segment, to, limit, range: plan.range }, look);
      if (next === null) return null;
      answer = next;
    }
  }

  /** How many records the page still needs, if all that wait match: one more than it has says that there are others. */
  #missing(): number {
    return this.#query.limit + 1 - this.#found.length - this.#waiting.length;
  }

  /** How many segments are read at once; 0: no more are. */
  #atOnce({ cost }: Look, count: number): number {
    if (this.#lookUps > 0 && this.#lookUps + cost > LOOK_UPS) return 0;
    const most = Math.min(SLICE_LOOK_UPS, LOOK_UPS - this.#lookUps);
    return Math.min(count, Math.max(Math.floor(most / cost), 1));
  }

  /** Null: the index is not complete any more. */
  async #look(segments: SegmentsAsked | readonly number[], look: Look): Promise<Looked | null> {
    const { shown, reads } = this.#searched;
    await this.#turn();
    const answer = await reads.look(segments, look);
    if (answer === null) throw unknownFeed(shown.id);
    this.#lookUps += answer.segments.length * look.cost;
    const { next, signature } = answer.head.index;
    return next === 0 && signature === this.#signature ? answer : null;
  }

  /**
   * Lets slots wait until there are enough for a page, so that those of many segments are read at once.
   *
   * @param change the changes of the register when its terms were read
   */
  async #await(slots: readonly number[], change: number): Promise<Page | null> {
    // What is known of them at different times is not known together.
    this.#known = this.#waiting.length === 0 || this.#known === change ? change : NaN;
    this.#waiting = [...this.#waiting, ...slots];
    return this.#missing() > 0 ? null : this.#examine();
  }

  /** Reads the records of the slots that wait. */
  async #examine(): Promise<Page | null> {
    const [slots, known] = [this.#waiting, this.#known];
    this.#waiting = [];
    for (let at = 0; at < slots.length;) {
      if (!this.#mayGoOn()) return this.#pageTo(slots[at]! % SLOT_SPAN);
      const slice = slots.slice(at, at + this.#slice());
      await this.#turn();
      const { records, change } = await this.#searched.reads.records(slice);
      // What is known of a record's words is true as long as nothing has changed.
      if (this.#take(records, slice.length, change === known)) return this.#fullPage();
      at += slice.length;
    }
    return null;
  }

  /** The page when the positions above `at` have been looked up. */
  async #endAt(at: number): Promise<Page> {
    return (await this.#examine()) ?? this.#pageTo(at);
  }

  /** The highest position of a segment. */
  #endOf(segment: number): number {
    return Math.min((segment + 1) * SEGMENT - 1 - slotOf(this.#searched.number, 0), this.#range.from);
  }

  /** Whether a slice fills the page. */
  #take(records: readonly RegisterRecord[], count: number, areWordsFound: boolean): boolean {
    for (const record of records) {
      if (this.#filter.matches(record, areWordsFound)) this.#found.push(record);
      if (this.#found.length > this.#query.limit) return true;
      // How far a page goes says nothing of what its reader does not see.
      this.#length += lengthOf(this.#filter.preview?.(record) ?? record);
    }
    this.#examined += count;
    return false;
  }

  #mayGoOn(): boolean {
    return this.#examined < EXAMINED_RECORDS && this.#length < EXAMINED_TEXT;
  }

  #slice(): number {
    // How long the records are is not known yet, and a walk asks for several pages at once.
    if (this.#examined === 0) return Math.min(this.#query.limit, PAGE_SIZE) + 1;
    const mean = Math.max(this.#length / this.#examined, 1);
    // As many as the page still needs, if as many of them match as of those before.
    const needed =
      (this.#query.limit + 1 - this.#found.length) * (this.#examined / Math.max(this.#found.length, 1)) * MARGIN;
    return Math.min(Math.max(Math.floor(SLICE_TEXT / mean), 1), Math.ceil(needed), SLICE_RECORDS);
  }

  #fullPage(): Page {
    return pageOf(this.#found, this.#query, this.#range.asOf);
  }

  /** The page when the positions above `at` have been examined. */
  #pageTo(at: number): Page {
    const { asOf } = this.#range;
    if (at < 1) return this.#fullPage();
    return { records: this.#found, nextOffset: offsetAfter(asOf, at + 1), asOf };
  }
}

/** The length of the texts of a record that may be long. */
export function lengthOf({ summary, content, title }: RegisterRecord): number {
  return title.length + (summary?.length ?? 0) + (content?.length ?? 0);
}
