// How a page of a filter is found that the index of terms answers, the same for every store: the sets of the terms are read
// segment by segment, newest first, and put together; the records that are left are read and examined. A request does no more
// than a bound, returns what it found, and says where to go on.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordFilter } from '../../../register/finding/filter.ts';
import { termGroups } from '../../../register/finding/terms.ts';
import { offsetAfter, type Page, PAGE_SIZE, type PageQuery } from '../../../register/page.ts';
import type { RegisterRecord } from '../../../register/record.ts';
import { throwIfAborted } from '../../../register/sources/source.ts';
import { type ShownAs, SLOT_SPAN, slotOf } from '../../rows/columns.ts';
import { pageOf, type PageRange, rangeOf, unknownFeed } from '../../rows/register.ts';
import { addStored, noBits, offsetsIn, type Posting, SEGMENT, segmentOf } from './postings.ts';
import { checkSearch, isComplete, type TermState } from './term-state.ts';

/** The most records that a request examines. */
export const EXAMINED_RECORDS = 20_000;

/** The most characters of records' texts that a request examines. */
export const EXAMINED_TEXT: number = 2 ** 22;

/** The most sets of terms that a request reads: each takes about 2 µs, and has at most 512 bytes. */
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

/** How a store reads a register for pages of filters. Each answer is of one state of the store; null: the register is gone. */
export interface FoundReads {
  head(): Answer<FoundHead | null>;
  /** The sets that there are of these terms in these segments. */
  postings(
    segments: readonly number[],
    terms: readonly string[],
  ): Answer<{ readonly head: FoundHead; readonly postings: readonly Posting[] } | null>;
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
    const groups = isIndexed ? termGroups(filter) : [];
    const page = await (groups.length === 0 ? search.readAll() : search.find(groups));
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

  /** Reads the records that have a term of each group. Null: the index is not complete any more. */
  async find(groups: readonly (readonly string[])[]): Promise<Page | null> {
    const { shown, number, reads } = this.#searched;
    const terms = [...new Set(groups.flat())];
    const highest = slotOf(number, this.#range.from);
    const reach = Math.max(Math.floor(LOOK_UPS / terms.length), 1);
    const last = Math.max(segmentOf(highest) - reach + 1, segmentOf(slotOf(number, 1)));
    let count = 1;
    for (let segment = segmentOf(highest); segment >= last;) {
      const segments = Array.from({ length: Math.min(count, segment - last + 1) }, (_, down) => segment - down);
      await this.#turn();
      const answer = await reads.postings(segments, terms);
      if (answer === null) throw unknownFeed(shown.id);
      if (!isComplete(answer.head.index, shown)) return null;
      const slots = slotsIn(segments, groups, answer.postings).filter((slot) => slot <= highest);
      for (let at = 0; at < slots.length;) {
        if (!this.#mayGoOn()) return this.#pageTo(slots[at]! % SLOT_SPAN);
        const slice = slots.slice(at, at + this.#slice());
        await this.#turn();
        const { records, change } = await reads.records(slice);
        // What is known of a record's words is true as long as nothing has changed.
        if (this.#take(records, slice.length, change === answer.head.change)) return this.#fullPage();
        at += slice.length;
      }
      segment -= segments.length;
      count = Math.min(count * GROWTH, Math.max(Math.floor(SLICE_LOOK_UPS / terms.length), 1));
    }
    return this.#pageTo(last * SEGMENT - 1 - slotOf(number, 0));
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
    return Math.min(Math.max(Math.floor(SLICE_TEXT / mean), 1), SLICE_RECORDS);
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

/** The slots that have a term of each group, highest first. */
function slotsIn(
  segments: readonly number[],
  groups: readonly (readonly string[])[],
  postings: readonly Posting[],
): number[] {
  const bySegment = new Map(segments.map((segment) => [segment, new Map<string, Uint8Array>()]));
  for (const { segment, term, positions } of postings) bySegment.get(segment)?.set(term, positions);
  return [...bySegment].flatMap(([segment, sets]) => {
    if (groups.some((terms) => !terms.some((term) => sets.has(term)))) return [];
    const all = noBits().fill(255);
    for (const terms of groups) {
      const some = noBits();
      for (const term of terms) if (sets.has(term)) addStored(some, sets.get(term)!);
      for (let at = 0; at < all.length; at++) all[at]! &= some[at]!;
    }
    return offsetsIn(all).map((offset) => segment * SEGMENT + offset);
  });
}

function lengthOf({ summary, content, title }: RegisterRecord): number {
  return title.length + (summary?.length ?? 0) + (content?.length ?? 0);
}
