// The pages of a SqliteStore: ranges of the records' key, or of a filter's index, which ends with that key. A page with
// both filters walks the sparser of their two indexes, for a limited distance per request.
import { type FilterKind, filterIn, INDEXED, indexOf } from '../../logic/finding/filter-index.ts';
import { offsetAfter, type Page, type PageQuery } from '../../../register/page.ts';
import { PAGE_COLUMNS, recordOf, type ShownAs, SLOT_SPAN, slotOf } from '../../rows/columns.ts';
import { pageOf, type PageRange } from '../../rows/register.ts';
import type { SqliteConnection } from '../connection.ts';
import type { SqliteStatement } from '../statement.ts';

/**
 * How many entries of one filter's index a page reads when it also checks the other filter: about ten milliseconds. A
 * page that ends there may be short or empty although later ones exist.
 */
const SCAN_LENGTH = 10_000;

/** How many entries of both indexes are read to find the sparser one. */
const PROBE_LENGTH = 200;

const PAGE = PAGE_COLUMNS.join(', ');

type FilterColumn = keyof typeof INDEXED;

/**
 * Selects the records of a page, newest first. Parameters: the filter's value if there is one, the lowest slot, the
 * highest slot and the number of records.
 */
function selectPage(kind: Exclude<FilterKind, 'both' | 'terms'>): string {
  const matching = kind === 'none' ? 'FROM records WHERE slot BETWEEN ? AND ?' : matchingIn(kind);
  return `SELECT ${PAGE} ${matching} ORDER BY slot DESC LIMIT ?`;
}

/** The prepared statements for pages. */
export class SqlitePages {
  readonly #connection: SqliteConnection;
  readonly #matches: Readonly<Record<Exclude<FilterKind, 'both' | 'terms'>, SqliteStatement>>;
  readonly #record: SqliteStatement;
  readonly #nth: Readonly<Record<FilterColumn, SqliteStatement>>;
  readonly #both: Readonly<Record<FilterColumn, SqliteStatement>>;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    const forBoth = (sql: (column: FilterColumn) => string): Readonly<Record<FilterColumn, SqliteStatement>> => ({
      type: connection.prepare(sql('type')),
      facility: connection.prepare(sql('facility')),
    });
    this.#matches = {
      none: connection.prepare(selectPage('none')),
      type: connection.prepare(selectPage('type')),
      facility: connection.prepare(selectPage('facility')),
    };
    this.#record = connection.prepare(`SELECT ${PAGE} FROM records WHERE slot = ?`);
    this.#nth = forBoth((column) => `SELECT slot ${matchingIn(column)} ORDER BY slot DESC LIMIT 1 OFFSET ?`);
    this.#both = forBoth((column) => {
      const scan = `SELECT slot, ${INDEXED.type}, ${INDEXED.facility} ${matchingIn(column)} ORDER BY slot DESC LIMIT ${SCAN_LENGTH}`;
      return `SELECT slot FROM (${scan}) WHERE ${INDEXED[other(column)]} = ? ORDER BY slot DESC LIMIT ?`;
    });
  }

  /** The page in a range that is not empty. */
  read(shown: ShownAs, number: number, query: PageQuery, { asOf, from }: PageRange): Page {
    const range = [slotOf(number, 1), slotOf(number, from)] as const;
    const { kind, values } = indexOf(filterIn(shown, query));
    if (kind === 'terms') throw new TypeError('found otherwise');
    if (kind === 'both') {
      const both = values as readonly [string, string];
      return this.#connection.read(() => this.#readBoth(shown, range, both, query, asOf));
    }
    const rows = this.#matches[kind].all(...values, ...range, query.limit + 1);
    return pageOf(
      rows.map((row) => recordOf(shown, row)),
      query,
      asOf,
    );
  }

  #readBoth(
    shown: ShownAs,
    range: readonly [number, number],
    [type, facility]: readonly [string, string],
    query: PageQuery,
    asOf: number,
  ): Page {
    const values = { type, facility } as const;
    const nth = (column: FilterColumn, count: number): number => {
      // No such entry: the index ends before it, and everything down to slot 0 has been checked.
      return (this.#nth[column].get(values[column], ...range, count - 1)?.[0] ?? 0) as number;
    };
    const byType = nth('type', PROBE_LENGTH) < nth('facility', PROBE_LENGTH);
    const column = byType ? 'type' : 'facility';
    const slots = this.#both[column].all(values[column], ...range, values[other(column)], query.limit + 1);
    const records = slots.map(([slot]) => recordOf(shown, this.#record.get(slot as number)!));
    const page = pageOf(records, query, asOf);
    if (page.nextOffset !== null) return page;
    const end = nth(column, SCAN_LENGTH);
    return end === 0 ? page : { ...page, nextOffset: offsetAfter(asOf, end % SLOT_SPAN) };
  }
}

function matchingIn(column: FilterColumn): string {
  // The index is named, because the planner has no statistics and should not choose.
  return `FROM records INDEXED BY records_${column} WHERE ${INDEXED[column]} = ? AND slot BETWEEN ? AND ?`;
}

function other(column: FilterColumn): FilterColumn {
  return column === 'type' ? 'facility' : 'type';
}
