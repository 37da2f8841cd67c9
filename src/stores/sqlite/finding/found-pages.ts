// How a SqliteStore reads a register for pages of filters that the index of terms answers.
import type { RecordFilter } from '../../../register/finding/filter.ts';
import type { Page, PageQuery } from '../../../register/page.ts';
import { type FoundHead, foundPage, type FoundReads } from '../../logic/finding/found-page.ts';
import { POSTINGS } from '../../logic/finding/postings.ts';
import { TERM_STATE } from '../../logic/finding/term-state.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs } from '../../rows/columns.ts';
import type { SqliteConnection } from '../connection.ts';
import type { SqliteStatement } from '../statement.ts';

const PAGE = PAGE_COLUMNS.join(', ');

/** The statements, each a look-up or one range of a key. */
export const SELECTS: Readonly<Record<'head' | 'posting' | 'record' | 'below', string>> = {
  head: `SELECT ${TERM_STATE.of('t')}, g.top, g.change FROM registers g
    JOIN register_terms t ON t.register = g.number WHERE g.number = ? AND g.is_removed = 0`,
  posting: 'SELECT segment, term, positions FROM term_postings WHERE segment = ? AND term = ?',
  record: `SELECT ${PAGE} FROM records WHERE slot = ?`,
  below: `SELECT ${PAGE} FROM records WHERE slot <= ? AND slot >= ? ORDER BY slot DESC LIMIT ?`,
};

/** The prepared statements of one connection. */
export class SqliteFoundPages {
  readonly #connection: SqliteConnection;
  readonly #head: SqliteStatement;
  readonly #posting: SqliteStatement;
  readonly #record: SqliteStatement;
  readonly #below: SqliteStatement;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#head = connection.prepare(SELECTS.head);
    this.#posting = connection.prepare(SELECTS.posting);
    this.#record = connection.prepare(SELECTS.record);
    this.#below = connection.prepare(SELECTS.below);
  }

  /** As {@link foundPage}. */
  async page(shown: ShownAs, number: number, filter: RecordFilter, query: PageQuery): Promise<Page> {
    const head = (): FoundHead | null => {
      const row = this.#head.get(number);
      if (row === undefined) return null;
      const [top, change] = row.slice(TERM_STATE.columns.length);
      return { index: TERM_STATE.read(row), top: Number(top), change: Number(change) };
    };
    const postingsOf = (segment: number, terms: readonly string[]) =>
      terms.flatMap((term) => this.#posting.all(segment, term).map(POSTINGS.read));
    const reads: FoundReads = {
      head,
      postings: (segments, terms) =>
        this.#connection.read(() => {
          const found = head();
          return found && { head: found, postings: segments.flatMap((segment) => postingsOf(segment, terms)) };
        }),
      records: (slots) =>
        this.#connection.read(() => {
          const rows = slots.flatMap((slot) => this.#record.all(slot));
          return { change: head()?.change ?? null, records: rows.map((row) => recordOf(shown, row)) };
        }),
      below: (highest, lowest, limit) => this.#below.all(highest, lowest, limit).map((row) => recordOf(shown, row)),
    };
    return foundPage({ shown, number, reads }, filter, query);
  }
}
