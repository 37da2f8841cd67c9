// Checks the counters of values against the live records, in one statement, and so in one state of the store.
import type { Finding } from '../../contract/inspection.ts';
import { COUNTED_FIELDS } from '../../contract/values.ts';
import { SLOT_SPAN, type SqlRow } from '../../rows/columns.ts';
import { Fragment, IS_PRESENT, type Shape, shape, table } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';
import { findingAt, mustBe } from './forms.ts';

const COUNTS = table('value_counts');
const REGISTERS = table('registers');

/** The counters as they should be. */
const COUNTED = new Fragment((dialect) =>
  COUNTED_FIELDS.map(
    (field) => `SELECT slot / ${SLOT_SPAN} AS register, '${field}' AS field, ${field} AS value, count(*) AS records
      FROM ${dialect.table('records')} WHERE ${field} IS NOT NULL GROUP BY 1, 3`,
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
  const rows = yield* sql.all(WRONG)`SELECT ${WRONG} FROM ${COUNTS} c
    FULL JOIN (${COUNTED}) n ON n.register = c.register AND n.field = c.field AND n.value = c.value
    JOIN ${REGISTERS} g ON g.number = coalesce(c.register, n.register)
    WHERE ${IS_PRESENT} AND (c.records IS NULL OR n.records IS NULL OR c.records <> n.records)`;
  return (rows as readonly (readonly (string | null)[])[]).map(([feedId, register, field, value, kept, counted]) => {
    const row = `register ${register}, field ${field}, value ${value}`;
    const got = kept === null ? null : BigInt(kept!);
    return findingAt(
      { table: 'value_counts', row, feedId: feedId! },
      mustBe('records', `${counted}, the live records with this value`, got),
    );
  });
}
