// Deletes deliveries with their attempts: those that are old, and those of an endpoint that is removed.
import { table } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';

const DELIVERIES = table('webhook_deliveries');
const ATTEMPTS = table('webhook_attempts');

/** Deletes deliveries by their numbers, which the caller has locked in their order. @returns how many */
export function* deleteDeliveries(sql: Sql, numbers: readonly number[]): Rule<number> {
  // A JSON object, because both databases can read one as rows of a key and a value.
  const old = JSON.stringify(Object.fromEntries(numbers.map((number) => [number, 0])));
  yield* sql.run`DELETE FROM ${ATTEMPTS} WHERE delivery IN (SELECT CAST(key AS bigint) FROM json_each(${old}))`;
  return yield* sql.run`DELETE FROM ${DELIVERIES} WHERE number IN (SELECT CAST(key AS bigint) FROM json_each(${old}))`;
}
