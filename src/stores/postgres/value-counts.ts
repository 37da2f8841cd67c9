// The counters of values as a PostgresStore changes them: all of a batch in one statement.
import type { ValueTally } from '../logic/values.ts';
import type { RunQuery } from './connection.ts';

/** Changes the counters of a register, whose lock the transaction holds. */
export async function countValues(query: RunQuery, prefix: string, register: number, tally: ValueTally): Promise<void> {
  const changes = tally.changes();
  if (changes.length === 0) return;
  const [fields, values] = [changes.map(({ field }) => field), changes.map(({ value }) => value)];
  const count = `INSERT INTO ${prefix}value_counts AS c (register, field, value, records)
    SELECT $1, n.field, n.value, n.change FROM unnest($2::text[], $3::text[], $4::bigint[]) AS n (field, value, change)
    ON CONFLICT (register, field, value) DO UPDATE SET records = c.records + excluded.records`;
  await query(count, [register, fields, values, changes.map(({ by }) => by)]);
  if (changes.every(({ by }) => by > 0)) return;
  const drop = `DELETE FROM ${prefix}value_counts c USING unnest($2::text[], $3::text[]) AS n (field, value)
    WHERE c.register = $1 AND c.field = n.field AND c.value = n.value AND c.records = 0`;
  await query(drop, [register, fields, values]);
}
