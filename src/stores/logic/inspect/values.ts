// Checks the counters of values against the live records, register by register, each in one state of the store: those of
// document types, facilities and months in one statement, those of own values by counting them again.
import { MAX_FACET_LENGTH } from '../../../register/finding/facets.ts';
import { STATED_FILTERS } from '../../../register/finding/filters.ts';
import type { Finding } from '../../contract/inspection.ts';
import { slotOf } from '../../rows/columns.ts';
import { Fragment, IS_PRESENT, shape, table } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';
import { CORE_COUNTS, countSignature, type CountState, ValueTally } from '../value-tally.ts';
import { IS_OWN } from '../values.ts';
import { definitionIn, findingAt, mustBe, objectIn } from './forms.ts';
import type { FoundRegister } from './version-rules.ts';

const COUNTS = table('value_counts');
const REGISTERS = table('registers');
const STATES = table('register_counts');
const RECORDS = table('records');

/** How many records are read at once. */
const ROWS = 500;

/** The counters as they should be, of the records `live`. */
const COUNTED = new Fragment(() =>
  CORE_COUNTS.map(
    ([field, value]) => `SELECT '${field}' AS field, ${value} AS value, count(*) AS records
      FROM live WHERE length(${value}) <= ${MAX_FACET_LENGTH} GROUP BY 2`,
  ).join(' UNION ALL '),
);

/** A wrong counter. Numbers are texts: a driver refuses those that a double does not hold. */
const WRONG = shape(
  [
    'coalesce(c.field, n.field)',
    'coalesce(c.value, n.value)',
    'CAST(coalesce(n.records, 0) AS text)',
    'CAST(c.records AS text)',
  ],
  (row) => row as readonly [field: string, value: string, counted: string, kept: string | null],
);

/** The state of the counters of a register, as far as there is one. */
type FoundState = Omit<CountState, 'signature'> & { readonly signature: string | null };

/** What the counters of a register say. Numbers are texts here too. */
const STATE = shape(
  ['g.definition', 'c.signature', 'CAST(c.next_position AS text)', 'c.totals'],
  ([definition, signature, next, totals]) => ({
    definition: definitionIn(definition!),
    state: { signature, next: Number(next), totals: (objectIn(totals!) ?? {}) as CountState['totals'] } as FoundState,
  }),
);

const KEPT = shape(
  ['field', 'value', 'CAST(records AS text)'],
  (row) => row as readonly [field: string, value: string, records: string],
);

const STATED = shape(['CAST(slot AS text)', 'data'], ([slot, data]) => [Number(slot), data as string] as const);

/** Checks the counters of a register, and how many values each field has. */
export function* checkValues(sql: Sql, { number, id }: FoundRegister): Rule<readonly Finding[]> {
  const found = yield* sql.one(STATE)`SELECT ${STATE} FROM ${REGISTERS} g
    LEFT JOIN ${STATES} c ON c.register = g.number WHERE g.number = ${number} AND ${IS_PRESENT}`;
  // It was removed meanwhile.
  if (found === null) return [];
  const findings = yield* wrongCoreCounts(sql, number, id);
  if (found.state.signature === null) {
    const place = { table: 'register_counts', row: null, feedId: id };
    return [...findings, findingAt(place, `the counters of register ${id} are missing`)];
  }
  const { definition, state } = found;
  const kept = yield* sql.all(KEPT)`SELECT ${KEPT} FROM ${COUNTS} WHERE register = ${number}`;
  const totals = Map.groupBy(kept, ([field]) => field);
  const told = new Map(Object.entries(state.totals));
  for (const field of new Set([...totals.keys(), ...told.keys()])) {
    const values = totals.get(field)?.length ?? 0;
    if (told.get(field) === values || (values === 0 && !told.has(field))) continue;
    findings.push(
      findingAt(
        { table: 'register_counts', row: `register ${number}`, feedId: id },
        mustBe('totals', `${values} for ${field}, the values that are counted`, String(told.get(field) ?? null)),
      ),
    );
  }
  // A definition that is none is found by the rules of registers; what is stale is removed by those who count again.
  if (definition === undefined || state.signature !== countSignature(definition)) return findings;
  const tally = new ValueTally({ ...state, signature: countSignature(definition) }, definition);
  if (state.signature !== '') {
    for (let after = slotOf(number, state.next), isEnd = false; !isEnd;) {
      const rows = yield* sql.all(STATED)`SELECT ${STATED} FROM ${RECORDS}
        WHERE slot > ${after} AND slot < ${slotOf(number + 1, 0)} ORDER BY slot LIMIT ${ROWS}`;
      for (const [, data] of rows) if (objectIn(data) !== undefined) tally.countMissing(data);
      isEnd = rows.length < ROWS;
      after = rows.at(-1)?.[0] ?? after;
    }
  }
  const left = new Map(tally.changes().map(({ field, value, by }) => [`${field} ${value}`, { field, value, by }]));
  for (const [field, value, records] of kept) {
    if (!field.startsWith('data.')) continue;
    const counted = left.get(`${field} ${value}`)?.by ?? 0;
    left.delete(`${field} ${value}`);
    if (String(counted) !== records) findings.push(wrongAt(id, number, field, value, counted, records));
  }
  for (const { field, value, by } of left.values()) findings.push(wrongAt(id, number, field, value, by, null));
  return findings;
}

const COUNTED_COLUMNS = new Fragment(() => [...STATED_FILTERS, 'published_at'].join(', '));

/**
 * Those of the core fields that are counted, and of months. It takes as long as the register is large: a rule must ask it after
 * something else, because the only statement of a rule may take no longer than any other read.
 */
function* wrongCoreCounts(sql: Sql, number: number, id: string): Rule<Finding[]> {
  const rows = yield* sql.all(WRONG)`WITH live AS NOT MATERIALIZED (SELECT ${COUNTED_COLUMNS}
      FROM ${RECORDS} WHERE slot > ${slotOf(number, 0)} AND slot < ${slotOf(number + 1, 0)})
    SELECT ${WRONG} FROM (SELECT * FROM ${COUNTS} WHERE register = ${number} AND NOT (${IS_OWN})) c
    FULL JOIN (${COUNTED}) n ON n.field = c.field AND n.value = c.value
    WHERE c.records IS NULL OR n.records IS NULL OR c.records <> n.records`;
  return rows.map(([field, value, counted, kept]) => wrongAt(id, number, field, value, counted, kept));
}

function wrongAt(
  feedId: string,
  register: number,
  field: string,
  value: string,
  counted: number | string,
  kept: string | null,
): Finding {
  return findingAt(
    { table: 'value_counts', row: `register ${register}, field ${field}, value ${value}`, feedId },
    mustBe('records', `${counted}, the live records with this value`, kept === null ? null : BigInt(kept)),
  );
}
