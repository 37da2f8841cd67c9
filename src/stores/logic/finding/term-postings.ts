// Keeps the index of terms right: which records have which terms (postings.ts), and their times and numbers (value-columns.ts),
// segment by segment. Those who write a register hold its lock, add what records have that come and take out what those had
// that go, in the same transaction. A segment that is not built yet is left alone: the builder makes it of its records.
import { eachKey, eachTerm, type IndexedAs } from '../../../register/finding/terms.ts';
import { isSearched } from '../../../register/finding/word-query.ts';
import type { Field, RegisterDefinition, RegisterRecord } from '../../../register/record.ts';
import type { FindingStore, IndexProgress } from '../../contract/finding.ts';
import { RECORD_COLUMNS, recordOf, type ShownAs, SLOT_SPAN, slotOf, type SqlRow } from '../../rows/columns.ts';
import { definitionOf, REGISTER, type RegisterRow, unknownFeed } from '../../rows/register.ts';
import { FOR_UPDATE, GREATEST, IS_PRESENT, type Shape, shape, table, withoutNul } from '../../rows/sql.ts';
import { AFTER_CONFIGURATION } from '../nodes/configuration.ts';
import type { Engine, Rule, Sql } from '../rule.ts';
import { changedSet, hasOffset, type Posting, POSTINGS, SEGMENT, segmentOf } from './postings.ts';
import {
  incompleteTerms,
  indexedAs,
  leastOf,
  setTermState,
  stateBefore,
  type TermState,
  termStateOf,
} from './term-state.ts';
import { changedColumn, columnRow, COLUMNS, hasKey, type ValueColumn } from './value-columns.ts';

const REGISTERS = table('registers');
const RECORDS = table('records');
const TERM_POSTINGS = table(POSTINGS.name);
const VALUE_COLUMNS = table(COLUMNS.name);

const RECORD: Shape<SqlRow> = shape(RECORD_COLUMNS, (row) => row);
const POSTING: Shape<Posting> = shape(['segment', 'term', 'positions'], POSTINGS.read);
const COLUMN: Shape<ValueColumn> = shape(['segment', 'field', 'lowest', 'highest', 'keys'], COLUMNS.read);

/** How many records {@link buildTerms} indexes at once, and of how many characters: others wait for less than a tenth of a second. */
const BUILD_RECORDS = 500;
const BUILD_TEXT = 2 ** 19;

/** How many rows it removes at once of a segment that is made again. */
const BUILD_REMOVALS = 20_000;

/** Where a row has its own values. */
const DATA_AT = RECORD_COLUMNS.indexOf('data');

/** What a transaction changes in the index of a register. */
export class TermChanges {
  readonly #shown: ShownAs;
  readonly #indexedAs: IndexedAs;
  readonly #next: number;
  readonly #sets: Changes = new Map();
  readonly #columns: Changes = new Map();

  /** @param next the highest position that is not indexed: {@link TermState} */
  constructor(definition: RegisterDefinition, next: number) {
    this.#indexedAs = indexedAs(definition);
    const isIndexed = ({ type, filterable }: Field): boolean =>
      filterable === true || (this.#indexedAs.hasSearch && isSearched(type));
    this.#shown = { id: definition.id, fields: definition.fields.filter(isIndexed) };
    this.#next = next;
  }

  /** Whether the index has the records of a position, so that they are needed before they change. */
  covers(position: number): boolean {
    return position > this.#next;
  }

  /**
   * Another content of a record.
   *
   * @param before its row as `recordOf()` reads it; null: it was not live
   * @param after null: it is not live any more
   */
  change(before: SqlRow | null, after: SqlRow | null): void {
    const slot = Number((after ?? before)![0]);
    if (!this.covers(slot % SLOT_SPAN)) return;
    const offset = slot % SEGMENT;
    const sets = changesIn(this.#sets, segmentOf(slot));
    const columns = changesIn(this.#columns, segmentOf(slot));
    const [old, stays] = [new Set<string>(), new Set<string>()];
    if (before !== null) {
      const record = this.#recordOf(before);
      eachTerm(record, this.#indexedAs, (term) => old.add(term));
      eachKey(record, this.#indexedAs, (field) => {
        noteKey(columns, field, offset, 0);
      });
    }
    if (after !== null) {
      const record = this.#recordOf(after);
      eachTerm(record, this.#indexedAs, (term) => {
        if (old.has(term)) stays.add(term);
        else note(sets, term, offset);
      });
      eachKey(record, this.#indexedAs, (field, key) => {
        noteKey(columns, field, offset, key);
      });
    }
    for (const term of old) if (!stays.has(term)) note(sets, term, ~offset);
  }

  /** Each segment with the changes of its sets: see `changedSet()`. */
  get sets(): ReadonlyMap<number, ReadonlyMap<string, readonly number[]>> {
    return this.#sets;
  }

  /** Each segment with the changes of its columns: see `changedColumn()`. */
  get columns(): ReadonlyMap<number, ReadonlyMap<string, readonly number[]>> {
    return this.#columns;
  }

  #recordOf(row: SqlRow): RegisterRecord {
    // Own values that are not indexed need not be read.
    return recordOf(this.#shown, this.#shown.fields.length > 0 ? row : row.with(DATA_AT, '{}'));
  }
}

/** The changes of each segment, by terms or by fields. */
type Changes = Map<number, Map<string, number[]>>;

function changesIn(all: Changes, segment: number): Map<string, number[]> {
  let changes = all.get(segment);
  if (changes === undefined) all.set(segment, (changes = new Map<string, number[]>()));
  return changes;
}

function noteKey(changes: Map<string, number[]>, field: string, offset: number, key: number): void {
  const noted = changes.get(field);
  if (noted === undefined) changes.set(field, [offset, key]);
  else noted.push(offset, key);
}

function note(changes: Map<string, number[]>, term: string, change: number): void {
  const noted = changes.get(term);
  if (noted === undefined) changes.set(term, [change]);
  else if (noted[noted.length - 1] !== change) noted.push(change);
}

/** Begins the changes of a transaction, which holds the lock of the register. */
export function* beginTermChanges(sql: Sql, head: RegisterRow, definition: RegisterDefinition): Rule<TermChanges> {
  const { next } = yield* termStateOf(sql, head.number);
  return new TermChanges(definition, next);
}

/** Writes what a transaction changes. */
export function* writeTerms(sql: Sql, { sets, columns }: TermChanges): Rule<void> {
  const keys = keysOf(sets);
  const stored = new Map<number, Map<string, Uint8Array>>();
  for (const { segment, term, positions } of yield* sql.get(POSTINGS, keys)) {
    const known = stored.get(segment) ?? new Map<string, Uint8Array>();
    stored.set(segment, known.set(term, positions));
  }
  yield* putSets(
    sql,
    keys.map(([segment, term]) => {
      const before = stored.get(segment)?.get(term) ?? NOBODY;
      return [segment, term, changedSet(before, sets.get(segment)!.get(term)!)];
    }),
  );
  const fields = keysOf(columns);
  const known = yield* sql.get(COLUMNS, fields);
  yield* putColumns(
    sql,
    fields.map(([segment, field]) => {
      const before = known.find((column) => column.segment === segment && column.field === field);
      return [segment, field, changedColumn(before?.keys ?? NOBODY, columns.get(segment)!.get(field)!)];
    }),
  );
}

/** In the order of the key: neighbours are written together. */
function keysOf(all: ReadonlyMap<number, ReadonlyMap<string, readonly number[]>>): (readonly [number, string])[] {
  return [...all].flatMap(([segment, changes]) => [...changes.keys()].sort().map((name) => [segment, name] as const));
}

const NOBODY = new Uint8Array();

function* putSets(sql: Sql, rows: readonly (readonly [number, string, Uint8Array])[]): Rule<void> {
  yield* sql.put(
    POSTINGS,
    rows.filter(([, , positions]) => positions.length > 0),
  );
  yield* sql.drop(
    POSTINGS,
    rows.filter(([, , positions]) => positions.length === 0).map(([segment, term]) => [segment, term]),
  );
}

function* putColumns(sql: Sql, rows: readonly (readonly [number, string, Uint8Array])[]): Rule<void> {
  yield* sql.put(
    COLUMNS,
    rows.filter(([, , keys]) => keys.length > 0).map((row) => columnRow(...row)),
  );
  yield* sql.drop(
    COLUMNS,
    rows.filter(([, , keys]) => keys.length === 0).map(([segment, field]) => [segment, field]),
  );
}

/** Takes a record out of all sets and columns of its segment, whatever it said, and by whatever rule they were made. */
export function* eraseTerms(sql: Sql, slot: number): Rule<void> {
  const segment = segmentOf(slot);
  const offset = slot % SEGMENT;
  const all = yield* sql.all(POSTING)`SELECT ${POSTING} FROM ${TERM_POSTINGS} WHERE segment = ${segment}`;
  const found = all.filter(({ positions }) => hasOffset(positions, offset));
  yield* putSets(
    sql,
    found.map(({ term, positions }) => [segment, term, changedSet(positions, [~offset])]),
  );
  const columns = yield* sql.all(COLUMN)`SELECT ${COLUMN} FROM ${VALUE_COLUMNS} WHERE segment = ${segment}`;
  yield* putColumns(
    sql,
    columns
      .filter(({ keys }) => hasKey(keys, offset))
      .map(({ field, keys }) => [segment, field, changedColumn(keys, [offset, 0])]),
  );
}

/** What each database does in its own way. */
export interface CountHooks {
  /** Counts the values of at most so many records that are missing in the counters. */
  buildCounts(sql: Sql, feedId: string, limit: number): Rule<IndexProgress>;
}

/** The indexes of a store. @param isOpen whether it was not closed */
export function findingOn(engine: Engine, hooks: CountHooks, isOpen: () => boolean): FindingStore {
  return {
    // A service looks at intervals, and may be left alone by those who close its store.
    incomplete: async () => (isOpen() ? engine.read(incompleteTerms) : []),
    build: async (feedId) => {
      const terms = await engine.write(buildTerms, feedId);
      return leastOf(terms, await engine.write(buildCounts, hooks, feedId));
    },
  };
}

function* buildCounts(sql: Sql, hooks: CountHooks, feedId: string): Rule<IndexProgress> {
  return yield* hooks.buildCounts(sql, feedId, BUILD_RECORDS);
}

/** Indexes the next records that the index may lack, newest first. @throws GazetteError `unknown_feed` */
function* buildTerms(sql: Sql, feedId: string): Rule<IndexProgress> {
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (head === null) throw unknownFeed(feedId);
  const { number, top: all } = head;
  const definition = definitionOf(head);
  const stored = yield* termStateOf(sql, number);
  const state = stateBefore(stored, definition, all);
  if (state.next === 0 && state === stored) return { done: all, all };
  const next = state.next === 0 ? 0 : yield* buildNext(sql, number, definition, state);
  yield* setTermState(sql, number, { ...state, next });
  // Another state has another date.
  if (next === 0) {
    yield* sql.run`UPDATE ${REGISTERS} SET last_modified = ${GREATEST}(last_modified + 1, ${AFTER_CONFIGURATION})
      WHERE number = ${number} AND last_modified > 0`;
  }
  return { done: Math.max(all - next, 0), all };
}

/** Builds a part of the segment of the highest position that is not indexed. @returns that position afterwards */
function* buildNext(sql: Sql, number: number, definition: RegisterDefinition, { next }: TermState): Rule<number> {
  const top = slotOf(number, next);
  const segment = segmentOf(top);
  // At the top of a segment nothing of it is built.
  if (top % SEGMENT === SEGMENT - 1) {
    const removed = yield* sql.run`DELETE FROM ${TERM_POSTINGS} WHERE segment = ${segment} AND term IN (SELECT term
      FROM ${TERM_POSTINGS} WHERE segment = ${segment} LIMIT ${BUILD_REMOVALS})`;
    if (removed === BUILD_REMOVALS) return next;
    yield* sql.run`DELETE FROM ${VALUE_COLUMNS} WHERE segment = ${segment}`;
  }
  const lowest = Math.max(segment * SEGMENT, slotOf(number, 1));
  const read = yield* sql.all(RECORD)`SELECT ${RECORD} FROM ${RECORDS}
    WHERE slot >= ${lowest} AND slot <= ${top} ORDER BY slot DESC LIMIT ${BUILD_RECORDS}`;
  const rows = read.slice(0, countWithin(read));
  const isRest = rows.length < BUILD_RECORDS && rows.length === read.length;
  const nextSlot = isRest ? lowest - 1 : Number(rows.at(-1)![0]) - 1;
  const changes = new TermChanges(definition, 0);
  for (const row of rows.reverse()) changes.change(null, row);
  yield* writeTerms(sql, changes);
  return nextSlot % SLOT_SPAN;
}

/** How many of the rows are indexed at once: one at least. */
function countWithin(rows: readonly SqlRow[]): number {
  let length = 0;
  const at = rows.findIndex((row) => {
    length += row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
    return length > BUILD_TEXT;
  });
  return at === -1 ? rows.length : at + 1;
}
