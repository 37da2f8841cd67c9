// Deliveries whose account has no access: they wait, due as they are, and no claim takes them. What access returns to is
// claimed at once. What has waited too long is skipped.
import type { DeliveryEntry } from '../../contract/deliveries.ts';
import { ACCOUNT } from '../../rows/accounts.ts';
import { DELIVERY_CHUNK, noAccess } from '../../rows/deliveries.ts';
import { asNumber, asText, FOR_UPDATE, numberIn, type Shape, shape, table, withoutNul } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';

const ACCOUNTS = table('accounts');
const ENDPOINTS = table('webhook_endpoints');
const DELIVERIES = table('webhook_deliveries');

const NUMBER = numberIn('number');

/** An endpoint whose deliveries have waited too long. */
export interface LapsedEndpoint {
  readonly number: number;
  /** Why they waited. */
  readonly reason: string;
}

const LAPSED: Shape<LapsedEndpoint> = shape(
  ['e.number', `CASE WHEN a.is_suspended = 1 THEN 'account_suspended' ELSE 'access_lapsed' END`],
  ([number, reason]) => ({ number: asNumber(number), reason: asText(reason) }),
);

/** One of the endpoints without access that have something due since `dueBefore` or longer. Null: there is none. */
export function* lapsedEndpoint(
  sql: Sql,
  { now, dueBefore }: { readonly now: string; readonly dueBefore: string },
): Rule<LapsedEndpoint | null> {
  return yield* sql.one(LAPSED)`SELECT ${LAPSED} FROM ${ENDPOINTS} e JOIN ${ACCOUNTS} a ON a.id = e.account_id
    WHERE (a.is_suspended = 1 OR a.access_until IS NULL OR a.access_until <= ${now})
      AND (SELECT d.number FROM ${DELIVERIES} d WHERE d.endpoint = e.number AND d.state = 'pending'
        AND d.due_at <= ${dueBefore} ORDER BY d.due_at LIMIT 1) IS NOT NULL
    ORDER BY e.number LIMIT 1`;
}

/** Skips some of an endpoint's deliveries that have waited too long. @returns how many */
export function* skipSome(sql: Sql, { number, reason }: LapsedEndpoint, dueBefore: string): Rule<number> {
  const found = yield* sql.all(NUMBER)`SELECT ${NUMBER} FROM ${DELIVERIES}
    WHERE endpoint = ${number} AND state = 'pending' AND due_at <= ${dueBefore} ORDER BY due_at LIMIT ${DELIVERY_CHUNK}`;
  // A JSON object, because both databases can read one as rows of a key and a value.
  const some = JSON.stringify(Object.fromEntries(found.map((delivery) => [delivery, 0])));
  // Locked in the order of their numbers, like outcomes.
  return yield* sql.run`UPDATE ${DELIVERIES} SET state = 'skipped', reason = ${reason}, due_at = NULL, lease = NULL
    WHERE number IN (SELECT number FROM ${DELIVERIES} WHERE state = 'pending' AND due_at <= ${dueBefore}
      AND number IN (SELECT CAST(key AS bigint) FROM json_each(${some})) ORDER BY number ${FOR_UPDATE})`;
}

/** The deliveries of one endpoint; those that are due and wait for access say so. */
export function* withReasons(
  sql: Sql,
  deliveries: readonly DeliveryEntry[],
  now: string | undefined,
): Rule<readonly DeliveryEntry[]> {
  const waits = ({ state, nextAttemptAt }: DeliveryEntry): boolean => {
    return state === 'pending' && now !== undefined && nextAttemptAt !== null && nextAttemptAt <= now;
  };
  const first = deliveries.find(waits);
  if (first === undefined || now === undefined) return deliveries;
  const account = yield* sql.one(ACCOUNT)`SELECT ${ACCOUNT} FROM ${ACCOUNTS}
    WHERE id = (SELECT account_id FROM ${ENDPOINTS} WHERE id = ${withoutNul(first.endpointId)})`;
  const reason = account === null ? null : noAccess(account, now);
  return reason === null
    ? deliveries
    : deliveries.map((delivery) => (waits(delivery) ? { ...delivery, reason } : delivery));
}
