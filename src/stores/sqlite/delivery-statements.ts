// The statements of SqliteDeliveries, prepared once.
import { selectClaimedEndpoints, selectEventVersions, selectLoggedVersions, SUBSCRIPTION } from '../rows/deliveries.ts';
import type { SqliteConnection } from './connection.ts';
import type { SqliteStatement } from './statement.ts';

const DELIVERIES = 'webhook_deliveries';
const ENDPOINTS = 'webhook_endpoints';

type StatementName =
  | 'claimedEndpoint'
  | 'disableNumber'
  | 'disableFailing'
  | 'succeeded'
  | 'failed'
  | 'behind'
  | 'subscriptions'
  | 'loggedVersions'
  | 'addDelivery'
  | 'moveCursor'
  | 'endpointsDue'
  | 'due'
  | 'take'
  | 'eventVersion'
  | 'settleSuccess'
  | 'settleOther'
  | 'addAttempt';

const STATEMENTS: Readonly<Record<StatementName, string>> = {
  claimedEndpoint: `${selectClaimedEndpoints('')} WHERE e.number = ?`,
  disableNumber: `UPDATE ${ENDPOINTS} SET disabled_at = ?, disabled_reason = ? WHERE number = ? AND disabled_at IS NULL`,
  disableFailing: `UPDATE ${ENDPOINTS} SET disabled_at = ?, disabled_reason = 'failing'
    WHERE number = ? AND disabled_at IS NULL AND failing_since <= ?`,
  succeeded: `UPDATE ${ENDPOINTS} SET failing_since = NULL WHERE number = ? AND failing_since IS NOT NULL`,
  failed: `UPDATE ${ENDPOINTS} SET failing_since = ? WHERE number = ? AND failing_since IS NULL`,
  behind: `SELECT g.number, g.id, g.change, coalesce(c.change, 0) FROM registers g
    LEFT JOIN webhook_cursors c ON c.register = g.number
    WHERE g.is_removed = 0 AND g.change > coalesce(c.change, 0) AND EXISTS (SELECT 1 FROM ${ENDPOINTS}) LIMIT 1`,
  subscriptions: `SELECT ${SUBSCRIPTION.columns.join(', ')} FROM ${ENDPOINTS} e
    LEFT JOIN webhook_starts s ON s.endpoint = e.number AND s.register = ? ORDER BY e.number`,
  loggedVersions: `${selectLoggedVersions('')} WHERE v.entry > ? AND v.entry < ? ORDER BY v.entry LIMIT ?`,
  addDelivery: `INSERT INTO ${DELIVERIES}
    (endpoint, entry, event_id, type, record_id, version, base_url, created_at, due_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    RETURNING number`,
  moveCursor: `INSERT INTO webhook_cursors (register, change) VALUES (?, ?)
    ON CONFLICT (register) DO UPDATE SET change = excluded.change`,
  endpointsDue: `SELECT e.number, e.id FROM ${ENDPOINTS} e WHERE EXISTS
    (SELECT 1 FROM ${DELIVERIES} d WHERE d.endpoint = e.number AND d.state = 'pending' AND d.due_at <= ?)
    ORDER BY e.number <= ?, e.number`,
  due: `SELECT number, entry, event_id, type, created_at, base_url, tries, due_at FROM ${DELIVERIES}
    WHERE endpoint = ? AND state = 'pending' AND due_at <= ? ORDER BY due_at, number LIMIT ?`,
  take: `UPDATE ${DELIVERIES} SET lease = ?, due_at = ? WHERE number = ?`,
  // A register that is being removed has rows left for a while.
  eventVersion: `${selectEventVersions('')} JOIN registers g ON g.is_removed = 0 WHERE v.entry = ? AND g.number = ?`,
  settleSuccess: `UPDATE ${DELIVERIES} SET state = 'acknowledged', reason = NULL, due_at = NULL, lease = NULL,
    attempts = attempts + 1, tries = tries + 1
    WHERE number = ? AND (state <> 'acknowledged' OR lease = ?) RETURNING endpoint, attempts`,
  settleOther: `UPDATE ${DELIVERIES} SET state = ?, reason = ?, due_at = ?, lease = NULL,
    attempts = attempts + ?, tries = tries + ? WHERE number = ? AND lease = ? RETURNING endpoint, attempts`,
  addAttempt: `INSERT INTO webhook_attempts (delivery, number, at, duration_ms, status, error, response)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
};

/** Them all, by name. */
export type DeliveryStatements = Readonly<Record<StatementName, SqliteStatement>>;

/** Prepares them. */
export function prepareDeliveries(connection: SqliteConnection): DeliveryStatements {
  const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, connection.prepare(sql)] as const);
  return Object.fromEntries(prepared) as DeliveryStatements;
}
