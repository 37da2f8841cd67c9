// Creates, claims and settles deliveries in a SQLite file. Writes are short. Before each write that may have nothing to
// do there is a read, which needs no lock. The decisions about endpoints and single deliveries are in
// logic/webhooks/endpoints.ts and logic/webhooks/deliveries.ts.
import { SLOT_SPAN, slotOf, type SqlRow } from '../rows/columns.ts';
import * as rows from '../rows/deliveries.ts';
import * as outbox from '../rows/fan-out.ts';
import type { ClaimOptions } from '../contract/sending.ts';
import type { ClaimedDelivery, DeliveryOutcome, LoggedVersion } from '../contract/deliveries.ts';
import type { EventName } from '../contract/sending.ts';
import type { Share } from '../logic/webhooks/claims.ts';
import type { DeliveryHooks } from '../logic/webhooks/delivery-store.ts';
import { disableEnded } from '../logic/webhooks/disabling.ts';
import type { SqliteConnection } from './connection.ts';
import type { SqliteEngine } from './engine.ts';
import type { SqliteStatement } from './statement.ts';

/** The deliveries of one connection. */
export class SqliteDeliveries implements DeliveryHooks {
  readonly #connection: SqliteConnection;
  readonly #engine: SqliteEngine;
  readonly #statements: DeliveryStatements;
  /** The register that was fanned out last: the next step begins after it, so that every register gets its turn. */
  #lastFannedOut = 0;

  constructor(connection: SqliteConnection, engine: SqliteEngine) {
    this.#connection = connection;
    this.#engine = engine;
    this.#statements = prepareDeliveries(connection);
  }

  async fanOut(options: {
    readonly at: string;
    readonly baseUrl: string;
    readonly toEvent: (version: LoggedVersion) => EventName;
  }): Promise<boolean> {
    if (this.#statements.behind.get(this.#lastFannedOut) === undefined) return false;
    return this.#connection.write(() => {
      const behind = this.#statements.behind.get(this.#lastFannedOut);
      if (behind === undefined) return false;
      const [register, feedId, change, cursor, definition] = behind as unknown as readonly [
        ...[register: number, feedId: string, change: number, cursor: number, definition: string],
      ];
      this.#lastFannedOut = register;
      const endpoints = this.#statements.subscriptions.all(register).map(outbox.SUBSCRIPTION.read);
      const step = outbox.fanOutStep({ feedId, definition }, cursor, change, endpoints);
      const from = slotOf(register, step.since);
      const found = this.#statements[step.reading].all(from, slotOf(register + 1, 0), step.limit);
      const versions = found.map((row) => outbox.fannedVersionOf(step, row));
      for (const { endpoint, version, event, skipped } of outbox.newDeliveries(step, versions, options.toEvent)) {
        const entry = slotOf(register, version.change);
        const { recordId, version: number } = version;
        this.#statements.addDelivery.get(
          ...[endpoint, entry, event.id, event.type, recordId, number, options.baseUrl, options.at],
          ...[skipped === null ? options.at : null, skipped === null ? 'pending' : 'skipped', skipped],
        );
      }
      this.#statements.moveCursor.run(register, versions.at(-1)?.version.change ?? step.since);
      return true;
    });
  }

  async take(
    shares: readonly Share[],
    { now, lease, until }: Pick<ClaimOptions, 'now' | 'lease' | 'until'>,
  ): Promise<readonly ClaimedDelivery[]> {
    const { due, take, claimedEndpoint } = this.#statements;
    return this.#connection.write(() => {
      const claimed: ClaimedDelivery[] = [];
      for (const { endpoint: number, most } of shares) {
        const row = claimedEndpoint.get(number);
        // It was removed meanwhile.
        if (row === undefined) continue;
        const [, endpoint] = rows.claimedEndpointOf(row);
        for (const found of due.all(number, now, most)) {
          take.run(lease, until, found[0] as number);
          claimed.push(this.#claimed(found, endpoint));
        }
      }
      return claimed;
    });
  }

  async settle(
    outcomes: readonly DeliveryOutcome[],
    { at, failingBefore }: { readonly at: string; readonly failingBefore: string },
  ): Promise<void> {
    const { settleSuccess, settleOther, addAttempt, succeeded, failed, failingSince } = this.#statements;
    return this.#connection.write(() => {
      /** By endpoint: whether any attempt succeeded. */
      const endpoints = new Map<number, boolean>();
      const gone = new Set<number>();
      for (const { id, lease, state, reason, attempt, nextAttemptAt, isGone } of outcomes) {
        const number = rows.deliveryNumber(id);
        const tried = attempt === null ? 0 : 1;
        const row =
          state === 'acknowledged'
            ? settleSuccess.get(number, lease)
            : settleOther.get(state, reason, nextAttemptAt, tried, tried, number, lease);
        if (row === undefined || attempt === null) continue;
        const [endpoint, attempts] = row as unknown as readonly [number, number];
        const { at: triedAt, durationMs, status, error, response } = attempt;
        addAttempt.run(number, attempts, triedAt, durationMs, status, error, response);
        endpoints.set(endpoint, state === 'acknowledged' || endpoints.get(endpoint) === true);
        if (isGone) gone.add(endpoint);
      }
      for (const [endpoint, isSuccess] of endpoints) {
        if (isSuccess) {
          succeeded.run(endpoint);
        } else {
          failed.run(at, endpoint);
        }
      }
      for (const number of endpoints.keys()) {
        const isGone = gone.has(number);
        if (isGone || failingSince.get(number, failingBefore) !== undefined) {
          this.#engine.within(disableEnded, { number, isGone }, { at });
        }
      }
    });
  }

  #claimed(row: SqlRow, endpoint: ClaimedDelivery['endpoint']): ClaimedDelivery {
    const [number, entry, id, type, createdAt, baseUrl, tries, dueAt, about] = row;
    const register = Math.floor(Number(entry) / SLOT_SPAN);
    const version = entry === null ? undefined : this.#statements.eventVersion.get(entry as number, register);
    return {
      id: rows.deliveryId(number as number),
      endpoint,
      event: { id: id as string, type: type as string },
      createdAt: createdAt as string,
      baseUrl: baseUrl as string | null,
      version: version === undefined ? null : rows.eventVersionOf(version),
      ...rows.aboutOf(entry, about),
      tries: tries as number,
      dueAt: dueAt as string,
    };
  }
}

const DELIVERIES = 'webhook_deliveries';
const ENDPOINTS = 'webhook_endpoints';

type StatementName =
  | 'claimedEndpoint'
  | 'failingSince'
  | 'succeeded'
  | 'failed'
  | 'behind'
  | 'subscriptions'
  | outbox.FanOutReading
  | 'addDelivery'
  | 'moveCursor'
  | 'due'
  | 'take'
  | 'eventVersion'
  | 'settleSuccess'
  | 'settleOther'
  | 'addAttempt';

function fannedVersions(reading: outbox.FanOutReading): string {
  return `${outbox.selectFannedVersions('', reading)} WHERE v.entry > ? AND v.entry < ? ORDER BY v.entry LIMIT ?`;
}

const STATEMENTS: Readonly<Record<StatementName, string>> = {
  claimedEndpoint: `${rows.selectClaimedEndpoints('')} WHERE e.number = ?`,
  failingSince: `SELECT 1 FROM ${ENDPOINTS} WHERE number = ? AND disabled_at IS NULL AND failing_since <= ?`,
  succeeded: `UPDATE ${ENDPOINTS} SET failing_since = NULL WHERE number = ? AND failing_since IS NOT NULL`,
  failed: `UPDATE ${ENDPOINTS} SET failing_since = ? WHERE number = ? AND failing_since IS NULL`,
  behind: `SELECT g.number, g.id, g.change, coalesce(c.change, 0), g.definition FROM registers g
    LEFT JOIN webhook_cursors c ON c.register = g.number
    WHERE g.is_removed = 0 AND g.change > coalesce(c.change, 0) AND EXISTS (SELECT 1 FROM ${ENDPOINTS})
    ORDER BY g.number <= ?, g.number LIMIT 1`,
  subscriptions: outbox.selectSubscriptions('', '?'),
  versions: fannedVersions('versions'),
  values: fannedVersions('values'),
  texts: fannedVersions('texts'),
  addDelivery: `INSERT INTO ${DELIVERIES}
    (endpoint, entry, event_id, type, record_id, version, base_url, created_at, due_at, state, reason)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
  moveCursor: `INSERT INTO webhook_cursors (register, change) VALUES (?, ?)
    ON CONFLICT (register) DO UPDATE SET change = excluded.change`,
  due: `SELECT number, entry, event_id, type, created_at, base_url, tries, due_at, about FROM ${DELIVERIES}
    WHERE endpoint = ? AND state = 'pending' AND due_at <= ? ORDER BY due_at, number LIMIT ?`,
  take: `UPDATE ${DELIVERIES} SET lease = ?, due_at = ? WHERE number = ?`,
  // A register that is being removed still has rows for a while.
  eventVersion: `${rows.selectEventVersions('')} JOIN registers g ON g.is_removed = 0 WHERE v.entry = ? AND g.number = ?`,
  settleSuccess: `UPDATE ${DELIVERIES} SET state = 'acknowledged', reason = NULL, due_at = NULL, lease = NULL,
    attempts = attempts + 1, tries = tries + 1
    WHERE number = ? AND (state <> 'acknowledged' OR lease = ?) RETURNING endpoint, attempts`,
  settleOther: `UPDATE ${DELIVERIES} SET state = ?, reason = ?, due_at = ?, lease = NULL,
    attempts = attempts + ?, tries = tries + ? WHERE number = ? AND lease = ? RETURNING endpoint, attempts`,
  addAttempt: `INSERT INTO webhook_attempts (delivery, number, at, duration_ms, status, error, response)
    VALUES (?, ?, ?, ?, ?, ?, ?)`,
};

/** All of them, by name. */
type DeliveryStatements = Readonly<Record<StatementName, SqliteStatement>>;

function prepareDeliveries(connection: SqliteConnection): DeliveryStatements {
  const prepared = Object.entries(STATEMENTS).map(([name, sql]) => [name, connection.prepare(sql)] as const);
  return Object.fromEntries(prepared) as DeliveryStatements;
}
