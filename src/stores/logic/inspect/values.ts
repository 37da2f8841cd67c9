// Checks the counters of values against the live records, each time in one state of the store: those of document types,
// facilities and months in one statement, those of own values by counting them again, register by register.
import { MAX_FACET_LENGTH } from '../../../register/finding/facets.ts';
import type { Finding } from '../../contract/inspection.ts';
import { SLOT_SPAN, slotOf, type SqlRow } from '../../rows/columns.ts';
import { Fragment, IS_PRESENT, type Shape, shape, table } from '../../rows/sql.ts';
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

/** The counters as they should be. */
const COUNTED = new Fragment((dialect) =>
  CORE_COUNTS.map(
    ([
      field,
      value,
    ]) => `SELECT slot / ${SLOT_SPAN} AS register, '${field}' AS field, ${value} AS value, count(*) AS records
      FROM ${dialect.table('records')} WHERE length(${value}) <= ${MAX_FACET_LENGTH} GROUP BY 1, 3`,
  ).join(' UNION ALL '),
);

/** A wrong counter. Numbers are texts: a driver refuses those that a double does not hold. */
const WRONG: Shape<SqlRow> = shape(
  [
    'g.id',
    'CAST(g.number AS text)',
    'coalesce(c.field, n.field)',
    'coalesce(c.value, n.value)',
    'CAST(c.records AS text)',
    'CAST(coalesce(n.records, 0) AS text)',
  ],
  (row) => row,
);

/** Checks the counters of all registers. */
export function* checkValues(sql: Sql): Rule<readonly Finding[]> {
  const rows = yield* sql.all(WRONG)`SELECT ${WRONG} FROM (SELECT * FROM ${COUNTS} WHERE NOT (${IS_OWN})) c
    FULL JOIN (${COUNTED}) n ON n.register = c.register AND n.field = c.field AND n.value = c.value
    JOIN ${REGISTERS} g ON g.number = coalesce(c.register, n.register)
    WHERE ${IS_PRESENT} AND (c.records IS NULL OR n.records IS NULL OR c.records <> n.records)`;
  return (rows as readonly (readonly (string | null)[])[]).map(([feedId, register, field, value, kept, counted]) =>
    wrongAt(feedId!, register!, field!, value!, counted!, kept!),
  );
}

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

/** Checks the counters of a register's own values, and how many values each field has. */
export function* checkOwnValues(sql: Sql, { number, id }: FoundRegister): Rule<readonly Finding[]> {
  const found = yield* sql.one(STATE)`SELECT ${STATE} FROM ${REGISTERS} g
    LEFT JOIN ${STATES} c ON c.register = g.number WHERE g.number = ${number} AND ${IS_PRESENT}`;
  // It was removed meanwhile.
  if (found === null) return [];
  if (found.state.signature === null) {
    return [
      findingAt({ table: 'register_counts', row: null, feedId: id }, `the counters of register ${id} are missing`),
    ];
  }
  const { definition, state } = found;
  const findings: Finding[] = [];
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

function wrongAt(
  feedId: string,
  register: number | string,
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
