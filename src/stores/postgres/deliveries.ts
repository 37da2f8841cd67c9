// Endpoints and deliveries in a PostgreSQL database, for PostgresStore. Several processes share the work: rows that one of
// them works on are passed over by the others (FOR UPDATE SKIP LOCKED), and whoever locks several does so in one order.
import { unknownAccount } from '../rows/accounts.ts';
import { slotOf } from '../rows/columns.ts';
import * as rows from '../rows/deliveries.ts';
import type {
  ClaimedDelivery,
  ClaimOptions,
  DeliveryAttempt,
  DeliveryEntry,
  DeliveryOutcome,
  DeliveryStore,
  DisabledReason,
  EventName,
  LoggedVersion,
  NewEndpoint,
  WebhookEndpoint,
} from '../contract/deliveries.ts';
import { claimDeliveries } from './claims.ts';
import { type PostgresConnection, type RunQuery, withoutNul } from './connection.ts';
import { recordOutcomes } from './outcomes.ts';
import { unknownFeed } from '../rows/register.ts';

/** The deliveries of one store. */
export class PostgresDeliveries implements DeliveryStore {
  readonly #connection: PostgresConnection;
  readonly #prefix: string;
  /** The endpoint that came last in a claim: the next one begins after it, so that none is passed over for ever. */
  #lastClaimed = 0;

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
    this.#prefix = connection.prefix;
  }

  async createEndpoint(endpoint: NewEndpoint): Promise<WebhookEndpoint> {
    const { id, accountId, url, feeds, types, createdAt, secret } = rows.keptEndpoint(endpoint);
    const p = this.#prefix;
    return this.#connection.transaction(async (query) => {
      if ((await query(`SELECT 1 FROM ${p}accounts WHERE id = $1`, [accountId])).length === 0) {
        throw unknownAccount(accountId);
      }
      const registers = await query(`SELECT id, number, change FROM ${p}registers ORDER BY number`);
      const unknown = feeds?.find((feed) => !registers.some(([feedId]) => feedId === feed));
      if (unknown !== undefined) throw unknownFeed(unknown);
      const numbers = registers.map(([, number]) => number);
      const changes = registers.map(([, , change]) => change);
      // What was committed before the first endpoint is nobody's.
      await query(
        `INSERT INTO ${p}webhook_cursors (register, change)
          SELECT * FROM unnest($1::integer[], $2::bigint[]) WHERE NOT EXISTS (SELECT 1 FROM ${p}webhook_endpoints)
          ON CONFLICT (register) DO NOTHING`,
        [numbers, changes],
      );
      const [row] = await query(
        `INSERT INTO ${p}webhook_endpoints (id, account_id, url, feeds, types, created_at, secret)
          VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING ${rows.ENDPOINT_COLUMNS}, number`,
        [id, accountId, url, rows.listText(feeds), rows.listText(types), createdAt, secret],
      );
      await query(
        `INSERT INTO ${p}webhook_starts (endpoint, register, change)
          SELECT $1, * FROM unnest($2::integer[], $3::bigint[])`,
        [row!.at(-1), numbers, changes],
      );
      return rows.endpointOf(row!);
    });
  }

  async endpoint(endpointId: string): Promise<WebhookEndpoint> {
    const sql = `SELECT ${rows.ENDPOINT_COLUMNS} FROM ${this.#prefix}webhook_endpoints WHERE id = $1`;
    return this.#one(endpointId, sql, []);
  }

  async endpoints(accountId?: string): Promise<readonly WebhookEndpoint[]> {
    const p = this.#prefix;
    const condition = accountId === undefined ? '' : 'WHERE account_id = $1';
    const sql = `SELECT ${rows.ENDPOINT_COLUMNS} FROM ${p}webhook_endpoints ${condition} ORDER BY number`;
    const found = await this.#connection.query(sql, accountId === undefined ? [] : [withoutNul(accountId)]);
    if (accountId !== undefined && found.length === 0) {
      const accounts = await this.#connection.query(`SELECT 1 FROM ${p}accounts WHERE id = $1`, [
        withoutNul(accountId),
      ]);
      if (accounts.length === 0) throw unknownAccount(accountId);
    }
    return found.map(rows.endpointOf);
  }

  async disableEndpoint(
    endpointId: string,
    { at, reason }: { readonly at: string; readonly reason: DisabledReason },
  ): Promise<WebhookEndpoint> {
    const set = 'disabled_at = coalesce(disabled_at, $2), disabled_reason = coalesce(disabled_reason, $3)';
    return this.#update(endpointId, set, [at, reason]);
  }

  async enableEndpoint(endpointId: string): Promise<WebhookEndpoint> {
    return this.#update(endpointId, 'disabled_at = NULL, disabled_reason = NULL, failing_since = NULL', []);
  }

  async prepareSecret(endpointId: string, secret: Uint8Array): Promise<WebhookEndpoint> {
    return this.#update(endpointId, 'next_secret = $2', [secret]);
  }

  async activateSecret(endpointId: string): Promise<WebhookEndpoint> {
    const sql = `UPDATE ${this.#prefix}webhook_endpoints SET secret = next_secret, next_secret = NULL
      WHERE id = $1 AND next_secret IS NOT NULL RETURNING ${rows.ENDPOINT_COLUMNS}`;
    const [row] = await this.#connection.query(sql, [withoutNul(endpointId)]);
    if (row !== undefined) return rows.endpointOf(row);
    await this.endpoint(endpointId);
    throw rows.noNextSecret(endpointId);
  }

  async anySecret(): Promise<{ readonly endpointId: string; readonly secret: Uint8Array } | null> {
    const sql = `SELECT id, secret FROM ${this.#prefix}webhook_endpoints ORDER BY number LIMIT 1`;
    const [row] = await this.#connection.query(sql);
    return row === undefined ? null : { endpointId: row[0] as string, secret: row[1] as Uint8Array };
  }

  async fanOut(options: {
    readonly at: string;
    readonly baseUrl: string;
    readonly toEvent: (version: LoggedVersion) => EventName;
  }): Promise<boolean> {
    const p = this.#prefix;
    const [behind] = await this.#connection.query(
      `SELECT g.number, g.id FROM ${p}registers g LEFT JOIN ${p}webhook_cursors c ON c.register = g.number
        WHERE g.change > coalesce(c.change, 0) AND EXISTS (SELECT 1 FROM ${p}webhook_endpoints) LIMIT 1`,
    );
    if (behind === undefined) return false;
    const [register, feedId] = behind as unknown as readonly [number, string];
    return this.#connection.transaction(async (query) => {
      await query(`INSERT INTO ${p}webhook_cursors (register, change) VALUES ($1, 0) ON CONFLICT DO NOTHING`, [
        register,
      ]);
      const cursors = `SELECT change FROM ${p}webhook_cursors WHERE register = $1 FOR UPDATE SKIP LOCKED`;
      const [cursor] = await query(cursors, [register]);
      // Another process does it.
      if (cursor === undefined) return false;
      const [head] = await query(`SELECT change FROM ${p}registers WHERE number = $1`, [register]);
      const change = Number(head?.[0] ?? 0);
      if (change <= Number(cursor[0])) return false;
      // After the head: an endpoint that was there when a version was committed is then seen here.
      const endpoints = await query(
        `SELECT ${rows.SUBSCRIPTION_COLUMNS} FROM ${p}webhook_endpoints e
          LEFT JOIN ${p}webhook_starts s ON s.endpoint = e.number AND s.register = $1 ORDER BY e.number`,
        [register],
      );
      const step = rows.fanOutStep(feedId, Number(cursor[0]), change, endpoints.map(rows.subscriptionOf));
      const found = await query(
        `${rows.selectLoggedVersions(p)} WHERE v.entry > $1 AND v.entry <= $2 ORDER BY v.entry LIMIT ${step.limit}`,
        [slotOf(register, step.since), slotOf(register, change)],
      );
      const versions = found.map(rows.loggedVersionOf);
      await this.#add(query, register, rows.newDeliveries(step, versions, options.toEvent), options);
      const next = versions.at(-1)?.change ?? step.since;
      await query(`UPDATE ${p}webhook_cursors SET change = $2 WHERE register = $1`, [register, next]);
      return true;
    });
  }

  async createTest(endpointId: string, event: EventName, { at }: { readonly at: string }): Promise<DeliveryEntry> {
    const p = this.#prefix;
    const sql = `INSERT INTO ${p}webhook_deliveries (endpoint, event_id, type, created_at, due_at)
      SELECT number, $2, $3, $4, $4 FROM ${p}webhook_endpoints WHERE id = $1 RETURNING number`;
    const [row] = await this.#connection.query(sql, [withoutNul(endpointId), event.id, event.type, at]);
    if (row === undefined) throw rows.unknownEndpoint(endpointId);
    return this.delivery(rows.deliveryId(Number(row[0])));
  }

  async claim(options: ClaimOptions): Promise<readonly ClaimedDelivery[]> {
    const { claimed, last } = await claimDeliveries(this.#connection, options, this.#lastClaimed);
    this.#lastClaimed = last;
    return claimed;
  }

  async settle(
    outcomes: readonly DeliveryOutcome[],
    options: { readonly at: string; readonly failingBefore: string },
  ): Promise<void> {
    await this.#connection.transaction((query) => recordOutcomes(query, this.#prefix, outcomes, options));
  }

  async replay(
    which: { readonly deliveryId: string } | { readonly endpointId: string; readonly since: string },
    { at }: { readonly at: string },
  ): Promise<number> {
    const isOne = 'deliveryId' in which;
    if (isOne) await this.delivery(which.deliveryId);
    else await this.endpoint(which.endpointId);
    const p = this.#prefix;
    const condition = isOne
      ? 'number = $2'
      : `endpoint = (SELECT number FROM ${p}webhook_endpoints WHERE id = $2) AND created_at >= $3`;
    const values = isOne ? [rows.deliveryNumber(which.deliveryId)] : [which.endpointId, which.since];
    const [row] = await this.#connection.query(
      `WITH replayed AS (
        SELECT number FROM ${p}webhook_deliveries
        WHERE ${condition} AND NOT (state = 'pending' AND lease IS NOT NULL AND due_at > $1) ORDER BY number FOR UPDATE
      ), changed AS (
        UPDATE ${p}webhook_deliveries d
        SET state = 'pending', reason = NULL, tries = 0, due_at = $1, lease = NULL
        FROM replayed WHERE d.number = replayed.number RETURNING 1
      ) SELECT count(*) FROM changed`,
      [at, ...values],
    );
    return Number(row![0]);
  }

  async delivery(deliveryId: string): Promise<DeliveryEntry> {
    const sql = `${rows.selectDeliveries(this.#prefix)} WHERE d.number = $1`;
    const [row] = await this.#connection.query(sql, [rows.deliveryNumber(deliveryId)]);
    if (row === undefined) throw rows.unknownDelivery(deliveryId);
    return rows.deliveryOf(row);
  }

  async deliveries(
    endpointId: string,
    { limit, before }: { readonly limit: number; readonly before?: string },
  ): Promise<readonly DeliveryEntry[]> {
    await this.endpoint(endpointId);
    const below = before === undefined ? Number.MAX_SAFE_INTEGER : rows.deliveryNumber(before);
    const sql = `${rows.selectDeliveries(this.#prefix)} WHERE e.id = $1 AND d.number < $2
      ORDER BY d.number DESC LIMIT $3`;
    return (await this.#connection.query(sql, [endpointId, below, limit])).map(rows.deliveryOf);
  }

  async attempts(deliveryId: string): Promise<readonly DeliveryAttempt[]> {
    await this.delivery(deliveryId);
    const sql = `SELECT ${rows.attemptColumns('t')} FROM ${this.#prefix}webhook_attempts t WHERE t.delivery = $1
      ORDER BY t.number`;
    return (await this.#connection.query(sql, [rows.deliveryNumber(deliveryId)])).map(rows.attemptOf);
  }

  async prune({ before }: { readonly before: string }): Promise<number> {
    const p = this.#prefix;
    const [row] = await this.#connection.query(
      `WITH old AS (
        SELECT number FROM (
          SELECT number, created_at, state FROM ${p}webhook_deliveries ORDER BY number LIMIT ${rows.DELIVERY_CHUNK}
        ) d WHERE created_at < $1 AND state <> 'pending'
      ), attempts AS (
        DELETE FROM ${p}webhook_attempts WHERE delivery IN (SELECT number FROM old)
      ), deliveries AS (
        DELETE FROM ${p}webhook_deliveries WHERE number IN (SELECT number FROM old) AND state <> 'pending' RETURNING 1
      ) SELECT count(*) FROM deliveries`,
      [before],
    );
    return Number(row![0]);
  }

  async #one(endpointId: string, sql: string, values: readonly unknown[]): Promise<WebhookEndpoint> {
    const [row] = await this.#connection.query(sql, [withoutNul(endpointId), ...values]);
    if (row === undefined) throw rows.unknownEndpoint(endpointId);
    return rows.endpointOf(row);
  }

  /** Changes an endpoint: $1 is its id. */
  async #update(endpointId: string, set: string, values: readonly unknown[]): Promise<WebhookEndpoint> {
    const sql = `UPDATE ${this.#prefix}webhook_endpoints SET ${set} WHERE id = $1 RETURNING ${rows.ENDPOINT_COLUMNS}`;
    return this.#one(endpointId, sql, values);
  }

  async #add(
    query: RunQuery,
    register: number,
    made: readonly rows.NewDelivery[],
    { at, baseUrl }: { readonly at: string; readonly baseUrl: string },
  ): Promise<void> {
    if (made.length === 0) return;
    const columns = [
      made.map(({ endpoint }) => endpoint),
      made.map(({ version }) => slotOf(register, version.change)),
      made.map(({ event }) => event.id),
      made.map(({ event }) => event.type),
      made.map(({ version }) => version.recordId),
      made.map(({ version }) => version.version),
    ];
    await query(
      `INSERT INTO ${this.#prefix}webhook_deliveries
        (endpoint, entry, event_id, type, record_id, version, base_url, created_at, due_at)
        SELECT *, $7, $8, $8
        FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::integer[])`,
      [...columns, baseUrl, at],
    );
  }
}
