// Checks the index of terms against the live records: makes the sets and the columns of a segment again, and compares.
import type { Finding } from '../../contract/inspection.ts';
import { PAGE_COLUMNS, recordOf, SLOT_SPAN, slotOf, type SqlRow } from '../../rows/columns.ts';
import { asBytes, asText, type Shape, shape, table } from '../../rows/sql.ts';
import { eachKey, termsOf } from '../../../register/finding/terms.ts';
import type { RegisterDefinition, RegisterRecord } from '../../../register/record.ts';
import { changedSet, noBits, offsetsIn, addStored, SEGMENT, segmentOf } from '../finding/postings.ts';
import { indexedAs, isComplete, TERM_STATE } from '../finding/term-state.ts';
import { changedColumn, columnRow, COLUMNS } from '../finding/value-columns.ts';
import type { Rule, Sql } from '../rule.ts';
import { definitionIn, findingAt, mustBe } from './forms.ts';
import type { FoundRegister } from './version-rules.ts';

const REGISTERS = table('registers');
const STATES = table('register_terms');
const RECORDS = table('records');
const TERM_POSTINGS = table('term_postings');
const VALUE_COLUMNS = table(COLUMNS.name);

/** How many rows are read at once. */
const ROWS = 200;

const STATE = shape(['g.definition', 't.signature', 'CAST(t.next_position AS text)'], ([definition, ...state]) => ({
  definition: definitionIn(definition!),
  state: TERM_STATE.read(state),
}));

const LEAST = shape(['CAST(min(slot) AS text)'], ([slot]) => (slot === null ? Infinity : Number(slot)));
const LEAST_SEGMENT = shape(['CAST(min(segment) AS text)'], ([segment]) =>
  segment === null ? Infinity : Number(segment),
);

/** A live record. Integers are texts: a driver refuses those that a double does not hold. */
const RECORD: Shape<SqlRow> = shape(
  PAGE_COLUMNS.map((name) => (name === 'slot' || name === 'version' ? `CAST(r.${name} AS text)` : `r.${name}`)),
  (row) => row,
);

const STORED_COLUMN = shape(
  ['field', 'CAST(lowest AS text)', 'CAST(highest AS text)', 'keys'],
  ([field, lowest, highest, keys]) => ({
    field: asText(field),
    bounds: [Number(lowest), Number(highest)] as const,
    keys: asBytes(keys),
  }),
);

const SET = shape(['term', 'positions'], ([term, positions]) => ({ term: asText(term), stored: asBytes(positions) }));

/** The result of {@link checkTerms}. */
export interface CheckedTerms {
  readonly findings: readonly Finding[];
  /** The last position of the segment; null after the last one. */
  readonly last: number | null;
}

/** Checks the terms of the next segment of a register that has any, above a position: its records and sets as of one moment. */
export function* checkTerms(sql: Sql, { number, id }: FoundRegister, after: number): Rule<CheckedTerms> {
  const [from, end] = [slotOf(number, after), slotOf(number + 1, 0)];
  const record = yield* sql.one(LEAST)`SELECT ${LEAST} FROM ${RECORDS} WHERE slot > ${from} AND slot < ${end}`;
  const set = yield* sql.one(LEAST_SEGMENT)`SELECT ${LEAST_SEGMENT} FROM ${TERM_POSTINGS}
    WHERE segment >= ${segmentOf(from + 1)} AND segment < ${segmentOf(end)}`;
  const column = yield* sql.one(LEAST_SEGMENT)`SELECT ${LEAST_SEGMENT} FROM ${VALUE_COLUMNS}
    WHERE segment >= ${segmentOf(from + 1)} AND segment < ${segmentOf(end)}`;
  const segment = Math.min(segmentOf(record!), set!, column!);
  if (segment === Infinity) return { findings: [], last: null };
  const last = ((segment + 1) * SEGMENT - 1) % SLOT_SPAN;
  const found = yield* sql.one(STATE)`SELECT ${STATE} FROM ${REGISTERS} g JOIN ${STATES} t ON t.register = g.number
    WHERE g.number = ${number}`;
  if (found === null) {
    const place = { table: 'register_terms', row: null, feedId: id };
    return { findings: [findingAt(place, `the state of the index of register ${id} is missing`)], last: null };
  }
  const { definition, state } = found;
  // A definition that is none is found by the rules of registers. What is not indexed yet, and of other terms, goes.
  if (definition === undefined || !isComplete({ ...state, next: 0 }, definition)) return { findings: [], last: null };
  if (last <= state.next) return { findings: [], last };
  const made = yield* madeSegment(sql, definition, slotOf(number, state.next), segment);
  const findings: Finding[] = [];
  const check = (term: string, stored: Uint8Array): void => {
    const expected = made.sets.get(term) ?? NOBODY;
    made.sets.delete(term);
    const without = made.unread.map((offset) => ~offset);
    if (Buffer.compare(without.length === 0 ? stored : changedSet(stored, without), expected) === 0) return;
    const other = noBits();
    addStored(other, stored);
    const bits = noBits();
    addStored(bits, expected);
    const offset = offsetsIn(bits.map((byte, at) => byte ^ other[at]!))[0];
    const place = { table: 'term_postings', row: `segment ${segment}, term ${term}`, feedId: id };
    findings.push(
      findingAt(
        { ...place, recordId: made.ids.get(offset ?? -1) ?? null },
        mustBe('positions', 'those of the records with the term'),
      ),
    );
  };
  for (let above: string | null = ''; above !== null;) {
    const sets: { readonly term: string; readonly stored: Uint8Array }[] = yield* sql.all(SET)`SELECT ${SET}
      FROM ${TERM_POSTINGS} WHERE segment = ${segment} AND term > ${above} ORDER BY term LIMIT ${ROWS}`;
    for (const { term, stored } of sets) check(term, stored);
    above = sets.length < ROWS ? null : sets.at(-1)!.term;
  }
  for (const term of [...made.sets.keys()]) check(term, NOBODY);
  findings.push(...(yield* checkColumns(sql, id, segment, made)));
  return { findings, last };
}

function* checkColumns(sql: Sql, feedId: string, segment: number, made: MadeSegment): Rule<readonly Finding[]> {
  const stored = yield* sql.all(STORED_COLUMN)`SELECT ${STORED_COLUMN} FROM ${VALUE_COLUMNS}
    WHERE segment = ${segment} ORDER BY field`;
  const unread = made.unread.flatMap((offset) => [offset, 0]);
  return [...new Set([...stored.map(({ field }) => field), ...made.columns.keys()])].flatMap((field) => {
    const column = stored.find((one) => one.field === field);
    const all = column?.keys ?? NOBODY;
    const keys = unread.length === 0 ? all : changedColumn(all, unread);
    const expected = made.columns.get(field) ?? NOBODY;
    const place = { table: COLUMNS.name, row: `segment ${segment}, field ${field}`, feedId };
    if (Buffer.compare(keys, expected) !== 0) {
      const longer = keys.length > expected.length ? keys : expected;
      const offset = Math.floor(longer.findIndex((_, at) => keys[at] !== expected[at]) / 4);
      const recordId = made.ids.get(offset) ?? null;
      return [findingAt({ ...place, recordId }, mustBe('keys', 'those of the records’ times or numbers'))];
    }
    const [, , ...bounds] = columnRow(segment, field, all);
    return column === undefined || column.bounds.every((bound, at) => bound === bounds[at])
      ? []
      : [findingAt(place, mustBe('lowest and highest', 'the least and the greatest of the keys'))];
  });
}

const NOBODY = new Uint8Array();

/** What the sets and columns of a segment must be, of its records above a slot. */
interface MadeSegment {
  readonly sets: Map<string, Uint8Array>;
  readonly columns: ReadonlyMap<string, Uint8Array>;
  /** The ids of its records, by their offsets. */
  readonly ids: Map<number, string>;
  /** The offsets of records that cannot be read: the rules of versions find them. */
  readonly unread: readonly number[];
}

function* madeSegment(sql: Sql, definition: RegisterDefinition, above: number, segment: number): Rule<MadeSegment> {
  const sets = new Map<string, number[]>();
  const columns = new Map<string, number[]>();
  const ids = new Map<number, string>();
  const unread: number[] = [];
  for (let after: number | null = Math.max(segment * SEGMENT - 1, above); after !== null;) {
    const rows: SqlRow[] = yield* sql.all(RECORD)`SELECT ${RECORD} FROM ${RECORDS} r
      WHERE r.slot > ${after} AND r.slot < ${(segment + 1) * SEGMENT} ORDER BY r.slot LIMIT ${ROWS}`;
    for (const row of rows) {
      const offset = Number(row[0]) % SEGMENT;
      ids.set(offset, String(row[1]));
      const record = recordIn(row, definition);
      if (record === null) {
        unread.push(offset);
        continue;
      }
      for (const term of termsOf(record, indexedAs(definition))) {
        const offsets = sets.get(term);
        if (offsets === undefined) sets.set(term, [offset]);
        else offsets.push(offset);
      }
      eachKey(record, definition, (field, key) => {
        const keys = columns.get(field);
        if (keys === undefined) columns.set(field, [offset, key]);
        else keys.push(offset, key);
      });
    }
    after = rows.length < ROWS ? null : Number(rows.at(-1)![0]);
  }
  const made = <T>(all: Map<string, T>, toBytes: (one: T) => Uint8Array): Map<string, Uint8Array> =>
    new Map(Array.from(all, ([name, one]) => [name, toBytes(one)]));
  return {
    sets: made(sets, (offsets) => changedSet(NOBODY, offsets)),
    columns: made(columns, (changes) => changedColumn(NOBODY, changes)),
    ids,
    unread,
  };
}

/** Null for a record that cannot be read: the rules of versions find it. */
function recordIn(row: SqlRow, definition: RegisterDefinition): RegisterRecord | null {
  try {
    const record = recordOf(definition, row);
    // What cannot be shown fails here.
    termsOf(record, indexedAs(definition));
    return record;
  } catch {
    return null;
  }
}
