// The statements of SqliteDeliveries, prepared once.
import {
  attemptColumns,
  ENDPOINT_COLUMNS,
  selectClaimedEndpoints,
  selectDeliveries,
  selectEventVersions,
  selectLoggedVersions,
  SUBSCRIPTION_COLUMNS,
} from '../rows/deliveries.ts';
import type { SqliteConnection } from './connection.ts';
import type { SqliteStatement } from './statement.ts';

const DELIVERIES = 'webhook_deliveries';
const ENDPOINTS = 'webhook_endpoints';

/** Whether a delivery is being sent at a time (the parameter): it has a lease that has not run out. */
const IS_LEASED = `(state = 'pending' AND lease IS NOT NULL AND due_at > ?)`;

const MAKE_DUE = `UPDATE ${DELIVERIES} SET state = 'pending', reason = NULL, tries = 0, due_at = ?, lease = NULL`;

type StatementName =
  | 'hasAccount'
  | 'registers'
  | 'hasEndpoints'
  | 'addCursor'
  | 'addEndpoint'
  | 'addStart'
  | 'endpoint'
  | 'endpointNumber'
  | 'endpoints'
  | 'endpointsOf'
  | 'claimedEndpoint'
  | 'disable'
  | 'disableNumber'
  | 'disableFailing'
  | 'enable'
  | 'succeeded'
  | 'failed'
  | 'prepareSecret'
  | 'activateSecret'
  | 'anySecret'
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
  | 'addAttempt'
  | 'replayOne'
  | 'replayEnd'
  | 'replaySince'
  | 'delivery'
  | 'deliveries'
  | 'attempts'
  | 'oldest'
  | 'pruneAttempts'
  | 'pruneDelivery';

const STATEMENTS: Readonly<Record<StatementName, string>> = {
  hasAccount: 'SELECT 1 FROM accounts WHERE id = ?',
  registers: 'SELECT number, id, change FROM registers WHERE is_removed = 0',
  hasEndpoints: `SELECT 1 FROM ${ENDPOINTS} LIMIT 1`,
  addCursor: 'INSERT INTO webhook_cursors (register, change) VALUES (?, ?)',
  addEndpoint: `INSERT INTO ${ENDPOINTS} (id, account_id, url, feeds, types, created_at, secret)
    VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number`,
  addStart: 'INSERT INTO webhook_starts (endpoint, register, change) VALUES (?, ?, ?)',
  endpoint: `SELECT ${ENDPOINT_COLUMNS} FROM ${ENDPOINTS} WHERE id = ?`,
  endpointNumber: `SELECT number FROM ${ENDPOINTS} WHERE id = ?`,
  endpoints: `SELECT ${ENDPOINT_COLUMNS} FROM ${ENDPOINTS} ORDER BY number`,
  endpointsOf: `SELECT ${ENDPOINT_COLUMNS} FROM ${ENDPOINTS} WHERE account_id = ? ORDER BY number`,
  claimedEndpoint: `${selectClaimedEndpoints('')} WHERE e.number = ?`,
  disable: `UPDATE ${ENDPOINTS} SET disabled_at = coalesce(disabled_at, ?), disabled_reason = coalesce(disabled_reason, ?)
    WHERE id = ? RETURNING ${ENDPOINT_COLUMNS}`,
  disableNumber: `UPDATE ${ENDPOINTS} SET disabled_at = ?, disabled_reason = ? WHERE number = ? AND disabled_at IS NULL`,
  disableFailing: `UPDATE ${ENDPOINTS} SET disabled_at = ?, disabled_reason = 'failing'
    WHERE number = ? AND disabled_at IS NULL AND failing_since <= ?`,
  enable: `UPDATE ${ENDPOINTS} SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL
    WHERE id = ? RETURNING ${ENDPOINT_COLUMNS}`,
  succeeded: `UPDATE ${ENDPOINTS} SET failing_since = NULL WHERE number = ? AND failing_since IS NOT NULL`,
  failed: `UPDATE ${ENDPOINTS} SET failing_since = ? WHERE number = ? AND failing_since IS NULL`,
  prepareSecret: `UPDATE ${ENDPOINTS} SET next_secret = ? WHERE id = ? RETURNING ${ENDPOINT_COLUMNS}`,
  activateSecret: `UPDATE ${ENDPOINTS} SET secret = next_secret, next_secret = NULL WHERE id = ? RETURNING ${ENDPOINT_COLUMNS}`,
  anySecret: `SELECT id, secret FROM ${ENDPOINTS} ORDER BY number LIMIT 1`,
  behind: `SELECT g.number, g.id, g.change, coalesce(c.change, 0) FROM registers g
    LEFT JOIN webhook_cursors c ON c.register = g.number
    WHERE g.is_removed = 0 AND g.change > coalesce(c.change, 0) AND EXISTS (SELECT 1 FROM ${ENDPOINTS}) LIMIT 1`,
  subscriptions: `SELECT ${SUBSCRIPTION_COLUMNS} FROM ${ENDPOINTS} e
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
  replayOne: `${MAKE_DUE} WHERE number = ? AND NOT ${IS_LEASED}`,
  replayEnd: `SELECT max(number) FROM
    (SELECT number FROM ${DELIVERIES} WHERE endpoint = ? AND number > ? ORDER BY number LIMIT ?)`,
  replaySince: `${MAKE_DUE} WHERE endpoint = ? AND number > ? AND number <= ? AND created_at >= ? AND NOT ${IS_LEASED}`,
  delivery: `${selectDeliveries('')} WHERE d.number = ?`,
  deliveries: `${selectDeliveries('')} WHERE d.endpoint = ? AND d.number < ? ORDER BY d.number DESC LIMIT ?`,
  attempts: `SELECT ${attemptColumns('t')} FROM webhook_attempts t WHERE t.delivery = ? ORDER BY t.number`,
  oldest: `SELECT number FROM (SELECT number, created_at, state FROM ${DELIVERIES} ORDER BY number LIMIT ?)
    WHERE created_at < ? AND state <> 'pending'`,
  pruneAttempts: 'DELETE FROM webhook_attempts WHERE delivery = ?',
  pruneDelivery: `DELETE FROM ${DELIVERIES} WHERE number = ?`,
};

/** Them all, by name. */
export type DeliveryStatements = Readonly<Record<StatementName, SqliteStatement>>;

/** Prepares them. */
export function prepareDeliveries(connection: SqliteConnection): DeliveryStatements {
  const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, connection.prepare(sql)] as const);
  return Object.fromEntries(prepared) as DeliveryStatements;
}
