// How a SqliteStore reads a register for pages of filters that the index of terms answers.
import type { RecordFilter } from '../../../register/finding/filter.ts';
import type { Matched, Page, PageQuery } from '../../../register/page.ts';
import type { MatchedQuery } from '../../../register/sources/matched.ts';
import { foundCount } from '../../logic/finding/found-count.ts';
import { foundPage } from '../../logic/finding/found-page.ts';
import type { FoundHead, FoundReads, Searched } from '../../logic/finding/found-reads.ts';
import {
  beginningsIn,
  consecutive,
  firstOf,
  type FoundSet,
  type Look,
  MOST_WORDS,
  type SegmentsAsked,
  termsIn,
} from '../../logic/finding/segments.ts';
import { TERM_STATE } from '../../logic/finding/term-state.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs, type SqlValue } from '../../rows/columns.ts';
import { asBytes } from '../../rows/sql.ts';
import type { SqliteConnection } from '../connection.ts';
import type { SqliteStatement } from '../statement.ts';

const PAGE = PAGE_COLUMNS.join(', ');

type StatementName = 'head' | 'term' | 'beginning' | 'range' | 'segments' | 'records' | 'below';

/**
 * The statements: look-ups in a key, or one range of it. Segments and slots come as JSON lists, because a statement for each
 * of them would take longer than its look-up.
 */
export const SELECTS: Readonly<Record<StatementName, string>> = {
  head: `SELECT ${TERM_STATE.of('t')}, g.top, g.change FROM registers g
    JOIN register_terms t ON t.register = g.number WHERE g.number = ? AND g.is_removed = 0`,
  term: `SELECT segment, positions FROM json_each(?) AS s CROSS JOIN term_postings AS t WHERE t.segment = s.value AND t.term = ?`,
  beginning: `SELECT positions FROM term_postings WHERE segment = ? AND term >= ? AND term < ? || char(1114111) LIMIT ${MOST_WORDS + 1}`,
  range: `SELECT segment, keys FROM json_each(?) AS s CROSS JOIN value_columns AS c WHERE c.segment = s.value AND c.field = ?
    AND c.lowest <= ? AND c.highest >= ?`,
  segments: `SELECT segment FROM value_columns INDEXED BY value_columns_ranges WHERE field = ? AND segment BETWEEN ? AND ?
    AND lowest <= ? AND highest >= ? ORDER BY segment DESC LIMIT ?`,
  records: `SELECT ${PAGE} FROM records WHERE slot IN (SELECT value FROM json_each(?)) ORDER BY slot DESC`,
  below: `SELECT ${PAGE} FROM records WHERE slot <= ? AND slot >= ? ORDER BY slot DESC LIMIT ?`,
};

/** The prepared statements of one connection. */
export class SqliteFoundPages {
  readonly #connection: SqliteConnection;
  readonly #statements: Readonly<Record<StatementName, SqliteStatement>>;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    const prepare = (name: StatementName): SqliteStatement => connection.prepare(SELECTS[name]);
    this.#statements = {
      ...{ head: prepare('head'), term: prepare('term'), beginning: prepare('beginning'), range: prepare('range') },
      ...{ segments: prepare('segments'), records: prepare('records'), below: prepare('below') },
    };
  }

  /** As {@link foundPage}. */
  async page(shown: ShownAs, number: number, filter: RecordFilter, query: PageQuery): Promise<Page> {
    return foundPage(this.#searched(shown, number), filter, query);
  }

  /** As {@link foundCount}. */
  async count(shown: ShownAs, number: number, filter: RecordFilter, query: MatchedQuery): Promise<Matched | null> {
    return foundCount(this.#searched(shown, number), filter, query);
  }

  #searched(shown: ShownAs, number: number): Searched {
    const head = (): FoundHead | null => {
      const row = this.#statements.head.get(number);
      if (row === undefined) return null;
      const [top, change] = row.slice(TERM_STATE.columns.length);
      return { index: TERM_STATE.read(row), top: Number(top), change: Number(change) };
    };
    const reads: FoundReads = {
      firstSegments: 1,
      head,
      look: (asked, look) =>
        this.#connection.read(() => {
          const at = head();
          if (at === null) return null;
          const chosen = 'asOf' in asked ? firstOf(asked, number, at.top) : asked;
          const segments = 'from' in chosen ? this.#segments(chosen) : chosen;
          return { head: at, segments, found: this.#found(segments, look) };
        }),
      records: (slots) =>
        this.#connection.read(() => {
          const rows = this.#statements.records.all(JSON.stringify(slots));
          return { change: head()?.change ?? null, records: rows.map((row) => recordOf(shown, row)) };
        }),
      below: (highest, lowest, limit) =>
        this.#statements.below.all(highest, lowest, limit).map((row) => recordOf(shown, row)),
    };
    return { shown, number, reads };
  }

  #segments(asked: SegmentsAsked): number[] {
    const { from, to, limit, range } = asked;
    if (range === null) return consecutive(asked);
    const { field, lowest, highest } = range;
    return this.#statements.segments.all(field, to, from, highest, lowest, limit).map(([segment]) => Number(segment));
  }

  #found(segments: readonly number[], look: Look): FoundSet[] {
    const { term, beginning, range } = this.#statements;
    const listed = JSON.stringify(segments);
    const found: FoundSet[] = [];
    const add = (kind: FoundSet['kind'], name: string, segment: SqlValue, bytes: SqlValue): void => {
      found.push({ segment: Number(segment), kind, name, bytes: asBytes(bytes) });
    };
    for (const name of termsIn(look)) {
      for (const [segment, bytes] of term.all(listed, name)) add('term', name, segment!, bytes!);
    }
    for (const name of beginningsIn(look)) {
      for (const segment of segments) {
        for (const [bytes] of beginning.all(segment, name, name)) add('beginning', name, segment, bytes!);
      }
    }
    for (const { field, lowest, highest } of look.ranges) {
      for (const [segment, bytes] of range.all(listed, field, highest, lowest)) add('range', field, segment!, bytes!);
    }
    return found;
  }
}
