// Keeps the index of terms right: which records have which terms, segment by segment (postings.ts). Those who write a register
// hold its lock, add the terms of records that come and take out those of records that go, in the same transaction. A segment
// that is not built yet is left alone: the builder makes it of its records.
import { eachTerm, type IndexedAs, type TakeTerm } from '../../../register/finding/terms.ts';
import type { Field, RegisterDefinition } from '../../../register/record.ts';
import type { FindingStore, IndexProgress } from '../../contract/finding.ts';
import { RECORD_COLUMNS, recordOf, type ShownAs, SLOT_SPAN, slotOf, type SqlRow } from '../../rows/columns.ts';
import { definitionOf, REGISTER, type RegisterRow, unknownFeed } from '../../rows/register.ts';
import { FOR_UPDATE, IS_PRESENT, type Shape, shape, table, withoutNul } from '../../rows/sql.ts';
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

const REGISTERS = table('registers');
const RECORDS = table('records');
const TERM_POSTINGS = table(POSTINGS.name);

const RECORD: Shape<SqlRow> = shape(RECORD_COLUMNS, (row) => row);
const POSTING: Shape<Posting> = shape(['segment', 'term', 'positions'], POSTINGS.read);

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
  readonly #segments = new Map<number, Map<string, number[]>>();

  /** @param next the highest position that is not indexed: {@link TermState} */
  constructor(definition: RegisterDefinition, next: number) {
    this.#indexedAs = indexedAs(definition);
    const isIndexed = ({ type, filterable }: Field): boolean =>
      filterable === true || (this.#indexedAs.hasSearch && type === 'text');
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
    const changes = this.#changesOf(segmentOf(slot));
    if (before === null) {
      this.#eachTerm(after!, (term) => {
        note(changes, term, offset);
      });
      return;
    }
    const old = new Set<string>();
    this.#eachTerm(before, (term) => old.add(term));
    const stays = new Set<string>();
    if (after !== null) {
      this.#eachTerm(after, (term) => {
        if (old.has(term)) stays.add(term);
        else note(changes, term, offset);
      });
    }
    for (const term of old) if (!stays.has(term)) note(changes, term, ~offset);
  }

  /** Each segment with the changes of its terms: see `changedSet()`. */
  get segments(): ReadonlyMap<number, ReadonlyMap<string, readonly number[]>> {
    return this.#segments;
  }

  #changesOf(segment: number): Map<string, number[]> {
    const changes = this.#segments.get(segment) ?? new Map<string, number[]>();
    this.#segments.set(segment, changes);
    return changes;
  }

  #eachTerm(row: SqlRow, take: TakeTerm): void {
    // Own values that are not indexed need not be read.
    const needed = this.#shown.fields.length > 0 ? row : row.with(DATA_AT, '{}');
    eachTerm(recordOf(this.#shown, needed), this.#indexedAs, take);
  }
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
export function* writeTerms(sql: Sql, { segments }: TermChanges): Rule<void> {
  // In the order of the key: neighbours are written together.
  const keys = [...segments].flatMap(([segment, changes]) =>
    [...changes.keys()].sort().map((term) => [segment, term] as const),
  );
  const stored = new Map<number, Map<string, Uint8Array>>();
  for (const { segment, term, positions } of yield* sql.get(POSTINGS, keys)) {
    const sets = stored.get(segment) ?? new Map<string, Uint8Array>();
    stored.set(segment, sets.set(term, positions));
  }
  yield* putSets(
    sql,
    keys.map(([segment, term]) => {
      const before = stored.get(segment)?.get(term) ?? NOBODY;
      return [segment, term, changedSet(before, segments.get(segment)!.get(term)!)];
    }),
  );
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

/** Takes a record out of every set of its segment, whatever it said, and by whatever rule its terms were made. */
export function* eraseTerms(sql: Sql, slot: number): Rule<void> {
  const segment = segmentOf(slot);
  const offset = slot % SEGMENT;
  const all = yield* sql.all(POSTING)`SELECT ${POSTING} FROM ${TERM_POSTINGS} WHERE segment = ${segment}`;
  const found = all.filter(({ positions }) => hasOffset(positions, offset));
  yield* putSets(
    sql,
    found.map(({ term, positions }) => [segment, term, changedSet(positions, [~offset])]),
  );
}

/** What each database does in its own way. */
export interface FindingHooks {
  /** Whether the store was not closed. */
  isOpen(): boolean;
  /** Counts the values of at most so many records that are missing in the counters. */
  buildCounts(feedId: string, limit: number): Promise<IndexProgress>;
}

/** The indexes of a store. */
export function findingOn(engine: Engine, hooks: FindingHooks): FindingStore {
  return {
    // A service looks at intervals, and may be left alone by those who close its store.
    incomplete: async () => (hooks.isOpen() ? engine.read(incompleteTerms) : []),
    build: async (feedId) => {
      const terms = await engine.write(buildTerms, feedId);
      return leastOf(terms, await hooks.buildCounts(feedId, BUILD_RECORDS));
    },
  };
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
  // Pages may end elsewhere from now on: they are of another state, and get other entity tags and dates.
  if (next === 0) {
    yield* sql.run`UPDATE ${REGISTERS} SET last_modified = last_modified + 1
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
