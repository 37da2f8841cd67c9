// How a page of a filter is found that the index of terms answers, the same for every store: segment by segment, newest first,
// what the index has of them is read and put together (segments.ts); the records that are left are read and examined. A request
// does no more than a bound, returns what it found, and says where to go on.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordFilter } from '../../../register/finding/filter.ts';
import { indexQuestion } from '../../../register/finding/terms.ts';
import { offsetAfter, type Page, PAGE_SIZE, type PageQuery } from '../../../register/page.ts';
import type { RegisterRecord } from '../../../register/record.ts';
import { throwIfAborted } from '../../../register/sources/source.ts';
import { type ShownAs, SLOT_SPAN, slotOf } from '../../rows/columns.ts';
import { pageOf, type PageRange, rangeOf, unknownFeed } from '../../rows/register.ts';
import { SEGMENT, segmentOf } from './postings.ts';
import {
  allIn,
  asksIndex,
  type FoundSet,
  keptIn,
  type Look,
  type Plan,
  planOf,
  type SegmentsAsked,
  slotsIn,
} from './segments.ts';
import { checkSearch, isComplete, type TermState } from './term-state.ts';

/** The most records that a request examines. */
export const EXAMINED_RECORDS = 20_000;

/** The most characters of records' texts that a request examines. */
export const EXAMINED_TEXT: number = 2 ** 22;

/** The most sets of terms that a request reads: each takes about 2 µs, and has at most 512 bytes. It passes over as many segments. */
export const LOOK_UPS = 10_000;

/** How many of them are read at once. */
const SLICE_LOOK_UPS = 1000;

/** By how much the segments that are read at once grow, from one. */
const GROWTH = 4;

/** How many records are read at once, and of how many characters, by the length of those before. */
const SLICE_RECORDS = 500;
const SLICE_TEXT = 2 ** 19;

/** For how long a request reads before others get their turn, in milliseconds: a store may answer at once. */
const TURN_MS = 8;

/** A register, and how far its index is. */
export interface FoundHead {
  readonly index: TermState;
  readonly top: number;
  /** Another number when any record has changed. */
  readonly change: number;
}

type Answer<T> = T | Promise<T>;

/** What the index has of segments. */
export interface Looked {
  readonly head: FoundHead;
  /** The segments, highest first. */
  readonly segments: readonly number[];
  readonly found: readonly FoundSet[];
}

/** How a store reads a register for pages of filters. Each answer is of one state of the store; null: the register is gone. */
export interface FoundReads {
  head(): Answer<FoundHead | null>;
  /** What the index has of these segments. */
  look(segments: SegmentsAsked | readonly number[], look: Look): Answer<Looked | null>;
  /** The live records of these slots, newest first, and the register's number of changes. */
  records(
    slots: readonly number[],
  ): Answer<{ readonly change: number | null; readonly records: readonly RegisterRecord[] }>;
  /** The live records of the slots from `highest` down to `lowest`, newest first. */
  below(highest: number, lowest: number, limit: number): Answer<readonly RegisterRecord[]>;
}

/** What a page is found in. */
export interface Searched {
  readonly shown: ShownAs;
  readonly number: number;
  readonly reads: FoundReads;
}

/**
 * The page of a filter.
 *
 * @throws GazetteError as `rangeOf()` and `checkSearch()`; `unknown_feed`
 */
export async function foundPage(searched: Searched, filter: RecordFilter, query: PageQuery): Promise<Page> {
  const { shown, reads } = searched;
  for (;;) {
    const head = await reads.head();
    if (head === null) throw unknownFeed(shown.id);
    const isIndexed = isComplete(head.index, shown);
    checkSearch(filter, shown, isIndexed);
    const search = new Search(searched, filter, query, rangeOf(query, head.top));
    const question = indexQuestion(filter);
    const page = await (isIndexed && asksIndex(question) ? search.find(planOf(question)) : search.readAll());
    // The terms of the register are made again since it was asked.
    if (page !== null) return page;
  }
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
  #turnEnds = 0;

  constructor(searched: Searched, filter: RecordFilter, query: PageQuery, range: PageRange) {
    this.#searched = searched;
    this.#filter = filter;
    this.#query = query;
    this.#range = range;
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

  /** Reads the records that the index has for a question. Null: it is not complete any more. */
  async find(plan: Plan): Promise<Page | null> {
    const { number } = this.#searched;
    const highest = slotOf(number, this.#range.from);
    const top = segmentOf(highest);
    const last = Math.max(top - LOOK_UPS + 1, segmentOf(slotOf(number, 1)));
    let [count, restCount] = [1, 1];
    for (let segment = top; segment >= last;) {
      // Of a single segment everything is read at once.
      const look = count === 1 ? plan.whole : plan.first;
      const limit = this.#atOnce(look, count);
      if (limit === 0) return this.#pageTo(this.#endOf(segment));
      const answer = await this.#look({ from: segment, to: last, limit, range: plan.range }, look);
      if (answer === null) return null;
      const kept = keptIn(look, allIn(answer.segments), answer.found);
      const rest = look === plan.whole ? null : plan.rest;
      const segments = [...kept.keys()];
      for (let at = 0; at < segments.length;) {
        const most = rest === null ? segments.length : this.#atOnce(rest, restCount);
        if (most === 0) return this.#pageTo(this.#endOf(segments[at]!));
        const part = segments.slice(at, at + most);
        let left = new Map(part.map((one) => [one, kept.get(one)!]));
        if (rest !== null) {
          const again = await this.#look(part, rest);
          if (again === null) return null;
          left = keptIn(rest, left, again.found);
        }
        const slots = slotsIn(left).filter((slot) => slot <= highest);
        const page = await this.#examine(slots, answer.head.change);
        if (page !== null) return page;
        at += part.length;
        restCount *= GROWTH;
      }
      segment = answer.segments.length < limit ? last - 1 : answer.segments.at(-1)! - 1;
      count *= GROWTH;
    }
    return this.#pageTo(this.#endOf(last - 1));
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
    return isComplete(answer.head.index, shown) ? answer : null;
  }

  /** Reads the records of slots. @param known the changes of the register when its terms were read */
  async #examine(slots: readonly number[], known: number): Promise<Page | null> {
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

  /** The highest position of a segment. */
  #endOf(segment: number): number {
    return Math.min((segment + 1) * SEGMENT - 1 - slotOf(this.#searched.number, 0), this.#range.from);
  }

  /** Whether a slice fills the page. */
  #take(records: readonly RegisterRecord[], count: number, areWordsFound: boolean): boolean {
    for (const record of records) {
      if (this.#filter.matches(record, areWordsFound)) this.#found.push(record);
      if (this.#found.length > this.#query.limit) return true;
      this.#length += lengthOf(record);
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
      (this.#query.limit + 1 - this.#found.length) * (this.#examined / Math.max(this.#found.length, 1)) * 1.25;
    return Math.min(Math.max(Math.floor(SLICE_TEXT / mean), 1), Math.ceil(needed), SLICE_RECORDS);
  }

  async #turn(): Promise<void> {
    throwIfAborted(this.#query.signal);
    if (performance.now() < this.#turnEnds) return;
    await nextTurn();
    throwIfAborted(this.#query.signal);
    this.#turnEnds = performance.now() + TURN_MS;
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

function lengthOf({ summary, content, title }: RegisterRecord): number {
  return title.length + (summary?.length ?? 0) + (content?.length ?? 0);
}
