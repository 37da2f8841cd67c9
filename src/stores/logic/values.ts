// Counts how many live records have each value of the filters' fields, and how many were published in each month. The counters change in the transaction that
// changes the records (value-tally.ts); a value that no live record has any more leaves the store.
import { type Facet, MAX_FACET_VALUES } from '../../register/finding/facets.ts';
import { OWN_PREFIX } from '../../register/finding/own-filters.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { type ValueCount, VALUES_EXAMINED, type ValueStore } from '../contract/values.ts';
import { columnText, textOf } from '../rows/columns.ts';
import {
  checkNearLimit,
  checkValuesLimit,
  definitionOf,
  feedIdOf,
  type RegisterRow,
  unknownFeed,
} from '../rows/register.ts';
import { asNumber, asText, Fragment, IS_PRESENT, numberIn, shape, table, withoutNul } from '../rows/sql.ts';
import { index, matching, small, Table, TEXT, whole } from '../rows/table.ts';
import type { Engine, Rule, Sql } from './rule.ts';
import {
  CORE_COUNTS,
  coreTotals,
  COUNT_STATE,
  countSignature,
  isCounted,
  MONTH_FIELD,
  STALE,
  TALLIED_COLUMNS,
  type Tallied,
  totalsAfter,
  ValueTally,
} from './value-tally.ts';

const REGISTERS = table('registers');
const RECORDS = table('records');

const COUNTED_NAMES = CORE_COUNTS.map(([field]) => field);

/** No value is counted that is too long for the index. */
const COUNTS = new Table(
  'value_counts',
  {
    register: small(1),
    field: matching(
      new RegExp(`^(?:${COUNTED_NAMES.join('|')}|data\\.[^]+)$`),
      `${COUNTED_NAMES.join(', ')}, or data. and a name`,
    ),
    value: TEXT,
    records: small(1),
  },
  {
    key: ['register', 'field', 'value'],
    isKeyed: true,
    indexes: [index('value_counts_common', '(register, field, records DESC, value) WHERE records > 1')],
  },
);

/** The state of each register's counters. */
const STATES = new Table(
  'register_counts',
  {
    register: small(1),
    signature: matching(/^(?:\[[^]*\]|stale)?$/, 'a JSON array, or stale, or nothing'),
    next_position: whole(0),
    totals: matching(/^\{[^]*\}$/, 'a JSON object'),
  },
  { key: ['register'] },
);

/** The tables. */
export const COUNT_TABLES: readonly Table[] = [COUNTS, STATES];

const NUMBER = numberIn('number');
const ID = shape(['id'], ([id]) => asText(id));
const VALUE = shape(['value', 'records'], ([value, records]): ValueCount => ({
  value: textOf(value!),
  records: asNumber(records),
}));
const TALLIED = shape(TALLIED_COLUMNS.split(', '), (row) => row);
const LEFT = numberIn('records');

/** The rows of own fields: `/` comes next after `.`. */
export const IS_OWN: Fragment = new Fragment(() => "field >= 'data.' AND field < 'data/'");

/** A register and the state of its counters. */
const COUNTED = shape(['g.number', ...COUNT_STATE.columns.map((name) => `c.${name}`)], ([number, ...state]) => ({
  register: asNumber(number),
  state: COUNT_STATE.read(state),
}));

/** Above every text in the order of bytes that begins with the text before it. */
const LAST_CHARACTER = '\u{10ffff}';

/** The values of a store. */
export function valuesOn(engine: Engine): ValueStore {
  return {
    list: async (feedId, field, { limit, startsWith = '' }) => {
      checkValuesLimit(limit);
      return engine.read(valuesOf, feedId, field, { limit, startsWith });
    },
    facets: (definition, names) => engine.read(facetsOf, definition, names),
    months: async (feedId, { limit }) => {
      checkValuesLimit(limit);
      return engine.read(monthsOf, feedId, limit);
    },
    idsNear: async (recordId, { limit }) => {
      checkNearLimit(limit);
      return engine.read(idsNear, recordId, limit);
    },
  };
}

/** The counters of a new register. */
export function* beginCounts(sql: Sql, register: number, definition: RegisterDefinition): Rule<void> {
  yield* sql.run`INSERT INTO ${STATES} (register, signature, next_position, totals)
    VALUES (${register}, ${countSignature(definition)}, 0, '{}')`;
}

/** The counters of a register that has another definition now. */
export function* renewCounts(sql: Sql, register: number, definition: RegisterDefinition): Rule<void> {
  // They are not right again when a later definition is the one of before.
  const renewed = yield* sql.run`UPDATE ${STATES} SET signature = ${STALE}
    WHERE register = ${register} AND signature <> ${countSignature(definition)}`;
  if (renewed > 0) yield* sql.run`UPDATE ${REGISTERS} SET building = building | 2 WHERE number = ${register}`;
}

/** Begins to tally what a transaction changes, which holds the lock of the register. */
export function* beginTally(sql: Sql, head: RegisterRow): Rule<Tallied> {
  const { number } = head;
  const state = (yield* sql.one(COUNT_STATE)`SELECT ${COUNT_STATE} FROM ${STATES} WHERE register = ${number}`)!;
  const definition = definitionOf(head);
  if (state.signature === countSignature(definition)) return { state, tally: new ValueTally(state, definition) };
  // Values as they were shown before may be among them, those of a record that leaves too.
  yield* sql.run`DELETE FROM ${COUNTS} WHERE register = ${number} AND ${IS_OWN}`;
  const cleared = { ...state, totals: coreTotals(state.totals) };
  return { state: cleared, tally: new ValueTally(state, definition) };
}

/** Writes what it changes. */
export function* endTally(sql: Sql, { number }: RegisterRow, { state, tally }: Tallied): Rule<void> {
  const totals: [string, number][] = [];
  for (const { field, value, by } of tally.changes()) {
    const now =
      by > 0
        ? yield* sql.one(LEFT)`INSERT INTO ${COUNTS} AS c (register, field, value, records)
            VALUES (${number}, ${field}, ${value}, ${by})
            ON CONFLICT (register, field, value) DO UPDATE SET records = c.records + excluded.records RETURNING ${LEFT}`
        : yield* sql.one(LEFT)`UPDATE ${COUNTS} SET records = records + ${by}
            WHERE register = ${number} AND field = ${field} AND value = ${value} RETURNING ${LEFT}`;
    if (by > 0 && now === by) totals.push([field, 1]);
    if (now !== 0) continue;
    yield* sql.run`DELETE FROM ${COUNTS} WHERE register = ${number} AND field = ${field} AND value = ${value}`;
    totals.push([field, -1]);
  }
  const after = JSON.stringify(totalsAfter(state.totals, totals));
  yield* sql.run`UPDATE ${STATES} SET totals = ${after} WHERE register = ${number}`;
}

/** Takes a live record's values out of the counters, before the record leaves. */
export function* uncountRecord(sql: Sql, head: RegisterRow, slot: number): Rule<void> {
  const tallied = yield* beginTally(sql, head);
  tallied.tally.countRow((yield* sql.one(TALLIED)`SELECT ${TALLIED} FROM ${RECORDS} WHERE slot = ${slot}`)!, -1);
  yield* endTally(sql, head, tallied);
}

function* valuesOf(
  sql: Sql,
  feedId: string,
  field: string,
  { limit, startsWith }: { readonly limit: number; readonly startsWith: string },
): Rule<readonly ValueCount[]> {
  const register = yield* numberOf(sql, feedId);
  if (startsWith === '') return yield* commonest(sql, register, field, limit);
  const first = columnText(startsWith);
  return yield* sql.all(VALUE)`SELECT ${VALUE} FROM (SELECT ${VALUE} FROM ${COUNTS}
    WHERE register = ${register} AND field = ${field} AND value >= ${first} AND value < ${first + LAST_CHARACTER}
    ORDER BY value LIMIT ${VALUES_EXAMINED}) AS examined ORDER BY records DESC, value LIMIT ${limit}`;
}

function* monthsOf(sql: Sql, feedId: string, limit: number): Rule<readonly ValueCount[]> {
  const register = yield* numberOf(sql, feedId);
  return yield* sql.all(VALUE)`SELECT ${VALUE} FROM ${COUNTS}
    WHERE register = ${register} AND field = ${MONTH_FIELD} ORDER BY value DESC LIMIT ${limit}`;
}

function* numberOf(sql: Sql, feedId: string): Rule<number> {
  const register = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (register === null) throw unknownFeed(feedId);
  return register;
}

function* facetsOf(sql: Sql, definition: RegisterDefinition, names: readonly string[]): Rule<readonly Facet[] | null> {
  const found = yield* sql.one(COUNTED)`SELECT ${COUNTED} FROM ${REGISTERS} g JOIN ${STATES} c ON c.register = g.number
    WHERE g.id = ${definition.id} AND ${IS_PRESENT}`;
  if (found === null) throw unknownFeed(definition.id);
  const { register, state } = found;
  if (names.some((name) => name.startsWith(OWN_PREFIX)) && !isCounted(state, definition)) return null;
  const facets: Facet[] = [];
  for (const field of names) {
    const values = yield* commonest(sql, register, field, MAX_FACET_VALUES);
    facets.push({ field, values, more: (state.totals[field] ?? 0) - values.length });
  }
  return facets;
}

/**
 * The commonest values of a field: by the index those that several records have, then by the key those that one has. So
 * fields of which each record has another value do not make imports slower.
 */
function* commonest(sql: Sql, register: number, field: string, limit: number): Rule<readonly ValueCount[]> {
  const several = yield* sql.all(VALUE)`SELECT ${VALUE} FROM ${COUNTS}
    WHERE register = ${register} AND field = ${field} AND records > 1 ORDER BY records DESC, value LIMIT ${limit}`;
  if (several.length === limit) return several;
  const one = yield* sql.all(VALUE)`SELECT ${VALUE} FROM ${COUNTS}
    WHERE register = ${register} AND field = ${field} AND records = 1 ORDER BY value LIMIT ${limit - several.length}`;
  return [...several, ...one];
}

function* idsNear(sql: Sql, recordId: string, limit: number): Rule<readonly string[]> {
  const id = withoutNul(recordId);
  const register = yield* sql.one(
    NUMBER,
  )`SELECT ${NUMBER} FROM ${REGISTERS} WHERE id = ${feedIdOf(id)} AND ${IS_PRESENT}`;
  if (register === null) return [];
  const feedId = feedIdOf(id);
  // A semicolon comes next after a colon.
  const after = yield* sql.all(ID)`SELECT ${ID} FROM ${RECORDS} WHERE id >= ${id} AND id < ${`${feedId};`}
    ORDER BY id LIMIT ${limit}`;
  const before = yield* sql.all(ID)`SELECT ${ID} FROM ${RECORDS} WHERE id < ${id} AND id > ${`${feedId}:`}
    ORDER BY id DESC LIMIT ${limit}`;
  return [...after, ...before];
}
