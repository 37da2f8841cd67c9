// Endpoints and deliveries in memory, for MemoryStore.
import { GazetteError, quote } from '../errors.ts';
import {
  deliveryId,
  deliveryNumber,
  fanOutStep,
  keptEndpoint,
  newDeliveries,
  noNextSecret,
  type Subscription,
  unknownDelivery,
  unknownEndpoint,
} from './rows/deliveries.ts';
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
} from './contract/deliveries.ts';
import {
  byTurn,
  type DeliveryOrigin,
  type DeliveryRow,
  type EndpointRow,
  newDeliveryRow,
  toDeliveryEntry,
  toEndpoint,
  toEventVersion,
  toLogged,
} from './memory-delivery-rows.ts';
import type { MemoryRegister } from './memory-register.ts';
import { unknownFeed } from './rows/register.ts';
import type { Account } from './contract/accounts.ts';

/** What the deliveries see of the rest of the store. */
export interface MemoryOutbox {
  readonly registers: ReadonlyMap<string, MemoryRegister>;
  /** @throws GazetteError `unknown_account` */
  account(accountId: string): Account;
}

/** The deliveries of one {@link MemoryStore}. Rows are replaced, never changed. */
export class MemoryDeliveries implements DeliveryStore {
  readonly #outbox: MemoryOutbox;
  readonly #endpoints = new Map<string, EndpointRow>();
  /** By the number of a register: up to which change it has been fanned out. */
  readonly #cursors = new Map<number, number>();
  readonly #deliveries = new Map<number, DeliveryRow>();
  readonly #attempts = new Map<number, readonly DeliveryAttempt[]>();
  #numbers = 0;

  constructor(outbox: MemoryOutbox) {
    this.#outbox = outbox;
  }

  async createEndpoint(endpoint: NewEndpoint): Promise<WebhookEndpoint> {
    const { secret, ...kept } = keptEndpoint(endpoint);
    this.#outbox.account(kept.accountId);
    const unknown = kept.feeds?.find((feed) => !this.#outbox.registers.has(feed));
    if (unknown !== undefined) throw unknownFeed(unknown);
    if (this.#endpoints.has(kept.id)) {
      throw new GazetteError('internal_error', `endpoint ${quote(kept.id)} is not new`);
    }
    const starts = new Map([...this.#outbox.registers.values()].map(({ head }) => [head.number, head.change]));
    // What was committed before the first endpoint is nobody's.
    if (this.#endpoints.size === 0) for (const [number, change] of starts) this.#cursors.set(number, change);
    const entry = { ...kept, disabledAt: null, disabledReason: null, failingSince: null };
    return this.#keep({ number: this.#endpoints.size + 1, entry, secret, nextSecret: null, starts });
  }

  async endpoint(endpointId: string): Promise<WebhookEndpoint> {
    return toEndpoint(this.#endpoint(endpointId));
  }

  async endpoints(accountId?: string): Promise<readonly WebhookEndpoint[]> {
    if (accountId !== undefined) this.#outbox.account(accountId);
    const all = [...this.#endpoints.values()].map(toEndpoint);
    return all.filter((endpoint) => accountId === undefined || endpoint.accountId === accountId);
  }

  async disableEndpoint(
    endpointId: string,
    { at, reason }: { readonly at: string; readonly reason: DisabledReason },
  ): Promise<WebhookEndpoint> {
    const { disabledAt, disabledReason } = this.#endpoint(endpointId).entry;
    return this.#change(endpointId, { disabledAt: disabledAt ?? at, disabledReason: disabledReason ?? reason });
  }

  async enableEndpoint(endpointId: string): Promise<WebhookEndpoint> {
    return this.#change(endpointId, { disabledAt: null, disabledReason: null, failingSince: null });
  }

  async prepareSecret(endpointId: string, secret: Uint8Array): Promise<WebhookEndpoint> {
    return this.#keep({ ...this.#endpoint(endpointId), nextSecret: secret });
  }

  async activateSecret(endpointId: string): Promise<WebhookEndpoint> {
    const row = this.#endpoint(endpointId);
    if (row.nextSecret === null) throw noNextSecret(endpointId);
    return this.#keep({ ...row, secret: row.nextSecret, nextSecret: null });
  }

  async anySecret(): Promise<{ readonly endpointId: string; readonly secret: Uint8Array } | null> {
    const [first] = this.#endpoints.values();
    return first === undefined ? null : { endpointId: first.entry.id, secret: first.secret };
  }

  async fanOut(options: {
    readonly at: string;
    readonly baseUrl: string;
    readonly toEvent: (version: LoggedVersion) => EventName;
  }): Promise<boolean> {
    if (this.#endpoints.size === 0) return false;
    for (const [feedId, register] of this.#outbox.registers) {
      const { number, change } = register.head;
      const cursor = this.#cursors.get(number) ?? 0;
      if (change <= cursor) continue;
      const endpoints = [...this.#endpoints.values()].map(({ number: endpoint, entry, starts }): Subscription => {
        return { endpoint, feeds: entry.feeds, types: entry.types, start: starts.get(number) ?? 0 };
      });
      const step = fanOutStep(feedId, cursor, change, endpoints);
      const versions = register.changes(step.since, step.limit).versions.map(toLogged);
      const ids = new Map([...this.#endpoints.values()].map((row) => [row.number, row.entry.id]));
      for (const { endpoint, version, event } of newDeliveries(step, versions, options.toEvent)) {
        const place = { register: number, feedId, change: version.change };
        this.#add(ids.get(endpoint)!, event, options.at, { place, version, baseUrl: options.baseUrl });
      }
      this.#cursors.set(number, versions.at(-1)?.change ?? step.since);
      return true;
    }
    return false;
  }

  async createTest(endpointId: string, event: EventName, { at }: { readonly at: string }): Promise<DeliveryEntry> {
    this.#endpoint(endpointId);
    return this.#toEntry(this.#add(endpointId, event, at, null));
  }

  async claim(options: ClaimOptions): Promise<readonly ClaimedDelivery[]> {
    const { now, lease, until, limit, room, limitPerEndpoint } = options;
    const due = [...this.#deliveries.values()]
      .filter(({ state, nextAttemptAt }) => state === 'pending' && nextAttemptAt! <= now)
      .sort(byTurn);
    const left = new Map<string, number>();
    const claimed: ClaimedDelivery[] = [];
    for (const row of due) {
      const more = left.get(row.endpointId) ?? room.get(row.endpointId) ?? limitPerEndpoint;
      if (more <= 0 || claimed.length === limit) continue;
      left.set(row.endpointId, more - 1);
      claimed.push(this.#claimed(row));
      this.#deliveries.set(row.number, { ...row, lease, nextAttemptAt: until });
    }
    return claimed;
  }

  async settle(
    outcomes: readonly DeliveryOutcome[],
    { at, failingBefore }: { readonly at: string; readonly failingBefore: string },
  ): Promise<void> {
    const endpoints = new Map<string, boolean>();
    const gone = new Set<string>();
    for (const { id, lease, state, reason, attempt, nextAttemptAt, isGone } of outcomes) {
      const row = this.#deliveries.get(deliveryNumber(id));
      if (row === undefined) continue;
      const isLate = row.lease !== lease;
      if (state === 'acknowledged' ? isLate && row.state === 'acknowledged' : isLate) continue;
      const tried = attempt === null ? 0 : 1;
      const [attempts, tries] = [row.attempts + tried, row.tries + tried];
      this.#deliveries.set(row.number, { ...row, state, reason, nextAttemptAt, lease: null, attempts, tries });
      if (attempt === null) continue;
      this.#attempts.set(row.number, [...(this.#attempts.get(row.number) ?? []), { ...attempt }]);
      endpoints.set(row.endpointId, state === 'acknowledged' || endpoints.get(row.endpointId) === true);
      if (isGone) gone.add(row.endpointId);
    }
    for (const [id, isSuccess] of endpoints) {
      const { failingSince, disabledAt } = this.#endpoint(id).entry;
      const since = isSuccess ? null : (failingSince ?? at);
      this.#change(id, { failingSince: since });
      if (since !== null && since <= failingBefore && disabledAt === null) {
        this.#change(id, { disabledAt: at, disabledReason: 'failing' });
      }
    }
    for (const id of gone) await this.disableEndpoint(id, { at, reason: 'gone' });
  }

  async replay(
    which: { readonly deliveryId: string } | { readonly endpointId: string; readonly since: string },
    { at }: { readonly at: string },
  ): Promise<number> {
    if ('endpointId' in which) this.#endpoint(which.endpointId);
    const chosen =
      'deliveryId' in which
        ? [this.#delivery(which.deliveryId)]
        : [...this.#deliveries.values()].filter(
            ({ endpointId, createdAt }) => endpointId === which.endpointId && createdAt >= which.since,
          );
    const free = chosen.filter(({ state, lease, nextAttemptAt }) => {
      return !(state === 'pending' && lease !== null && nextAttemptAt! > at);
    });
    for (const row of free) {
      const anew = { state: 'pending', reason: null, tries: 0, nextAttemptAt: at, lease: null } as const;
      this.#deliveries.set(row.number, { ...row, ...anew });
    }
    return free.length;
  }

  async delivery(id: string): Promise<DeliveryEntry> {
    return this.#toEntry(this.#delivery(id));
  }

  async deliveries(
    endpointId: string,
    { limit, before }: { readonly limit: number; readonly before?: string },
  ): Promise<readonly DeliveryEntry[]> {
    this.#endpoint(endpointId);
    const below = before === undefined ? Number.MAX_SAFE_INTEGER : deliveryNumber(before);
    const own = [...this.#deliveries.values()].filter((row) => row.endpointId === endpointId && row.number < below);
    return own
      .reverse()
      .slice(0, limit)
      .map((row) => this.#toEntry(row));
  }

  async attempts(id: string): Promise<readonly DeliveryAttempt[]> {
    return (this.#attempts.get(this.#delivery(id).number) ?? []).map((attempt) => ({ ...attempt }));
  }

  async prune({ before }: { readonly before: string }): Promise<number> {
    const old = [...this.#deliveries.values()].filter((row) => row.state !== 'pending' && row.createdAt < before);
    for (const { number } of old) {
      this.#deliveries.delete(number);
      this.#attempts.delete(number);
    }
    return old.length;
  }

  /** Forgets everything. */
  clear(): void {
    for (const map of [this.#endpoints, this.#cursors, this.#deliveries, this.#attempts]) map.clear();
  }

  #endpoint(id: string): EndpointRow {
    const row = this.#endpoints.get(id);
    if (row === undefined) throw unknownEndpoint(id);
    return row;
  }

  #delivery(id: string): DeliveryRow {
    const row = this.#deliveries.get(deliveryNumber(id));
    if (row === undefined) throw unknownDelivery(id);
    return row;
  }

  #keep(row: EndpointRow): WebhookEndpoint {
    this.#endpoints.set(row.entry.id, row);
    return toEndpoint(row);
  }

  #change(id: string, change: Partial<EndpointRow['entry']>): WebhookEndpoint {
    const row = this.#endpoint(id);
    return this.#keep({ ...row, entry: { ...row.entry, ...change } });
  }

  #add(endpointId: string, event: EventName, at: string, of: DeliveryOrigin | null): DeliveryRow {
    const row = newDeliveryRow(++this.#numbers, endpointId, event, at, of);
    this.#deliveries.set(row.number, row);
    return row;
  }

  #toEntry(row: DeliveryRow): DeliveryEntry {
    return toDeliveryEntry(row, this.#attempts.get(row.number)?.at(-1));
  }

  #claimed(row: DeliveryRow): ClaimedDelivery {
    const { number, endpointId, event, createdAt, place, baseUrl, tries, nextAttemptAt } = row;
    const endpoint = this.#endpoint(endpointId);
    const register = place === null ? undefined : this.#outbox.registers.get(place.feedId);
    const [version] =
      place === null || register?.head.number !== place.register
        ? []
        : register.changes(place.change - 1, 1).versions.map((logged) => toEventVersion(logged, register));
    return {
      id: deliveryId(number),
      endpoint: {
        ...toEndpoint(endpoint),
        account: { ...this.#outbox.account(endpoint.entry.accountId) },
        secret: endpoint.secret,
      },
      ...{ event: { ...event }, createdAt, baseUrl, version: version ?? null, isTest: place === null, tries },
      dueAt: nextAttemptAt!,
    };
  }
}
