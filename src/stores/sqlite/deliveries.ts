// Endpoints and deliveries in a SQLite file, for SqliteStore. Writes are short; a look, which costs no lock, comes before
// each write that may have nothing to do.
import { unknownAccount } from '../rows/accounts.ts';
import { SLOT_SPAN, slotOf, type SqlRow } from '../rows/columns.ts';
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
import { unknownFeed } from '../rows/register.ts';
import type { SqliteConnection } from './connection.ts';
import { type DeliveryStatements, prepareDeliveries } from './delivery-statements.ts';

/** The deliveries of one connection. */
export class SqliteDeliveries implements DeliveryStore {
  readonly #connection: SqliteConnection;
  readonly #statements: DeliveryStatements;
  /** The endpoint that came last in a claim: the next one begins after it, so that none is passed over for ever. */
  #lastClaimed = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#statements = prepareDeliveries(connection);
  }

  async createEndpoint(endpoint: NewEndpoint): Promise<WebhookEndpoint> {
    const { id, accountId, url, feeds, types, createdAt, secret } = rows.keptEndpoint(endpoint);
    const { hasAccount, registers, hasEndpoints, addCursor, addEndpoint, addStart } = this.#statements;
    await this.#connection.write(() => {
      if (hasAccount.get(accountId) === undefined) throw unknownAccount(accountId);
      const all = registers.all() as unknown as (readonly [number, string, number])[];
      const unknown = feeds?.find((feed) => !all.some(([, feedId]) => feedId === feed));
      if (unknown !== undefined) throw unknownFeed(unknown);
      // What was committed before the first endpoint is nobody's.
      if (hasEndpoints.get() === undefined) for (const [register, , change] of all) addCursor.run(register, change);
      const feedsText = rows.listText(feeds);
      const row = addEndpoint.get(id, accountId, url, feedsText, rows.listText(types), createdAt, secret)!;
      for (const [register, , change] of all) addStart.run(row[0] as number, register, change);
    });
    return this.#endpoint(id);
  }

  async endpoint(endpointId: string): Promise<WebhookEndpoint> {
    return this.#endpoint(endpointId);
  }

  async endpoints(accountId?: string): Promise<readonly WebhookEndpoint[]> {
    if (accountId === undefined) return this.#statements.endpoints.all().map(rows.endpointOf);
    if (this.#statements.hasAccount.get(accountId) === undefined) throw unknownAccount(accountId);
    return this.#statements.endpointsOf.all(accountId).map(rows.endpointOf);
  }

  async disableEndpoint(
    endpointId: string,
    { at, reason }: { readonly at: string; readonly reason: DisabledReason },
  ): Promise<WebhookEndpoint> {
    const row = await this.#connection.write(() => this.#statements.disable.get(at, reason, endpointId));
    return rows.endpointOf(row ?? fail(rows.unknownEndpoint(endpointId)));
  }

  async enableEndpoint(endpointId: string): Promise<WebhookEndpoint> {
    const row = await this.#connection.write(() => this.#statements.enable.get(endpointId));
    return rows.endpointOf(row ?? fail(rows.unknownEndpoint(endpointId)));
  }

  async prepareSecret(endpointId: string, secret: Uint8Array): Promise<WebhookEndpoint> {
    const row = await this.#connection.write(() => this.#statements.prepareSecret.get(secret, endpointId));
    return rows.endpointOf(row ?? fail(rows.unknownEndpoint(endpointId)));
  }

  async activateSecret(endpointId: string): Promise<WebhookEndpoint> {
    return this.#connection.write(() => {
      const { hasNextSecret } = this.#endpoint(endpointId);
      if (!hasNextSecret) throw rows.noNextSecret(endpointId);
      return rows.endpointOf(this.#statements.activateSecret.get(endpointId)!);
    });
  }

  async anySecret(): Promise<{ readonly endpointId: string; readonly secret: Uint8Array } | null> {
    const row = this.#statements.anySecret.get();
    return row === undefined ? null : { endpointId: row[0] as string, secret: row[1] as Uint8Array };
  }

  async fanOut(options: {
    readonly at: string;
    readonly baseUrl: string;
    readonly toEvent: (version: LoggedVersion) => EventName;
  }): Promise<boolean> {
    if (this.#statements.behind.get() === undefined) return false;
    return this.#connection.write(() => {
      const behind = this.#statements.behind.get();
      if (behind === undefined) return false;
      const [register, feedId, change, cursor] = behind as unknown as readonly [number, string, number, number];
      const endpoints = this.#statements.subscriptions.all(register).map(rows.subscriptionOf);
      const step = rows.fanOutStep(feedId, cursor, change, endpoints);
      const from = slotOf(register, step.since);
      const found = this.#statements.loggedVersions.all(from, slotOf(register + 1, 0), step.limit);
      const versions = found.map(rows.loggedVersionOf);
      for (const { endpoint, version, event } of rows.newDeliveries(step, versions, options.toEvent)) {
        const entry = slotOf(register, version.change);
        const { recordId } = version;
        this.#statements.addDelivery.get(
          ...[
            endpoint,
            entry,
            event.id,
            event.type,
            recordId,
            version.version,
            options.baseUrl,
            options.at,
            options.at,
          ],
        );
      }
      this.#statements.moveCursor.run(register, versions.at(-1)?.change ?? step.since);
      return true;
    });
  }

  async createTest(endpointId: string, event: EventName, { at }: { readonly at: string }): Promise<DeliveryEntry> {
    const number = await this.#connection.write(() => {
      const endpoint = this.#number(endpointId);
      const test = [endpoint, null, event.id, event.type, null, null, null, at, at] as const;
      return this.#statements.addDelivery.get(...test)![0] as number;
    });
    return this.#delivery(number);
  }

  async claim(options: ClaimOptions): Promise<readonly ClaimedDelivery[]> {
    const { now, lease, until, limit, room, limitPerEndpoint } = options;
    const { endpointsDue, due, take, claimedEndpoint } = this.#statements;
    if (endpointsDue.get(now, this.#lastClaimed) === undefined) return [];
    return this.#connection.write(() => {
      const claimed: ClaimedDelivery[] = [];
      const waiting = endpointsDue.all(now, this.#lastClaimed) as unknown as (readonly [number, string])[];
      for (const [number, id] of waiting) {
        const most = Math.min(room.get(id) ?? limitPerEndpoint, limit - claimed.length);
        if (most <= 0) continue;
        const [, endpoint] = rows.claimedEndpointOf(claimedEndpoint.get(number)!);
        for (const row of due.all(number, now, most)) {
          take.run(lease, until, row[0] as number);
          claimed.push(this.#claimed(row, endpoint));
        }
        this.#lastClaimed = number;
      }
      return claimed;
    });
  }

  async settle(
    outcomes: readonly DeliveryOutcome[],
    { at, failingBefore }: { readonly at: string; readonly failingBefore: string },
  ): Promise<void> {
    const { settleSuccess, settleOther, addAttempt, succeeded, failed, disableFailing, disableNumber } =
      this.#statements;
    await this.#connection.write(() => {
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
          disableFailing.run(at, endpoint, failingBefore);
        }
      }
      for (const endpoint of gone) disableNumber.run(at, 'gone', endpoint);
    });
  }

  async replay(
    which: { readonly deliveryId: string } | { readonly endpointId: string; readonly since: string },
    { at }: { readonly at: string },
  ): Promise<number> {
    const { replayOne, replaySince, replayEnd } = this.#statements;
    if ('deliveryId' in which) {
      this.#delivery(rows.deliveryNumber(which.deliveryId));
      const one = await this.#connection.write(() => {
        return replayOne.run(at, rows.deliveryNumber(which.deliveryId), at);
      });
      return Number(one.changes);
    }
    const endpoint = this.#number(which.endpointId);
    let replayed = 0;
    for (let after = 0; ;) {
      const end = replayEnd.get(endpoint, after, rows.DELIVERY_CHUNK)![0] as number | null;
      if (end === null) return replayed;
      const from = after;
      const some = await this.#connection.write(() => replaySince.run(at, endpoint, from, end, which.since, at));
      replayed += Number(some.changes);
      after = end;
    }
  }

  async delivery(deliveryId: string): Promise<DeliveryEntry> {
    return this.#delivery(rows.deliveryNumber(deliveryId));
  }

  async deliveries(
    endpointId: string,
    { limit, before }: { readonly limit: number; readonly before?: string },
  ): Promise<readonly DeliveryEntry[]> {
    const below = before === undefined ? Number.MAX_SAFE_INTEGER : rows.deliveryNumber(before);
    return this.#statements.deliveries.all(this.#number(endpointId), below, limit).map(rows.deliveryOf);
  }

  async attempts(deliveryId: string): Promise<readonly DeliveryAttempt[]> {
    const number = rows.deliveryNumber(deliveryId);
    this.#delivery(number);
    return this.#statements.attempts.all(number).map(rows.attemptOf);
  }

  async prune({ before }: { readonly before: string }): Promise<number> {
    const { oldest, pruneAttempts, pruneDelivery } = this.#statements;
    if (oldest.get(rows.DELIVERY_CHUNK, before) === undefined) return 0;
    return this.#connection.write(() => {
      const numbers = oldest.all(rows.DELIVERY_CHUNK, before) as unknown as (readonly [number])[];
      for (const [number] of numbers) {
        pruneAttempts.run(number);
        pruneDelivery.run(number);
      }
      return numbers.length;
    });
  }

  #endpoint(endpointId: string): WebhookEndpoint {
    const row = this.#statements.endpoint.get(endpointId);
    return rows.endpointOf(row ?? fail(rows.unknownEndpoint(endpointId)));
  }

  #number(endpointId: string): number {
    const row = this.#statements.endpointNumber.get(endpointId);
    return (row ?? fail(rows.unknownEndpoint(endpointId)))[0] as number;
  }

  #delivery(number: number): DeliveryEntry {
    const row = this.#statements.delivery.get(number);
    return rows.deliveryOf(row ?? fail(rows.unknownDelivery(rows.deliveryId(number))));
  }

  #claimed(row: SqlRow, endpoint: ClaimedDelivery['endpoint']): ClaimedDelivery {
    const [number, entry, id, type, createdAt, baseUrl, tries, dueAt] = row;
    const register = Math.floor(Number(entry) / SLOT_SPAN);
    const version = entry === null ? undefined : this.#statements.eventVersion.get(entry as number, register);
    return {
      id: rows.deliveryId(number as number),
      endpoint,
      event: { id: id as string, type: type as string },
      createdAt: createdAt as string,
      baseUrl: baseUrl as string | null,
      version: version === undefined ? null : rows.eventVersionOf(version),
      isTest: entry === null,
      tries: tries as number,
      dueAt: dueAt as string,
    };
  }
}

function fail(error: Error): never {
  throw error;
}
