// The reads of a PostgresStore. One statement per answer: a single statement sees one state of the database, two may
// not.
import { filterIn, indexOf, termFilter } from '../logic/finding/filter-index.ts';
import { foundAhead } from '../logic/finding/found-ahead.ts';
import { foundCount } from '../logic/finding/found-count.ts';
import { foundPage } from '../logic/finding/found-page.ts';
import { compileFilter, type RecordFilter } from '../../register/finding/filter.ts';
import { matchedChanges } from '../logic/finding/matched-changes.ts';
import type { Matched, Page, PageQuery } from '../../register/page.ts';
import type { ByteRows } from '../../register/sources/byte-rows.ts';
import type { MatchedQuery } from '../../register/sources/matched.ts';
import type { LiveId } from '../contract/record-keys.ts';
import type { RecordVersion, RegisterDefinition, RegisterRecord } from '../../register/record.ts';
import {
  PAGE_COLUMNS,
  RECORD_COLUMNS,
  recordOf,
  selectVersions,
  type ShownAs,
  SLOT_SPAN,
  slotOf,
  type SqlRow,
  storedRecordOf,
  versionOf,
  liveIdOf,
} from '../rows/columns.ts';
import { Entries } from '../logic/inspect/entries.ts';
import type { PostgresConnection } from './connection.ts';
import { searchedIn } from './finding/found-pages.ts';
import type { CopiedRows } from './copy/copied-rows.ts';
import { byteRowsIn } from './finding/byte-rows.ts';
import { pageCondition, selectAhead, selectCells, selectPage, sendCells, sendPages } from './finding/pages.ts';
import { sentAhead } from './finding/sent-ahead.ts';
import {
  type AskedRegister,
  commitsOf,
  type Head,
  primaryRows,
  ReplicaReads,
  type Send,
  sendStatement,
} from './replica/replica-reads.ts';
import { versionsIn } from './replica/versions.ts';
import {
  changesPageOf,
  checkChangesRange,
  Definitions,
  feedIdOf,
  pageOf,
  rangeOf,
  REGISTER,
  unknownFeed,
} from '../rows/register.ts';
import type { StoreReads } from '../hooks.ts';
import { dividedRows, pageIn, type PageOfRows, type Rows } from '../rows/register-source.ts';
import type { ChangesRange, ChangesPage, HistoryRange, RegisterEntry, StoredRecord } from '../contract/registers.ts';

/** A page whose records are still to be made of its rows. */
interface PageToMake extends PageOfRows {
  readonly rows: Rows;
}

/** Rows, and the view that they are of. */
interface Found<R extends Rows> {
  readonly rows: R;
  readonly asOf: number;
  /** Whether the only row says nothing but how many records the register has. */
  readonly isEmpty: boolean;
}

const RECORD = RECORD_COLUMNS.join(', ');
const REGISTER_COLUMNS = REGISTER.columns.join(', ');

/** The reads of one store. */
export class PostgresReads {
  readonly #connection: PostgresConnection;
  readonly #prefix: string;
  readonly #definitions = new Definitions();
  readonly #entries = new Entries();
  /** Null: everything is read from the primary. */
  readonly replica: ReplicaReads | null;
  /** {@link RegisterSource.rowsAhead} of the register of this number; absent where nothing can be copied. */
  readonly rowsAhead?: NonNullable<StoreReads['rowsAhead']>;

  /** @param replica a connection to a replica, for pages, versions and changes */
  constructor(connection: PostgresConnection, replica: PostgresConnection | null = null) {
    this.#connection = connection;
    this.#prefix = connection.prefix;
    const head = (feedId: string, number: number): Promise<Head> => this.headByNumber(feedId, number);
    this.replica = replica === null ? null : new ReplicaReads({ primary: connection, replica, head });
    const canCopy = connection.canCopy && (replica ?? connection).canCopy;
    if (canCopy) this.rowsAhead = (...asked) => this.#rowsAhead(...asked);
  }

  /** @throws GazetteError `unknown_feed` */
  async head(feedId: string): Promise<Head> {
    const head = await this.findHead(feedId);
    if (head === null) throw unknownFeed(feedId);
    return head;
  }

  async findHead(feedId: string): Promise<Head | null> {
    return this.#head('id', feedId);
  }

  /** @throws GazetteError `unknown_feed` after the register was removed, even if another register has its id now. */
  async headByNumber(feedId: string, number: number): Promise<Head> {
    const head = await this.#head('number', number);
    if (head === null) throw unknownFeed(feedId);
    return head;
  }

  async entries(): Promise<RegisterEntry[]> {
    const rows = await this.#connection.query(`SELECT ${REGISTER_COLUMNS} FROM ${this.#prefix}registers ORDER BY id`);
    return this.#entries.of(rows.map(REGISTER.read));
  }

  /** A register, always as it is on the primary. */
  async #head(column: 'id' | 'number', value: string | number): Promise<Head | null> {
    const asked = this.replica?.asking();
    const commits = asked === undefined ? 'NULL' : commitsOf(this.#prefix);
    const sql = `SELECT ${REGISTER_COLUMNS}, ${commits} FROM ${this.#prefix}registers g WHERE ${column} = $1`;
    const [row] = await this.#connection.query(sql, [value]);
    if (row === undefined) return null;
    const head = { ...REGISTER.read(row), commits: row.at(-1) as string | null };
    if (asked !== undefined) this.replica!.learn(head, asked);
    return head;
  }

  async page(shown: ShownAs, number: number, query: PageQuery): Promise<Page> {
    const filter = termFilter(shown, query);
    if (filter !== null) return foundPage(searchedIn(this.#connection, shown, number), filter, query);
    const select = (condition: string): string => selectPage(this.#prefix, condition, query.limit);
    const { rows, asOf, isEmpty } = await this.#found(shown, number, query, select, sendStatement);
    const records = isEmpty ? [] : rows.map((row) => recordOf(shown, row));
    return pageOf(records, query, asOf);
  }

  /** How many records match, as the index of terms knows it; null: it does not. */
  async count(shown: ShownAs, number: number, filter: RecordFilter, query: MatchedQuery): Promise<Matched | null> {
    return foundCount(searchedIn(this.#connection, shown, number), filter, query);
  }

  /** {@link RegisterSource.pagesAhead} of the register of this number. */
  async *pagesAhead(
    shown: ShownAs,
    number: number,
    query: PageQuery,
  ): AsyncGenerator<readonly Page[], void, undefined> {
    const filter = termFilter(shown, query);
    if (filter !== null) {
      const searched = searchedIn(this.#connection, shown, number);
      const find = (next: PageQuery): Promise<Page> => foundPage(searched, filter, next);
      yield* sentAhead(foundAhead(find), query);
      return;
    }
    const toRecord = (row: SqlRow): RegisterRecord => recordOf(shown, row);
    for await (const pages of sentAhead((next) => this.#rangeAhead(shown, number, next), query)) {
      // The records of a page are made when its turn comes: together, those of all pages would live long enough to be moved
      // among the old objects.
      for (const page of pages) yield [pageIn(page.rows, page, toRecord)];
    }
  }

  async *#rowsAhead(shown: ShownAs, number: number, query: PageQuery): AsyncGenerator<ByteRows, void, undefined> {
    const select = (condition: string): string => selectCells(this.#prefix, condition);
    const answers: CopiedRows[] = [];
    const read = async (next: PageQuery): Promise<readonly ByteRows[]> => {
      // The last answer is being used, the one before was.
      const send = sendCells(answers.length > 1 ? answers.shift()!.memory : undefined);
      const { rows, asOf, isEmpty } = await this.#found(shown, number, next, select, send);
      answers.push(rows);
      return byteRowsIn(shown, rows, asOf, isEmpty);
    };
    for await (const rows of sentAhead(read, query)) yield* rows;
  }

  /** As many pages as are best read at once, at least one; see {@link selectAhead}. */
  async #rangeAhead(shown: ShownAs, number: number, query: PageQuery): Promise<readonly PageToMake[]> {
    const isFiltered = filterIn(shown, query) !== null;
    const select = (condition: string): string => selectAhead(this.#prefix, condition, query.limit);
    const send: Send<Rows> = isFiltered ? sendStatement : sendPages;
    const { rows: found, asOf, isEmpty } = await this.#found(shown, number, query, select, send);
    const rows = isEmpty ? [] : found;
    return dividedRows(rows, query, asOf).map((page) => ({ ...page, rows }));
  }

  /** @param shown how to show it; default: as the definition of its register does. */
  async record(id: string, shown?: ShownAs): Promise<StoredRecord | null> {
    const feedId = feedIdOf(id);
    const [row] = await this.#connection.query(this.#either(RECORD), [id, feedId]);
    return row === undefined ? null : storedRecordOf(shown ?? this.#definitionIn(feedId, row), row);
  }

  async history(id: string, range: HistoryRange): Promise<readonly RecordVersion[] | null> {
    const { offset, limit, withStatement = false } = range;
    const feedId = feedIdOf(id);
    const [row] = await this.#connection.query(this.#either('slot, version'), [id, feedId]);
    if (row === undefined) return null;
    const [slot, version] = [row[0]!, row[1] as number];
    const rows = await versionsIn(this.#connection, this.replica, {
      feedId,
      number: Math.floor(Number(slot) / SLOT_SPAN),
      values: [slot, version - offset],
      condition: 'v.slot = $1 AND v.version <= $2::bigint',
      ending: `ORDER BY v.version DESC LIMIT ${limit}`,
      first: version - offset,
      isNone: offset >= version,
    });
    const definition = this.#definitionIn(feedId, row);
    return rows.map((found) => versionOf(definition, found, withStatement));
  }

  async changes(feedId: string, options: ChangesRange): Promise<ChangesPage> {
    const head = await this.head(feedId);
    checkChangesRange(head, options);
    const { number, definition: text } = head;
    const { since, limit, withStatement = false } = options;
    const definition = this.#definitions.of(feedId, text);
    const after = async (since: number, limit: number): Promise<RecordVersion[]> => {
      const rows = await versionsIn(this.#connection, this.replica, {
        ...{ feedId, number, head, isNone: since >= head.change },
        values: [slotOf(number, since), slotOf(number + 1, 0)],
        condition: 'v.entry > $1 AND v.entry < $2',
        ending: `ORDER BY v.entry LIMIT ${limit}`,
      });
      return rows.map((row) => versionOf(definition, row, withStatement));
    };
    const filter = compileFilter(options.filter, definition.fields);
    if (filter === null) return changesPageOf(head, await after(since, limit + 1), options);
    const before = async (versions: readonly RecordVersion[]): Promise<RecordVersion[]> => {
      const sql = `${selectVersions(this.#prefix)} JOIN unnest($1::bigint[], $2::integer[]) AS n (slot, version)
        ON v.slot = n.slot AND v.version = n.version`;
      const places = [
        versions.map(({ position }) => slotOf(number, position)),
        versions.map(({ version }) => version - 1),
      ];
      return (await this.#connection.query(sql, places)).map((row) => versionOf(definition, row, false));
    };
    return matchedChanges(head, filter, options, { after, before });
  }

  async ids(feedId: string, below: number, limit: number): Promise<readonly LiveId[]> {
    const { number } = await this.head(feedId);
    const sql = `SELECT id, slot, key FROM ${this.#prefix}records WHERE slot > $1 AND slot < $2 ORDER BY slot DESC LIMIT ${limit}`;
    const rows = await this.#connection.query(sql, [slotOf(number, 0), slotOf(number, below)]);
    return rows.map(liveIdOf);
  }

  /** The rows that `select` finds with a condition and an order, and their view, from the replica if it is as far. */
  async #found<R extends Rows>(
    shown: ShownAs,
    number: number,
    query: PageQuery,
    select: (condition: string) => string,
    send: Send<R>,
  ): Promise<Found<R>> {
    // Parameters that are wrong for every register are rejected before the query.
    rangeOf({ ...query, asOf: 0 }, 0);
    const { asOf = null } = query;
    if (asOf !== null && !Number.isSafeInteger(asOf)) rangeOf(query, (await this.headByNumber(shown.id, number)).top);
    const { kind, values } = indexOf(filterIn(shown, query));
    if (kind === 'terms') throw new TypeError('found otherwise');
    // The left join returns one row of nulls if nothing is found; the column behind them still contains the highest position.
    const text = ({ from, columns }: AskedRegister): string => `SELECT r.*, g.top${columns} FROM ${from}
      LEFT JOIN LATERAL (${select(pageCondition(kind))}) r ON true WHERE g.number = $1`;
    const asked = {
      feedId: shown.id,
      number,
      text,
      values: [number, slotOf(number, 0), asOf, query.offset, ...values],
      send,
    };
    const rows = await (this.replica === null
      ? primaryRows(this.#connection, asked)
      : this.replica.rows({ ...asked, asOf: typeof asOf === 'number' ? asOf : 0 }));
    const first = rows.at(0);
    if (first === undefined) throw unknownFeed(shown.id);
    // Records have as many cells as columns of a page.
    const range = rangeOf(query, Number(first[PAGE_COLUMNS.length]));
    return { rows, asOf: range.asOf, isEmpty: first[0] === null };
  }

  /** Of the record $1 in the register $2; the last column is the register's definition. */
  #either(columns: string): string {
    return `SELECT e.*, g.definition FROM ${this.#prefix}registers g, (
        SELECT ${columns}, 0 FROM ${this.#prefix}records WHERE id = $1
        UNION ALL SELECT ${columns}, 1 + is_redacted FROM ${this.#prefix}withdrawn WHERE id = $1
      ) e WHERE g.id = $2`;
  }

  #definitionIn(feedId: string, row: SqlRow): RegisterDefinition {
    return this.#definitions.of(feedId, row.at(-1) as string);
  }
}
