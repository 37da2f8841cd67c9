// The reads of a SqliteStore other than pages: prepared statements, each a plain range of an integer key or of an index
// that ends with it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { foundAhead } from '../logic/finding/found-ahead.ts';
import { termFilter } from '../logic/finding/filter-index.ts';
import { compileFilter, type RecordFilter } from '../../register/finding/filter.ts';
import type { Matched, Page, PageQuery } from '../../register/page.ts';
import type { ByteRows } from '../../register/sources/byte-rows.ts';
import type { MatchedQuery } from '../../register/sources/matched.ts';
import { readAhead } from '../../register/sources/read-ahead.ts';
import { throwIfAborted } from '../../register/sources/source.ts';
import type { LiveId } from '../contract/record-keys.ts';
import type { RecordVersion } from '../../register/record.ts';
import {
  RECORD_COLUMNS,
  selectVersions,
  type ShownAs,
  slotOf,
  storedRecordOf,
  versionOf,
  liveIdOf,
} from '../rows/columns.ts';
import { type ReadContent, readContent } from '../logic/batch.ts';
import { matchedChanges } from '../logic/finding/matched-changes.ts';
import { LOG, RegisterLogs } from '../rows/commitment.ts';
import { Entries } from '../logic/inspect/entries.ts';
import { type KnownRecord, knownRecordOf, selectKnown } from '../rows/known.ts';
import {
  changesPageOf,
  checkChangesRange,
  Definitions,
  feedIdOf,
  rangeOf,
  REGISTER,
  type RegisterRow,
  unknownFeed,
} from '../rows/register.ts';
import type { SqliteConnection } from './connection.ts';
import { SqliteFoundPages } from './finding/found-pages.ts';
import { SqliteByteRows } from './finding/byte-rows.ts';
import { SqlitePages } from './finding/pages.ts';
import type { SqliteStatement } from './statement.ts';
import type { ChangesRange, ChangesPage, HistoryRange, RegisterEntry, StoredRecord } from '../contract/registers.ts';

const RECORD = RECORD_COLUMNS.join(', ');
const REGISTER_COLUMNS = REGISTER.columns.join(', ');

const VERSIONS = selectVersions('');

/**
 * The length of the texts that a walk reads at once: little memory, and about a millisecond without yielding to others.
 */
const AHEAD_LENGTH = 131_072;

/** The size counted for a record in addition to its long texts. */
const RECORD_LENGTH = 300;

/** The prepared reads of one connection. */
export class SqliteReads {
  readonly #head: SqliteStatement;
  readonly #headByNumber: SqliteStatement;
  readonly #heads: SqliteStatement;
  readonly #pages: SqlitePages;
  readonly #found: SqliteFoundPages;
  readonly #rows: SqliteByteRows;
  readonly #record: SqliteStatement;
  readonly #known: SqliteStatement;
  readonly #logs: SqliteStatement;
  readonly #place: SqliteStatement;
  readonly #content: SqliteStatement;
  readonly #withdrawnContent: SqliteStatement;
  readonly #history: SqliteStatement;
  readonly #changes: SqliteStatement;
  readonly #ids: SqliteStatement;
  readonly #definitions = new Definitions();
  readonly #entries = new Entries();

  constructor(connection: SqliteConnection) {
    this.#head = connection.prepare(`SELECT ${REGISTER_COLUMNS} FROM registers WHERE id = ? AND is_removed = 0`);
    this.#headByNumber = connection.prepare(
      `SELECT ${REGISTER_COLUMNS} FROM registers WHERE number = ? AND is_removed = 0`,
    );
    this.#heads = connection.prepare(`SELECT ${REGISTER_COLUMNS} FROM registers WHERE is_removed = 0 ORDER BY id`);
    this.#pages = new SqlitePages(connection);
    this.#found = new SqliteFoundPages(connection);
    this.#rows = new SqliteByteRows(connection);
    // One statement: between two, another process may move a record from one table to the other.
    const either = (columns: string): SqliteStatement => {
      const live = `SELECT ${columns}, 0 FROM records WHERE id = ?`;
      return connection.prepare(`${live} UNION ALL SELECT ${columns}, 1 + is_redacted FROM withdrawn WHERE id = ?`);
    };
    this.#record = either(RECORD);
    this.#place = either('slot, version');
    // All of a batch by one statement, which costs a third of one by one.
    const known = (table: 'records' | 'withdrawn'): string => {
      return `${selectKnown('', table)} WHERE r.id IN (SELECT value FROM json_each(?))`;
    };
    this.#known = connection.prepare(`${known('records')} UNION ALL ${known('withdrawn')}`);
    this.#logs = connection.prepare(`SELECT ${LOG.columns.join(', ')} FROM logs WHERE register = ? ORDER BY number`);
    this.#content = connection.prepare(`SELECT ${RECORD} FROM records WHERE slot = ?`);
    this.#withdrawnContent = connection.prepare(`SELECT ${RECORD} FROM withdrawn WHERE slot = ?`);
    this.#history = connection.prepare(
      `${VERSIONS} WHERE v.slot = ? AND v.version <= ? ORDER BY v.version DESC LIMIT ?`,
    );
    this.#changes = connection.prepare(`${VERSIONS} WHERE v.entry > ? AND v.entry < ? ORDER BY v.entry LIMIT ?`);
    this.#ids = connection.prepare(
      'SELECT id, slot, key FROM records WHERE slot > ? AND slot < ? ORDER BY slot DESC LIMIT ?',
    );
  }

  /** @throws GazetteError `unknown_feed` */
  head(feedId: string): RegisterRow {
    const head = this.findHead(feedId);
    if (head === null) throw unknownFeed(feedId);
    return head;
  }

  findHead(feedId: string): RegisterRow | null {
    const row = this.#head.get(feedId);
    return row === undefined ? null : REGISTER.read(row);
  }

  /** @throws GazetteError `unknown_feed` after the register was removed, even if another register has its id now. */
  headByNumber(feedId: string, number: number): RegisterRow {
    const row = this.#headByNumber.get(number);
    if (row === undefined) throw unknownFeed(feedId);
    return REGISTER.read(row);
  }

  entries(): RegisterEntry[] {
    return this.#entries.of(this.#heads.all().map(REGISTER.read));
  }

  page(shown: ShownAs, number: number, query: PageQuery): Page | Promise<Page> {
    const filter = termFilter(shown, query);
    if (filter !== null) return this.found(shown, number, filter, query);
    const { asOf, from } = rangeOf(query, this.headByNumber(shown.id, number).top);
    if (from < 1) return { records: [], nextOffset: null, asOf };
    return this.#pages.read(shown, number, query, { asOf, from });
  }

  /** The page of a filter that the index of terms answers. */
  found(shown: ShownAs, number: number, filter: RecordFilter, query: PageQuery): Promise<Page> {
    return this.#found.page(shown, number, filter, query);
  }

  /** How many records match, as the index of terms knows it; null: it does not. */
  async count(shown: ShownAs, number: number, filter: RecordFilter, query: MatchedQuery): Promise<Matched | null> {
    return this.#found.count(shown, number, filter, query);
  }

  /** {@link RegisterSource.pagesAhead} of the register of this number. */
  pagesAhead(shown: ShownAs, number: number, query: PageQuery): AsyncIterable<readonly Page[]> {
    const filter = termFilter(shown, query);
    if (filter !== null)
      return readAhead(
        foundAhead((next) => this.found(shown, number, filter, next)),
        query,
      );
    return readAhead(async (next) => {
      // Nothing here awaits anything: others get their turn between two reads.
      await nextTurn();
      throwIfAborted(next.signal);
      return this.#pagesFrom(shown, number, next);
    }, query);
  }

  /** {@link RegisterSource.rowsAhead} of the register of this number. */
  async *rowsAhead(shown: ShownAs, number: number, query: PageQuery): AsyncGenerator<ByteRows, void, undefined> {
    for (let offset: number | null = query.offset; offset !== null;) {
      await nextTurn();
      throwIfAborted(query.signal);
      const range = rangeOf({ ...query, offset }, this.headByNumber(shown.id, number).top);
      const rows = this.#rows.read(shown, number, range);
      yield rows;
      offset = rows.nextOffset;
    }
  }

  /**
   * The pages that {@link AHEAD_LENGTH} characters of text fill, at least one. The register is looked up once for all.
   */
  #pagesFrom(shown: ShownAs, number: number, query: PageQuery): readonly Page[] {
    const { top } = this.headByNumber(shown.id, number);
    const pages: Page[] = [];
    let length = 0;
    for (let offset: number | null = query.offset; offset !== null && length < AHEAD_LENGTH;) {
      const range = rangeOf({ ...query, offset }, top);
      if (range.from < 1) return [...pages, { records: [], nextOffset: null, asOf: range.asOf }];
      const page: Page = this.#pages.read(shown, number, query, range);
      pages.push(page);
      length += page.records.reduce(
        (sum, { summary, content }) => sum + RECORD_LENGTH + (summary?.length ?? 0) + (content?.length ?? 0),
        0,
      );
      offset = page.nextOffset;
    }
    return pages;
  }

  /** @param shown how to show it; default: as the definition of its register does. */
  record(id: string, shown?: ShownAs): StoredRecord | null {
    const feedId = feedIdOf(id);
    const head = this.findHead(feedId);
    if (head === null) return null;
    const row = this.#record.get(id, id);
    return row === undefined ? null : storedRecordOf(shown ?? this.#definitions.of(feedId, head.definition), row);
  }

  /** The states of those ids that are known. */
  known(ids: readonly string[]): Map<string, KnownRecord> {
    const list = JSON.stringify(ids);
    const rows = this.#known.all(list, list);
    return new Map(rows.map((row) => [row.at(-1) as string, knownRecordOf(row)]));
  }

  /** The logs of a register. */
  logs(number: number): RegisterLogs {
    return new RegisterLogs(this.#logs.all(number).map(LOG.read));
  }

  /** The current content of a record; undefined when it was erased. */
  content(number: number, { position, state }: KnownRecord): ReadContent | undefined {
    const statement = state === 'live' ? this.#content : this.#withdrawnContent;
    return readContent(statement.get(slotOf(number, position))!);
  }

  history(id: string, { offset, limit, withStatement = false }: HistoryRange): readonly RecordVersion[] | null {
    const feedId = feedIdOf(id);
    const head = this.findHead(feedId);
    const place = head === null ? undefined : this.#place.get(id, id);
    if (head === null || place === undefined) return null;
    const [slot, version] = place as readonly [number, number];
    const rows = this.#history.all(slot, version - offset, limit);
    const definition = this.#definitions.of(feedId, head.definition);
    return rows.map((row) => versionOf(definition, row, withStatement));
  }

  changes(feedId: string, options: ChangesRange): ChangesPage | Promise<ChangesPage> {
    const head = this.head(feedId);
    checkChangesRange(head, options);
    const { number, definition: text } = head;
    const { since, limit, withStatement = false } = options;
    const definition = this.#definitions.of(feedId, text);
    const after = (since: number, limit: number): RecordVersion[] =>
      this.#changes
        .all(slotOf(number, since), slotOf(number + 1, 0), limit)
        .map((row) => versionOf(definition, row, withStatement));
    const filter = compileFilter(options.filter, definition.fields);
    if (filter === null) return changesPageOf(head, after(since, limit + 1), options);
    const before = (versions: readonly RecordVersion[]): RecordVersion[] =>
      versions
        .flatMap(({ position, version }) => this.#history.all(slotOf(number, position), version - 1, 1))
        .map((row) => versionOf(definition, row, false));
    return matchedChanges(head, filter, options, { after, before });
  }

  ids(feedId: string, below: number, limit: number): readonly LiveId[] {
    const { number } = this.head(feedId);
    const rows = this.#ids.all(slotOf(number, 0), slotOf(number, below), limit);
    return rows.map(liveIdOf);
  }
}
