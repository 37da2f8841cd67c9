// The work of an operator, or of an account's owner, with endpoints. The command line and the account's own pages both
// use it. A secret is returned as text once, when it is created; the store gets it encrypted.
import type { Filter } from '../register/finding/filter.ts';
import { randomBytes } from 'node:crypto';
import { GazetteError, quote } from '../errors.ts';
import { keptTime } from '../stores/rows/accounts.ts';
import type { DeliveryAttempt, DeliveryEntry } from '../stores/contract/deliveries.ts';
import type { ReplayedDeliveries } from '../stores/contract/sending.ts';
import type { ServiceStore } from '../stores/contract/accounts.ts';
import type { WebhookEndpoint } from '../stores/contract/endpoints.ts';
import { type DestinationRules, resolveDestination } from '../webhooks/send/destination.ts';
import type { ResolveHost } from '../webhooks/send/name-resolver.ts';
import { EVENT_TYPES, TEST_EVENT_TYPE } from '../webhooks/event.ts';
import type { SecretBox } from '../webhooks/send/secret-box.ts';
import { createSigningSecret } from '../webhooks/signature.ts';
import { checkGrace, checkTime, startTime } from './times.ts';

/** Options of {@link Endpoints}. */
export interface EndpointsOptions {
  /** Encrypts secrets: needed to create one. */
  readonly box: () => SecretBox;
  /** Which addresses are allowed; default: only public ones, over HTTPS. */
  readonly rules?: DestinationRules;
  /** Looks host names up. Default: in the hosts file, then by DNS. */
  readonly resolve?: ResolveHost;
  /** Milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** An endpoint to add. */
export interface EndpointRequest {
  /** The account whose access decides whether events are sent. */
  readonly accountId: string;
  /** The destination of events: an absolute URL. */
  readonly url: string;
  /** Default: all registers, including future ones. */
  readonly feeds?: readonly string[];
  /** Default: all types. */
  readonly types?: readonly string[];
  /**
   * Which records: those that match before or after their new version, by the names of filters: `{ document_type:
   * 'adopted' }`. A filter of own fields must be known to one of the registers; records of the others never match it.
   * Default: all.
   */
  readonly filters?: Filter;
  /** Whether deliveries also have the headers of Standard Webhooks. Default false. */
  readonly isStandard?: boolean;
}

/** What to change of an endpoint: absent properties stay as they are, an empty list or object means all. */
export type EndpointUpdate = Partial<Omit<EndpointRequest, 'accountId'>>;

/** A new secret: the only time that it is available as text. */
export interface IssuedSecret {
  /** The endpoint. */
  readonly endpoint: WebhookEndpoint;
  /** The signing secret. It is shown now and never again. */
  readonly secret: string;
  /** Whether it replaces one that was prepared before and never activated. */
  readonly replacesPrepared: boolean;
}

/** A delivery with all its attempts. */
export interface DeliveryHistory {
  /** The delivery, with its latest recorded outcome. */
  readonly delivery: DeliveryEntry;
  /** Each try to deliver it. */
  readonly attempts: readonly DeliveryAttempt[];
}

/** Whether an id is that of a delivery, and not of an endpoint. */
export function isDeliveryId(id: string): boolean {
  return id.startsWith('dlv_');
}

/** How long the addresses of endpoints may be, in characters. */
export const ENDPOINT_URLS: { readonly minLength: number; readonly maxLength: number } = {
  minLength: 1,
  maxLength: 2000,
};

const ID_BYTES = 9;

/** The ids of endpoints: `ep_` and 18 hexadecimal digits. */
export const ENDPOINT_IDS: { readonly pattern: RegExp } = { pattern: new RegExp(`^ep_[0-9a-f]{${ID_BYTES * 2}}$`) };

/** The endpoints of a store. */
export class Endpoints {
  readonly #store: ServiceStore['deliveries'];
  readonly #options: EndpointsOptions;
  readonly #now: () => number;

  constructor({ deliveries }: Pick<ServiceStore, 'deliveries'>, options: EndpointsOptions) {
    this.#store = deliveries;
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Adds an endpoint. It receives events for everything committed from now on.
   *
   * @throws GazetteError `invalid_secrets_key`, `destination_refused`, `unknown_account`, `unknown_feed`,
   *   `invalid_option`.
   */
  async add({
    accountId,
    url,
    feeds = [],
    types = [],
    filters = {},
    isStandard = false,
  }: EndpointRequest): Promise<IssuedSecret> {
    const box = this.#options.box();
    const subscribed = { feeds: listOf(feeds), types: typesOf(types), filter: filterOf(filters) };
    const destination = await this.#destination(url);
    const id = `ep_${randomBytes(ID_BYTES).toString('hex')}`;
    const secret = createSigningSecret();
    const endpoint = await this.#store.createEndpoint({
      ...{ id, accountId, url: destination, createdAt: this.#time(), secret: box.seal(secret, id) },
      ...{ ...subscribed, isStandard },
    });
    return { endpoint, secret, replacesPrepared: false };
  }

  /**
   * Changes where an endpoint's events go, or which. Its id and its secret stay. Deliveries that wait go to the new
   * address; those being sent at this moment may still go to the old one.
   *
   * @throws GazetteError `unknown_endpoint`, `destination_refused`, `unknown_feed`, `invalid_option`.
   */
  async update(
    endpointId: string,
    { url, feeds, types, filters, isStandard }: EndpointUpdate,
  ): Promise<WebhookEndpoint> {
    const subscribed = {
      ...(feeds === undefined ? {} : { feeds: listOf(feeds) }),
      ...(types === undefined ? {} : { types: typesOf(types) }),
      ...(filters === undefined ? {} : { filter: filterOf(filters) }),
      ...(isStandard === undefined ? {} : { isStandard }),
    };
    const moved = url === undefined ? {} : { url: await this.#destination(url) };
    return this.#store.updateEndpoint(endpointId, { ...subscribed, ...moved });
  }

  /** Deletes an endpoint with its deliveries. @throws GazetteError `unknown_endpoint` */
  remove(endpointId: string): Promise<void> {
    return this.#store.removeEndpoint(endpointId, { at: this.#time() });
  }

  /** One endpoint. @throws GazetteError `unknown_endpoint` */
  find(endpointId: string): Promise<WebhookEndpoint> {
    return this.#store.endpoint(endpointId);
  }

  /** The account of an endpoint, or of a delivery, by its id. Null: there is none with this id. */
  ownerOf(id: string): Promise<string | null> {
    return this.#store.ownerOf(id);
  }

  /** The endpoints of an account, or all, in the order of their creation. @throws GazetteError `unknown_account` */
  all(accountId?: string): Promise<readonly WebhookEndpoint[]> {
    return this.#store.endpoints(accountId);
  }

  /**
   * An endpoint's deliveries, newest first, created before the delivery `before` (absent: from the newest).
   *
   * @throws GazetteError `unknown_endpoint`
   */
  deliveries(
    endpointId: string,
    options: { readonly limit: number; readonly before?: string },
  ): Promise<readonly DeliveryEntry[]> {
    return this.#store.deliveries(endpointId, { ...options, now: this.#time() });
  }

  /** One delivery, with all its attempts, oldest first. @throws GazetteError `unknown_delivery` */
  async delivery(deliveryId: string): Promise<DeliveryHistory> {
    const delivery = await this.#store.delivery(deliveryId, { now: this.#time() });
    return { delivery, attempts: await this.#store.attempts(deliveryId) };
  }

  /**
   * Creates the delivery of an event `endpoint.test`, or of an invented event of another type, whose body says `test:
   * true`; the running sender sends it.
   *
   * @throws GazetteError `unknown_endpoint`, `invalid_option` for the type
   */
  async test(endpointId: string, { type = TEST_EVENT_TYPE }: { readonly type?: string } = {}): Promise<DeliveryEntry> {
    if (type !== TEST_EVENT_TYPE) typesOf([type]);
    const event = { id: `evt_${randomBytes(16).toString('hex')}`, type };
    return this.#store.createTest(endpointId, event, { at: this.#time() });
  }

  /** Disables an endpoint: its events are skipped. @throws GazetteError `unknown_endpoint` */
  disable(endpointId: string): Promise<WebhookEndpoint> {
    return this.#store.disableEndpoint(endpointId, { at: this.#time(), reason: 'operator' });
  }

  /** Enables an endpoint; missed events must be replayed. @throws GazetteError `unknown_endpoint` */
  enable(endpointId: string): Promise<WebhookEndpoint> {
    return this.#store.enableEndpoint(endpointId);
  }

  /**
   * The first step of a rotation: creates the next secret, while deliveries are still signed with the current one. The
   * receiver must then accept both.
   *
   * @throws GazetteError `unknown_endpoint`, `invalid_secrets_key`
   */
  async prepareSecret(endpointId: string): Promise<IssuedSecret> {
    const secret = createSigningSecret();
    const { hasNextSecret } = await this.#store.endpoint(endpointId);
    const endpoint = await this.#store.prepareSecret(endpointId, this.#options.box().seal(secret, endpointId));
    return { endpoint, secret, replacesPrepared: hasNextSecret };
  }

  /**
   * The second step: deliveries are signed with the new secret from now on.
   *
   * @param options `graceMs`: for so long they are signed with the previous secret, too, by a second `v1`. Default 0:
   *   receivers that expect one `v1` alone may refuse two
   * @throws GazetteError `unknown_endpoint`, `no_next_secret`, `invalid_option` for more than a year
   */
  async activateSecret(endpointId: string, options: { readonly graceMs?: number } = {}): Promise<WebhookEndpoint> {
    const graceMs = checkGrace(options.graceMs ?? 0);
    const previousUntil = new Date(this.#now() + graceMs).toISOString();
    return this.#store.activateSecret(endpointId, graceMs > 0 ? { previousUntil } : {});
  }

  /**
   * Sends deliveries again, the same bytes under the same ids.
   *
   * @param which one by its id, or those of an endpoint since a time: a day, from its beginning in UTC, or an RFC 3339
   *   date-time. With `isMissed`, only those that failed or were skipped
   * @returns how many
   * @throws GazetteError `unknown_endpoint`, `unknown_delivery`, `invalid_option` for the time
   */
  async replay(which: { readonly deliveryId: string } | ReplayedDeliveries): Promise<number> {
    const since = 'since' in which ? keptTime('since', checkTime('since', startTime(which.since), which.since)) : null;
    const from = since === null ? which : { ...which, since };
    return this.#store.replay(from, { at: this.#time() });
  }

  /** The address as it is kept, once it is known to be allowed. */
  async #destination(url: string): Promise<string> {
    const [length, { maxLength }] = [Array.from(url).length, ENDPOINT_URLS];
    if (length > maxLength) throw invalid('url', `at most ${maxLength} characters, got ${length}`);
    const { rules, resolve } = this.#options;
    return (await resolveDestination(url, rules, resolve)).href;
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}

function listOf(list: readonly string[]): readonly string[] | null {
  return list.length === 0 ? null : [...new Set(list)];
}

function typesOf(types: readonly string[]): readonly string[] | null {
  const unknown = types.find((type) => !EVENT_TYPES.some((known) => known === type));
  if (unknown === undefined) return listOf(types);
  throw invalid('event', `one of ${EVENT_TYPES.join(', ')}, got ${quote(unknown)}`);
}

/** The rule of the store checks the rest, since own fields are those of registers. */
function filterOf(filters: Filter): Filter | null {
  return Object.keys(filters).length === 0 ? null : filters;
}

function invalid(option: string, expected: string): GazetteError {
  return new GazetteError('invalid_option', `${option} must be ${expected}`, { details: { option } });
}
