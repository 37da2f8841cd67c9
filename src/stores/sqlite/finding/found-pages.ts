// Pages of filters that the index of terms answers. Each look is one statement on one segment: what is known of a record's
// words is then true of the record that comes with it. Between looks others get their turn.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordFilter } from '../../../register/finding/filter.ts';
import type { Page, PageQuery } from '../../../register/page.ts';
import { throwIfAborted } from '../../../register/sources/source.ts';
import type { RegisterRecord } from '../../../register/record.ts';
import { type EntryLook, findPage, type LookAnswer, type RecordsLook } from '../../logic/finding/found-page.ts';
import { checkSearch, isComplete, TERM_STATE } from '../../logic/finding/term-state.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs, SLOT_SPAN, slotOf, type SqlRow } from '../../rows/columns.ts';
import { rangeOf, unknownFeed } from '../../rows/register.ts';
import type { SqliteConnection } from '../connection.ts';
import type { SqliteStatement } from '../statement.ts';
import { matchText, SEGMENT, segmentOf, TERM_INDEX } from './term-index.ts';

/** The most look-ups in the index for one request: each takes about 20 µs. */
const LOOK_UPS = 2500;

/** The most terms of a group: for each entry SQLite looks which of them comes next. */
const MOST_TERMS = 128;

/** For how long a request reads before others get their turn, in milliseconds. */
const TURN_MS = 8;

const PAGE = PAGE_COLUMNS.map((name) => `r.${name}`).join(', ');

/**
 * The statements: the records of a segment that match, its entries, and records without the index; newest first. Parameters:
 * the text that is matched, except of the last; the lowest and the highest slot, and how many.
 */
export const SELECTS: Readonly<Record<'found' | 'entries' | 'all', string>> = {
  found: `SELECT ${PAGE} FROM ${TERM_INDEX} f CROSS JOIN records r ON r.slot = f.rowid
    WHERE f.${TERM_INDEX} MATCH ? AND f.rowid BETWEEN ? AND ? ORDER BY f.rowid DESC LIMIT ?`,
  entries: `SELECT rowid FROM ${TERM_INDEX}
    WHERE ${TERM_INDEX} MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ?`,
  all: `SELECT ${PAGE} FROM records r WHERE r.slot BETWEEN ? AND ? ORDER BY r.slot DESC LIMIT ?`,
};

/** The index became another one while it was read. */
const CHANGED: unique symbol = Symbol('changed');

/** A register in which records are looked for. */
interface Searched {
  readonly shown: ShownAs;
  readonly number: number;
  /** The generation of the index, if it holds the terms of all records; null: no index is asked. */
  readonly generation: number | null;
}

/** The prepared statements of one connection. */
export class SqliteFoundPages {
  readonly #connection: SqliteConnection;
  readonly #head: SqliteStatement;
  readonly #found: SqliteStatement;
  readonly #entries: SqliteStatement;
  readonly #all: SqliteStatement;
  #turnEnds = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#head = connection.prepare(`SELECT ${TERM_STATE.columns.join(', ')}, g.top FROM registers g
      JOIN register_terms t ON t.register = g.number WHERE g.number = ? AND g.is_removed = 0`);
    this.#found = connection.prepare(SELECTS.found);
    this.#entries = connection.prepare(SELECTS.entries);
    this.#all = connection.prepare(SELECTS.all);
  }

  /**
   * The page of a filter.
   *
   * @throws GazetteError as `rangeOf()` and `checkSearch()`; `unknown_feed`
   */
  async page(shown: ShownAs, number: number, filter: RecordFilter, query: PageQuery): Promise<Page> {
    for (;;) {
      const row = this.#head.get(number);
      if (row === undefined) throw unknownFeed(shown.id);
      const state = TERM_STATE.read(row);
      const isIndexed = isComplete(state, shown);
      checkSearch(filter, shown, isIndexed);
      const range = rangeOf(query, Number(row.at(-1)));
      const searched = { shown, number, generation: isIndexed ? state.generation : null };
      const steps = findPage(filter, query, range, { isIndexed, mostTerms: MOST_TERMS, reachOf });
      let step = steps.next([]);
      while (step.done !== true) {
        const { value: look } = step;
        const answer = await (look.kind === 'records'
          ? this.#records(searched, look, query)
          : this.#entry(searched, look, query));
        // The terms of the register are made again since it was asked.
        if (answer === CHANGED) break;
        step = steps.next(answer);
      }
      if (step.done === true) return step.value;
    }
  }

  async #records(searched: Searched, look: RecordsLook, query: PageQuery): Promise<LookAnswer | typeof CHANGED> {
    const { shown, number } = searched;
    const records: RegisterRecord[] = [];
    const take = (rows: readonly SqlRow[]): void => {
      records.push(...rows.map((row) => recordOf(shown, row)));
    };
    if (look.groups.length === 0) {
      await this.#turn(query);
      take(this.#all.all(slotOf(number, look.lowest), slotOf(number, look.from), look.limit));
      return records;
    }
    for (const [lowest, from] of segmentsIn(number, look)) {
      await this.#turn(query);
      const rows = this.#read(searched, () =>
        this.#found.all(matchText(look.groups, segmentOf(from)), lowest, from, look.limit - records.length),
      );
      if (rows === CHANGED) return rows;
      take(rows);
      if (records.length >= look.limit) break;
    }
    return records;
  }

  async #entry(searched: Searched, look: EntryLook, query: PageQuery): Promise<LookAnswer | typeof CHANGED> {
    let left = look.nth;
    for (const [lowest, from] of segmentsIn(searched.number, look)) {
      await this.#turn(query);
      const rows = this.#read(searched, () =>
        this.#entries.all(matchText([look.group], segmentOf(from)), lowest, from, left),
      );
      if (rows === CHANGED) return rows;
      left -= rows.length;
      if (left === 0) return (rows.at(-1)![0] as number) % SLOT_SPAN;
    }
    return 0;
  }

  /** Reads the index as it was when the request began; another connection may begin to make it again. */
  #read({ number, generation }: Searched, work: () => readonly SqlRow[]): readonly SqlRow[] | typeof CHANGED {
    return this.#connection.read(() => {
      const row = this.#head.get(number);
      return row !== undefined && TERM_STATE.read(row).generation === generation ? work() : CHANGED;
    });
  }

  async #turn({ signal }: PageQuery): Promise<void> {
    if (performance.now() < this.#turnEnds) return;
    await nextTurn();
    throwIfAborted(signal);
    this.#turnEnds = performance.now() + TURN_MS;
  }
}

/** How far a request may look, by the number of terms that it looks up in each segment. */
function reachOf(terms: number): number {
  return Math.max(Math.floor(LOOK_UPS / terms), 1) * SEGMENT;
}

/** The slots of a look, segment by segment: the lowest and the highest of each, newest first. */
function* segmentsIn(
  register: number,
  { from, lowest }: { readonly from: number; readonly lowest: number },
): Generator<readonly [number, number], void, undefined> {
  const end = slotOf(register, lowest);
  for (let slot = slotOf(register, from); slot >= end; slot = segmentOf(slot) * SEGMENT - 1) {
    yield [Math.max(end, segmentOf(slot) * SEGMENT), slot];
  }
}
