// What the owner of an account may do with it, whether she asks through its pages or through a program with a key. Everything
// of another account is refused as what does not exist is: by the same code and text, after the same look-ups.
import { GazetteError } from '../errors.ts';
import type { AccountState, KeyState } from '../access/state.ts';
import type { Account, ApiKeyEntry, KeyChange } from '../stores/contract/accounts.ts';
import type { DeliveryEntry } from '../stores/contract/deliveries.ts';
import type { WebhookEndpoint } from '../stores/contract/endpoints.ts';
import { deliveryNumber, unknownDelivery, unknownEndpoint } from '../stores/rows/deliveries.ts';
import { endOfKey, opensFeeds } from '../stores/rows/keys.ts';
import { type Accounts, type IssuedKey, type KeyRequest } from './accounts.ts';
import {
  type DeliveryHistory,
  type EndpointRequest,
  type Endpoints,
  type EndpointUpdate,
  isDeliveryId,
  type IssuedSecret,
} from './endpoints.ts';

/** Options of {@link OwnAccount}. */
export interface OwnAccountOptions {
  /** The accounts of the store, and keys for this product. */
  readonly accounts: Accounts;
  /** The endpoints of the store. */
  readonly endpoints: Endpoints;
  /** Whose account it is. */
  readonly accountId: string;
  /** The key that a program uses: it gives no more than it has. Null: the owner herself. Default null. */
  readonly by?: ApiKeyEntry | null;
}

/** An account as its owner sees it. */
export interface OwnedAccount {
  /** The account. */
  readonly account: Account;
  /** Its state now. */
  readonly state: AccountState;
  /** When any of its keys was last used, to the minute. Null: none was. */
  readonly lastUsedAt: string | null;
  /** How many requests its keys were used for. */
  readonly requests: number;
}

/** A page of deliveries. */
export interface DeliveryPage {
  /** Only those to this endpoint. Default: to all of the account. */
  readonly endpointId?: string;
  /** How many. */
  readonly limit: number;
  /** Only those created before this delivery. Default: from the newest. */
  readonly before?: string;
}

/**
 * The account of one owner.
 *
 * @example
 * const own = new OwnAccount({ accounts, endpoints, accountId: 'acme' });
 * const { key, entry } = await own.createKey({ name: 'website', scopes: ['read'] });
 */
export class OwnAccount {
  readonly #accounts: Accounts;
  readonly #endpoints: Endpoints;
  /** Whose account it is. */
  readonly id: string;
  readonly #by: ApiKeyEntry | null;

  constructor({ accounts, endpoints, accountId, by = null }: OwnAccountOptions) {
    this.#accounts = accounts;
    this.#endpoints = endpoints;
    this.id = accountId;
    this.#by = by;
  }

  /** The account, and how it is used. @throws GazetteError `unknown_account` */
  async account(): Promise<OwnedAccount> {
    const account = await this.#accounts.find(this.id);
    const keys = await this.keys();
    const uses = keys.map(({ lastUsedAt }) => lastUsedAt).filter((time) => time !== null);
    const requests = keys.reduce((sum, key) => sum + key.requests, 0);
    return { account, state: this.#accounts.stateOf(account), lastUsedAt: uses.sort().at(-1) ?? null, requests };
  }

  /** All keys, newest first, those for other products and those that ended too. */
  keys(): Promise<readonly ApiKeyEntry[]> {
    return this.#accounts.keys(this.id);
  }

  /** The state of a key now. */
  keyStateOf(key: ApiKeyEntry): KeyState {
    return this.#accounts.keyStateOf(key);
  }

  /**
   * Creates a key. A key that creates another gives it its own registers, limit and end where none are asked for.
   *
   * @throws GazetteError `unknown_feed`, `invalid_option`, `insufficient_scope`
   */
  createKey(asked: KeyRequest = {}): Promise<IssuedKey> {
    const own = this.#by;
    if (own === null) return this.#accounts.createKey(this.id, asked);
    const { feeds, limit } = own;
    const expiresAt = endOfKey(own);
    const { budget: given } = asked;
    const budget = given == null ? {} : { budget: { maxPrice: own.budget?.maxPrice ?? null, ...given } };
    return this.#accounts.createKey(this.id, { feeds, limit, expiresAt, ...asked, ...budget }, { by: own.id });
  }

  /** Changes the name of a key, or what it may do. @throws GazetteError `unknown_key`, `unknown_feed`, `invalid_option`, `insufficient_scope` */
  updateKey(keyId: string, change: KeyChange): Promise<ApiKeyEntry> {
    return this.#accounts.updateKey(this.id, keyId, change, this.#bound());
  }

  /**
   * Creates a key that replaces another and may do the same; the other one keeps working for `graceMs`, by default a
   * day.
   *
   * @throws GazetteError `unknown_key`, `invalid_option`, `insufficient_scope`
   */
  rotateKey(
    keyId: string,
    options: { readonly graceMs?: number } = {},
  ): Promise<IssuedKey & { readonly replaced: ApiKeyEntry }> {
    return this.#accounts.rotateKey(this.id, keyId, { ...options, ...this.#bound() });
  }

  /** Ends a key at once and permanently. @throws GazetteError `unknown_key` */
  revokeKey(keyId: string): Promise<ApiKeyEntry> {
    return this.#accounts.revokeKey(this.id, keyId);
  }

  /** All endpoints, in the order of their creation. */
  endpoints(): Promise<readonly WebhookEndpoint[]> {
    return this.#endpoints.all(this.id);
  }

  /** One endpoint. @throws GazetteError `unknown_endpoint` */
  async endpoint(endpointId: string): Promise<WebhookEndpoint> {
    await this.#checkEndpoint(endpointId);
    return this.#endpoints.find(endpointId);
  }

  /**
   * Adds an endpoint. A key that adds one gives it its own registers where none are asked for.
   *
   * @throws the errors of {@link Endpoints.add}; `insufficient_scope` for registers that the key does not open
   */
  async addEndpoint(asked: Omit<EndpointRequest, 'accountId'>): Promise<IssuedSecret> {
    const feeds = asked.feeds ?? this.#by?.feeds ?? [];
    this.#checkFeeds(feeds);
    return this.#endpoints.add({ ...asked, feeds, accountId: this.id });
  }

  /** Changes an endpoint. @throws the errors of {@link Endpoints.update}; `insufficient_scope` as in {@link addEndpoint} */
  async updateEndpoint(endpointId: string, change: EndpointUpdate): Promise<WebhookEndpoint> {
    await this.#handled(endpointId);
    if (change.feeds !== undefined) this.#checkFeeds(change.feeds);
    return this.#endpoints.update(endpointId, change);
  }

  /** Deletes an endpoint with its deliveries. @throws GazetteError `unknown_endpoint`, `insufficient_scope` */
  async removeEndpoint(endpointId: string): Promise<void> {
    await this.#handled(endpointId);
    await this.#endpoints.remove(endpointId);
  }

  /** Enables an endpoint, or disables it. @throws GazetteError `unknown_endpoint`, `insufficient_scope` */
  async setEnabled(endpointId: string, isEnabled: boolean): Promise<WebhookEndpoint> {
    await this.#handled(endpointId);
    return isEnabled ? this.#endpoints.enable(endpointId) : this.#endpoints.disable(endpointId);
  }

  /** Has a test sent, as {@link Endpoints.test}. @throws GazetteError `unknown_endpoint`, `invalid_option`, `insufficient_scope` */
  async testEndpoint(endpointId: string, options: { readonly type?: string } = {}): Promise<DeliveryEntry> {
    await this.#handled(endpointId);
    return this.#endpoints.test(endpointId, options);
  }

  /** The first step of a rotation, as {@link Endpoints.prepareSecret}. @throws its errors, and `insufficient_scope` */
  async prepareSecret(endpointId: string): Promise<IssuedSecret> {
    await this.#handled(endpointId);
    return this.#endpoints.prepareSecret(endpointId);
  }

  /** The second step, as {@link Endpoints.activateSecret}. @throws its errors, and `insufficient_scope` */
  async activateSecret(endpointId: string, options: { readonly graceMs?: number } = {}): Promise<WebhookEndpoint> {
    await this.#handled(endpointId);
    return this.#endpoints.activateSecret(endpointId, options);
  }

  /**
   * Deliveries with their latest recorded outcomes, newest first.
   *
   * @throws GazetteError `unknown_endpoint`, `unknown_delivery` for a malformed id
   */
  async deliveries({ endpointId, ...page }: DeliveryPage): Promise<readonly DeliveryEntry[]> {
    if (endpointId !== undefined) {
      await this.#checkEndpoint(endpointId);
      return this.#endpoints.deliveries(endpointId, page);
    }
    const all = await Promise.all((await this.endpoints()).map(({ id }) => this.#endpoints.deliveries(id, page)));
    return all
      .flat()
      .sort((a, b) => deliveryNumber(b.id) - deliveryNumber(a.id))
      .slice(0, page.limit);
  }

  /** One delivery with all its attempts. @throws GazetteError `unknown_delivery` */
  async delivery(deliveryId: string): Promise<DeliveryHistory> {
    await this.#checkDelivery(deliveryId);
    return this.#endpoints.delivery(deliveryId);
  }

  /** Sends a delivery again. @returns 1, or 0 while it is being sent @throws GazetteError `unknown_delivery`, `insufficient_scope` */
  async replayDelivery(deliveryId: string): Promise<number> {
    await this.#checkDelivery(deliveryId);
    if (this.#by?.feeds != null) this.#checkFeeds((await this.#endpointOf(deliveryId)).feeds ?? []);
    return this.#endpoints.replay({ deliveryId });
  }

  /**
   * Sends the deliveries of an endpoint again that failed or were skipped, or all.
   *
   * @param options `since` is a day, from its beginning in UTC, or an RFC 3339 date-time. Default: from the first on
   * @returns how many
   * @throws GazetteError `unknown_endpoint`, `invalid_option`, `insufficient_scope`
   */
  async replayEndpoint(
    endpointId: string,
    options: { readonly since?: string; readonly isMissed?: boolean } = {},
  ): Promise<number> {
    const { since, isMissed = true } = options;
    await this.#handled(endpointId);
    return this.#endpoints.replay({ endpointId, since: since ?? BEGINNING, isMissed });
  }

  #bound(): { readonly by: string | null } {
    return { by: this.#by?.id ?? null };
  }

  async #checkEndpoint(endpointId: string): Promise<void> {
    if (isDeliveryId(endpointId) || (await this.#endpoints.ownerOf(endpointId)) !== this.id) {
      throw unknownEndpoint(endpointId);
    }
  }

  async #checkDelivery(deliveryId: string): Promise<void> {
    if (!isDeliveryId(deliveryId) || (await this.#endpoints.ownerOf(deliveryId)) !== this.id) {
      throw unknownDelivery(deliveryId);
    }
  }

  /** An endpoint that is to be changed, or sent to: a key does that only where it opens the same registers. */
  async #handled(endpointId: string): Promise<void> {
    await this.#checkEndpoint(endpointId);
    if (this.#by?.feeds != null) this.#checkFeeds((await this.#endpoints.find(endpointId)).feeds ?? []);
  }

  async #endpointOf(deliveryId: string): Promise<WebhookEndpoint> {
    return this.#endpoints.find((await this.#endpoints.delivery(deliveryId)).delivery.endpointId);
  }

  /** @param feeds those of an endpoint; none: all */
  #checkFeeds(feeds: readonly string[]): void {
    const own = this.#by;
    if (own === null || opensFeeds(own, feeds.length === 0 ? null : feeds)) return;
    throw new GazetteError(
      'insufficient_scope',
      `the key ending in ${own.lastFour} opens ${own.feeds!.join(', ')} only: the endpoint must name these registers, or some of them`,
      { details: { option: 'feeds' } },
    );
  }
}

const BEGINNING = '1970-01-01T00:00:00Z';
