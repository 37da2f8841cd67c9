// How a SqliteStore reads a register for pages of filters that the index of terms answers.
import type { RecordFilter } from '../../../register/finding/filter.ts';
import type { Page, PageQuery } from '../../../register/page.ts';
import { type FoundHead, foundPage, type FoundReads } from '../../logic/finding/found-page.ts';
import {
  consecutive,
  type FoundSet,
  type Look,
  MOST_WORDS,
  type SegmentsAsked,
  termsIn,
} from '../../logic/finding/segments.ts';
import { TERM_STATE } from '../../logic/finding/term-state.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs, type SqlRow } from '../../rows/columns.ts';
import { asBytes } from '../../rows/sql.ts';
import type { SqliteConnection } from '../connection.ts';
import type { SqliteStatement } from '../statement.ts';

const PAGE = PAGE_COLUMNS.join(', ');

type StatementName = 'head' | 'term' | 'beginning' | 'range' | 'segments' | 'record' | 'below';

/** The statements, each a look-up or one range of a key. */
export const SELECTS: Readonly<Record<StatementName, string>> = {
  head: `SELECT ${TERM_STATE.of('t')}, g.top, g.change FROM registers g
    JOIN register_terms t ON t.register = g.number WHERE g.number = ? AND g.is_removed = 0`,
  term: 'SELECT positions FROM term_postings WHERE segment = ? AND term = ?',
  beginning: `SELECT positions FROM term_postings WHERE segment = ? AND term >= ?2 AND term < ?2 || char(1114111) LIMIT ${MOST_WORDS + 1}`,
  range: 'SELECT keys FROM value_columns WHERE segment = ? AND field = ? AND lowest <= ? AND highest >= ?',
  segments: `SELECT segment FROM value_columns INDEXED BY value_columns_ranges WHERE field = ? AND segment BETWEEN ? AND ?
    AND lowest <= ? AND highest >= ? ORDER BY segment DESC LIMIT ?`,
  record: `SELECT ${PAGE} FROM records WHERE slot = ?`,
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
      ...{ segments: prepare('segments'), record: prepare('record'), below: prepare('below') },
    };
  }

  /** As {@link foundPage}. */
  async page(shown: ShownAs, number: number, filter: RecordFilter, query: PageQuery): Promise<Page> {
    const head = (): FoundHead | null => {
      const row = this.#statements.head.get(number);
      if (row === undefined) return null;
      const [top, change] = row.slice(TERM_STATE.columns.length);
      return { index: TERM_STATE.read(row), top: Number(top), change: Number(change) };
    };
    const reads: FoundReads = {
      head,
      look: (asked, look) =>
        this.#connection.read(() => {
          const at = head();
          if (at === null) return null;
          const segments = 'from' in asked ? this.#segments(asked) : asked;
          return { head: at, segments, found: segments.flatMap((segment) => this.#found(segment, look)) };
        }),
      records: (slots) =>
        this.#connection.read(() => {
          const rows = slots.flatMap((slot) => this.#statements.record.all(slot));
          return { change: head()?.change ?? null, records: rows.map((row) => recordOf(shown, row)) };
        }),
      below: (highest, lowest, limit) =>
        this.#statements.below.all(highest, lowest, limit).map((row) => recordOf(shown, row)),
    };
    return foundPage({ shown, number, reads }, filter, query);
  }

  #segments(asked: SegmentsAsked): number[] {
    const { from, to, limit, range } = asked;
    if (range === null) return consecutive(asked);
    const { field, lowest, highest } = range;
    return this.#statements.segments.all(field, to, from, highest, lowest, limit).map(([segment]) => Number(segment));
  }

  #found(segment: number, look: Look): FoundSet[] {
    const { term, beginning, range } = this.#statements;
    const toSets = (kind: FoundSet['kind'], name: string, rows: readonly SqlRow[]): FoundSet[] =>
      rows.map(([bytes]) => ({ segment, kind, name, bytes: asBytes(bytes) }));
    return [
      ...termsIn(look).flatMap((name) => toSets('term', name, term.all(segment, name))),
      ...look.beginnings.flatMap((name) => toSets('beginning', name, beginning.all(segment, name))),
      ...look.ranges.flatMap(({ field, lowest, highest }) =>
        toSets('range', field, range.all(segment, field, highest, lowest)),
      ),
    ];
  }
}
