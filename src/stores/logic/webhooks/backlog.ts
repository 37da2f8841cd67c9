// What waits to be sent. Monitoring asks for it every few seconds: no statement reads the deliveries that there are, but
// a bounded number of them, or one for each endpoint, from the index of those that are due.
import { type Backlog, BACKLOG_COUNTED } from '../../contract/sending.ts';
import type { DisabledReason } from '../../contract/endpoints.ts';
import { asNumber, asText, asTextOrNull, fragment, IS_PRESENT, numberIn, shape, table } from '../../rows/sql.ts';
import type { Rule, Sql } from '../rule.ts';

const ACCOUNTS = table('accounts');
const CURSORS = table('webhook_cursors');
const DELIVERIES = table('webhook_deliveries');
const ENDPOINTS = table('webhook_endpoints');
const REGISTERS = table('registers');

const COUNTED = fragment`${BACKLOG_COUNTED}`;
const COUNT = numberIn('count(*)');
const BEHIND = numberIn('coalesce(sum(g.change - coalesce(c.change, 0)), 0)');
const OLDEST = shape(['min(due.at)'], ([at]) => asTextOrNull(at));
const DISABLED = shape(['disabled_reason', 'count(*)'], ([reason, count]) => {
  return [asText(reason) as DisabledReason, asNumber(count)] as const;
});

/** What waits to be sent. */
export function* backlog(sql: Sql, now: string): Rule<Backlog> {
  // In the order of the index, and with a LIMIT that a planner does not know in advance: PostgreSQL, which may not know either
  // how many wait, then reads the index as far as needed. Otherwise it may read and sort all that wait.
  const deliveries = yield* sql.one(COUNT)`SELECT ${COUNT} FROM (SELECT d.endpoint FROM ${DELIVERIES} d
    WHERE d.state = 'pending' ORDER BY d.endpoint, d.due_at LIMIT (SELECT ${COUNTED})) AS waiting`;
  const changes = yield* sql.one(BEHIND)`SELECT ${BEHIND} FROM ${REGISTERS} g
    LEFT JOIN ${CURSORS} c ON c.register = g.number
    WHERE ${IS_PRESENT} AND g.change > coalesce(c.change, 0) AND EXISTS (SELECT 1 FROM ${ENDPOINTS})`;
  // The endpoints that a claim looks at (claims.ts).
  const oldestDueAt = yield* sql.one(OLDEST)`SELECT ${OLDEST} FROM (
    SELECT (SELECT d.due_at FROM ${DELIVERIES} d WHERE d.endpoint = e.number AND d.state = 'pending'
      AND d.due_at <= ${now} ORDER BY d.due_at LIMIT 1) AS at
    FROM ${ENDPOINTS} e JOIN ${ACCOUNTS} a ON a.id = e.account_id
    WHERE a.is_suspended = 0 AND a.access_until > ${now}) AS due`;
  const disabled = yield* sql.all(DISABLED)`SELECT ${DISABLED} FROM ${ENDPOINTS} WHERE disabled_at IS NOT NULL
    GROUP BY disabled_reason`;
  return {
    ...{ deliveries: deliveries!, changes: changes!, oldestDueAt },
    disabledEndpoints: { ...{ operator: 0, gone: 0, failing: 0 }, ...Object.fromEntries(disabled) },
  };
}
