// Creates, claims and settles deliveries in a PostgreSQL database. Several processes share the work: each skips rows
// that another one has locked (FOR UPDATE SKIP LOCKED), and all lock several rows in the same order.
import { slotOf } from '../rows/columns.ts';
import * as outbox from '../rows/fan-out.ts';
import type { ClaimOptions } from '../contract/sending.ts';
import type { ClaimedDelivery, DeliveryOutcome, LoggedVersion } from '../contract/deliveries.ts';
import type { EventName } from '../contract/sending.ts';
import type { Share } from '../logic/webhooks/claims.ts';
import type { DeliveryHooks } from '../logic/webhooks/delivery-store.ts';
import { takeDeliveries } from './claims.ts';
import type { PostgresConnection, RunQuery } from './connection.ts';
import type { PostgresEngine } from './engine.ts';
import { settleOutcomes } from './outcomes.ts';

/** The deliveries of one store. */
export class PostgresDeliveries implements DeliveryHooks {
  readonly #connection: PostgresConnection;
  readonly #engine: PostgresEngine;
  readonly #prefix: string;
  /** The register that was fanned out last: the next step begins after it, so that every register gets its turn. */
  #lastFannedOut = 0;

  constructor(connection: PostgresConnection, engine: PostgresEngine) {
    this.#connection = connection;
    this.#engine = engine;
    this.#prefix = connection.prefix;
  }

  async fanOut(options: {
    readonly at: string;
    readonly baseUrl: string;
    readonly toEvent: (version: LoggedVersion) => EventName;
  }): Promise<boolean> {
    const p = this.#prefix;
    const [behind] = await this.#connection.query(
      `SELECT g.number, g.id FROM ${p}registers g LEFT JOIN ${p}webhook_cursors c ON c.register = g.number
        WHERE g.change > coalesce(c.change, 0) AND EXISTS (SELECT 1 FROM ${p}webhook_endpoints)
        ORDER BY g.number <= $1, g.number LIMIT 1`,
      [this.#lastFannedOut],
    );
    if (behind === undefined) return false;
    const [register, feedId] = behind as unknown as readonly [number, string];
    this.#lastFannedOut = register;
    return this.#connection.transaction(async (query) => {
      await query(`INSERT INTO ${p}webhook_cursors (register, change) VALUES ($1, 0) ON CONFLICT DO NOTHING`, [
        register,
      ]);
      const cursors = `SELECT change FROM ${p}webhook_cursors WHERE register = $1 FOR UPDATE SKIP LOCKED`;
      const [cursor] = await query(cursors, [register]);
      // Another process is already fanning out.
      if (cursor === undefined) return false;
      const [head] = await query(`SELECT change, definition FROM ${p}registers WHERE number = $1`, [register]);
      const change = Number(head?.[0] ?? 0);
      if (change <= Number(cursor[0])) return false;
      // Read after the head: an endpoint that existed when a version was committed is then visible here.
      const endpoints = await query(outbox.selectSubscriptions(p, '$1'), [register]);
      const step = outbox.fanOutStep(
        { feedId, definition: String(head?.[1]) },
        ...([Number(cursor[0]), change, endpoints.map(outbox.SUBSCRIPTION.read)] as const),
      );
      const found = await query(
        `${outbox.selectFannedVersions(p, step.reading)} WHERE v.entry > $1 AND v.entry <= $2 ORDER BY v.entry LIMIT ${step.limit}`,
        [slotOf(register, step.since), slotOf(register, change)],
      );
      const versions = found.map((row) => outbox.fannedVersionOf(step, row));
      await this.#add(query, register, outbox.newDeliveries(step, versions, options.toEvent), options);
      const next = versions.at(-1)?.version.change ?? step.since;
      await query(`UPDATE ${p}webhook_cursors SET change = $2 WHERE register = $1`, [register, next]);
      return true;
    });
  }

  take(
    shares: readonly Share[],
    options: Pick<ClaimOptions, 'now' | 'lease' | 'until'>,
  ): Promise<readonly ClaimedDelivery[]> {
    return takeDeliveries(this.#connection, shares, options);
  }

  settle(
    outcomes: readonly DeliveryOutcome[],
    options: { readonly at: string; readonly failingBefore: string },
  ): Promise<void> {
    return this.#engine.write(settleOutcomes, this.#prefix, outcomes, options);
  }

  async #add(
    query: RunQuery,
    register: number,
    made: readonly outbox.NewDelivery[],
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
      made.map(({ skipped }) => skipped),
    ];
    await query(
      `INSERT INTO ${this.#prefix}webhook_deliveries
        (endpoint, entry, event_id, type, record_id, version, reason, state, base_url, created_at, due_at)
        SELECT n.*, CASE WHEN n.reason IS NULL THEN 'pending' ELSE 'skipped' END, $8, $9,
          CASE WHEN n.reason IS NULL THEN $9 END
        FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::text[])
          AS n (endpoint, entry, event_id, type, record_id, version, reason)`,
      [...columns, baseUrl, at],
    );
  }
}
