// Which endpoints' owners are to be told by mail, each once for each state: whichever process takes a notice sends it.
import type { EndpointNotice, NoticeOptions } from '../../contract/sending.ts';
import { ENDPOINT } from '../../rows/webhook-tables.ts';
import { asNumber, asText, numberIn, shape, table, withoutNul } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';

const ENDPOINTS = table('webhook_endpoints');

const NUMBER = numberIn('number');

/** An endpoint with the state of which its owner is to be told. */
const NOTICE = shape(['number', 'state'], ([number, state]) => ({ number: asNumber(number), state: asText(state) }));

/** Takes one notice until the time `until`; null when there is none. */
export function* takeNotice(sql: Sql, options: NoticeOptions): Rule<EndpointNotice | null> {
  const { now, until, since, failingBefore } = options;
  const found = yield* sql.one(NOTICE)`SELECT ${NOTICE} FROM (
      SELECT number, told, told_until, CASE WHEN disabled_at >= ${since} THEN 'disabled ' || disabled_at
        WHEN disabled_at IS NULL AND failing_since <= ${failingBefore} THEN 'failing ' || failing_since END AS state
      FROM ${ENDPOINTS} WHERE disabled_at IS NOT NULL OR failing_since IS NOT NULL) AS e
    WHERE state IS NOT NULL AND (told IS NULL OR told <> state OR told_until <= ${now}) ORDER BY number LIMIT 1`;
  if (found === null) return null;
  const { number, state } = found;
  // Another process may have taken it meanwhile.
  const taken = yield* sql.one(NUMBER)`UPDATE ${ENDPOINTS} SET told = ${state}, told_until = ${until}
    WHERE number = ${number} AND (told IS NULL OR told <> ${state} OR told_until <= ${now}) RETURNING ${NUMBER}`;
  if (taken === null) return null;
  const endpoint = yield* sql.one(ENDPOINT)`SELECT ${ENDPOINT} FROM ${ENDPOINTS} WHERE number = ${number}`;
  return endpoint === null ? null : { endpoint, state };
}

/** The owner was told of a state. */
export function* endNotice(sql: Sql, endpointId: string, state: string): Rule<void> {
  yield* sql.run`UPDATE ${ENDPOINTS} SET told_until = NULL WHERE id = ${withoutNul(endpointId)} AND told = ${state}`;
}
