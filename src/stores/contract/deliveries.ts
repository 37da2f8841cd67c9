// The sending half of webhooks as every store keeps it: endpoints, and for each event and endpoint one delivery. The log of
// versions is the outbox: `fanOut()` walks it once, in order, and makes the deliveries in the transaction that moves its
// mark, so that an event exists exactly when its version is committed. What a delivery says, when it is tried again and how
// it is signed is webhooks/ own business. Times are RFC 3339 date-times in UTC to the millisecond, from the caller's clock.
import type { VersionCause } from '../../register/record.ts';

/** Who stopped an endpoint: the operator or its owner, its own answer 410, or days of nothing but failures. */
export type DisabledReason = 'operator' | 'gone' | 'failing';

/** Where an account's events go. */
export interface WebhookEndpoint {
  /** `ep_` and 18 hexadecimal digits. */
  readonly id: string;
  /** The account it belongs to. */
  readonly accountId: string;
  /** Where events go. */
  readonly url: string;
  /** The registers it hears of; null: all, also those that are yet to come. */
  readonly feeds: readonly string[] | null;
  /** The types of event it hears of; null: all. */
  readonly types: readonly string[] | null;
  /** When it was made. */
  readonly createdAt: string;
  /** When it was stopped; null: it is sent to. */
  readonly disabledAt: string | null;
  /** Who stopped it; null: it is sent to. */
  readonly disabledReason: DisabledReason | null;
  /** The first failure since the last success; null: the last attempt succeeded, or there was none. */
  readonly failingSince: string | null;
  /** Whether a rotation of its secret has been prepared and not activated. */
  readonly hasNextSecret: boolean;
}

/** An endpoint to be made. */
export interface NewEndpoint extends Pick<
  WebhookEndpoint,
  'id' | 'accountId' | 'url' | 'feeds' | 'types' | 'createdAt'
> {
  /** The signing secret, encrypted: a store never sees it. */
  readonly secret: Uint8Array;
}

/** A version as the log keeps it for ever: what an event's id and type are made of. */
export interface LoggedVersion {
  /** The register. */
  readonly feedId: string;
  /** The record. */
  readonly recordId: string;
  /** Which version of the record it is, from 1. */
  readonly version: number;
  /** Its place among all changes of the register, from 1. */
  readonly change: number;
  /** Why there is this version. */
  readonly cause: VersionCause;
  /** When it was recorded. */
  readonly recordedAt: string;
}

/** A version with what an event tells of its record. All four are null once the content was erased. */
export interface EventVersion extends LoggedVersion {
  /** The record's title. */
  readonly title: string | null;
  /** The record's original source. */
  readonly sourceUrl: string | null;
  /** When the source published it. */
  readonly publishedAt: string | null;
  /** When it was first observed. */
  readonly observedAt: string | null;
  /** Whether it is the record's last: of an erased record, the one that tells so. */
  readonly isLatest: boolean;
}

/** What an event is called. */
export interface EventName {
  /** The same for every endpoint and every try: receivers tell repeats by it. */
  readonly id: string;
  /** Such as `record.created`. */
  readonly type: string;
}

/**
 * `pending`: to be sent, now or later. `acknowledged`: answered with a 2xx. `failed`: there are no more attempts.
 * `skipped`: it was not sent, and `reason` says why.
 */
export type DeliveryState = 'pending' | 'acknowledged' | 'failed' | 'skipped';

/** One try to deliver. */
export interface DeliveryAttempt {
  /** When it began. */
  readonly at: string;
  /** How long it took. */
  readonly durationMs: number;
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** What went wrong, in a word such as `timeout`; null: nothing did. */
  readonly error: string | null;
  /** The beginning of an answer that was no success; null: there was none. */
  readonly response: string | null;
}

/** An event on its way to an endpoint, with the latest recorded outcome. */
export interface DeliveryEntry {
  /** `dlv_` and its number. */
  readonly id: string;
  /** Where it goes. */
  readonly endpointId: string;
  /** What it tells. */
  readonly event: EventName;
  /** Of which record; null for a test. */
  readonly recordId: string | null;
  /** Which version of the record; null for a test. */
  readonly version: number | null;
  /** When it was made. */
  readonly createdAt: string;
  /** Where it stands. */
  readonly state: DeliveryState;
  /** Why it was skipped or failed; null otherwise. */
  readonly reason: string | null;
  /** How often it has been tried, replays included. */
  readonly attempts: number;
  /** When it is due; for one that is being sent, when others may take it over. Null unless pending. */
  readonly nextAttemptAt: string | null;
  /** The last try; null: there was none. */
  readonly lastAttempt: DeliveryAttempt | null;
}

/** What of an account says whether it is sent anything: an Account of accounts.ts is one. */
export interface AccountStanding {
  /** The moment at which the account's access ends; null: it has none. */
  readonly accessUntil: string | null;
  /** Whether it is stopped. */
  readonly isSuspended: boolean;
}

/** An endpoint as a sender needs it. */
export interface ClaimedEndpoint extends WebhookEndpoint {
  /** The account it belongs to. */
  readonly account: AccountStanding;
  /** The signing secret, encrypted. */
  readonly secret: Uint8Array;
}

/** A delivery that nobody else has until the lease ends. */
export interface ClaimedDelivery {
  /** `dlv_` and its number. */
  readonly id: string;
  /** Where it goes. */
  readonly endpoint: ClaimedEndpoint;
  /** What it tells. */
  readonly event: EventName;
  /** When it was made. */
  readonly createdAt: string;
  /** The public address at the time it was made; null for a test. */
  readonly baseUrl: string | null;
  /** Null for a test, and once the register was removed. */
  readonly version: EventVersion | null;
  /** Whether its owner asked for it, to try the endpoint. */
  readonly isTest: boolean;
  /** Tries since it was made or last replayed. */
  readonly tries: number;
  /** When it was due. */
  readonly dueAt: string;
}

/** What is claimed. */
export interface ClaimOptions {
  /** The sender's clock. */
  readonly now: string;
  /** Names this claim: outcomes give it back. */
  readonly lease: string;
  /** When the lease ends. */
  readonly until: string;
  /** The most deliveries, all endpoints together. */
  readonly limit: number;
  /** The most for endpoints named here, by id; for all others `limitPerEndpoint`. */
  readonly room: ReadonlyMap<string, number>;
  /** The most for an endpoint that `room` does not name. */
  readonly limitPerEndpoint: number;
}

/** What became of a claimed delivery. */
export interface DeliveryOutcome {
  /** The delivery. */
  readonly id: string;
  /** The claim it was sent under. */
  readonly lease: string;
  /** What it is now. */
  readonly state: DeliveryState;
  /** Why it was skipped or failed; null otherwise. */
  readonly reason: string | null;
  /** Null when nothing was sent. */
  readonly attempt: DeliveryAttempt | null;
  /** When it is due again, where it is still pending. */
  readonly nextAttemptAt: string | null;
  /** Whether the endpoint said that it is gone. */
  readonly isGone: boolean;
}

/** Endpoints and deliveries. */
export interface DeliveryStore {
  /**
   * Makes an endpoint, which hears of what is committed from now on.
   *
   * @throws GazetteError `unknown_account`; `unknown_feed` for a register that does not exist; `invalid_option`.
   */
  createEndpoint(endpoint: NewEndpoint): Promise<WebhookEndpoint>;

  /** One endpoint. @throws GazetteError `unknown_endpoint` */
  endpoint(endpointId: string): Promise<WebhookEndpoint>;

  /** The endpoints of an account, or all, in the order in which they were made. @throws GazetteError `unknown_account` */
  endpoints(accountId?: string): Promise<readonly WebhookEndpoint[]>;

  /** Stops an endpoint; one that is stopped keeps its first reason. @throws GazetteError `unknown_endpoint` */
  disableEndpoint(
    endpointId: string,
    options: { readonly at: string; readonly reason: DisabledReason },
  ): Promise<WebhookEndpoint>;

  /** Lets an endpoint go on, and forgets its failures. @throws GazetteError `unknown_endpoint` */
  enableEndpoint(endpointId: string): Promise<WebhookEndpoint>;

  /** Keeps the secret that comes next, in the place of one prepared before. @throws GazetteError `unknown_endpoint` */
  prepareSecret(endpointId: string, secret: Uint8Array): Promise<WebhookEndpoint>;

  /** Puts the prepared secret in the place of the present one. @throws GazetteError `unknown_endpoint`, `no_next_secret` */
  activateSecret(endpointId: string): Promise<WebhookEndpoint>;

  /** Any endpoint's secret as it is kept, to see whether it can be read; null when there is no endpoint. */
  anySecret(): Promise<{ readonly endpointId: string; readonly secret: Uint8Array } | null>;

  /**
   * Makes the deliveries of some of the versions that were committed since it was last called: for each version and each
   * endpoint that existed then and is subscribed. Short; call it until nothing is left.
   *
   * @param options.toEvent names a version's event; pure
   * @returns whether there may be more to do at once
   */
  fanOut(options: {
    readonly at: string;
    readonly baseUrl: string;
    readonly toEvent: (version: LoggedVersion) => EventName;
  }): Promise<boolean>;

  /** Makes the delivery of a test. @throws GazetteError `unknown_endpoint` */
  createTest(endpointId: string, event: EventName, options: { readonly at: string }): Promise<DeliveryEntry>;

  /** Takes deliveries that are due, the oldest of each endpoint first. Of claims that overlap, none gets the same one. */
  claim(options: ClaimOptions): Promise<readonly ClaimedDelivery[]>;

  /**
   * Records outcomes, in one transaction. A success is recorded however late it comes. Anything else counts only while its
   * lease is the delivery's: a late failure never overwrites what was recorded.
   *
   * @param options.failingBefore an endpoint with nothing but failures since then is disabled at its next one
   */
  settle(
    outcomes: readonly DeliveryOutcome[],
    options: { readonly at: string; readonly failingBefore: string },
  ): Promise<void>;

  /**
   * Makes deliveries due anew, whatever became of them, with all attempts before them; those being sent at this moment are
   * left alone.
   *
   * @param which one by its id, or all of an endpoint that were made since a time
   * @returns how many
   * @throws GazetteError `unknown_delivery`, `unknown_endpoint`
   */
  replay(
    which: { readonly deliveryId: string } | { readonly endpointId: string; readonly since: string },
    options: { readonly at: string },
  ): Promise<number>;

  /** One delivery. @throws GazetteError `unknown_delivery` */
  delivery(deliveryId: string): Promise<DeliveryEntry>;

  /**
   * An endpoint's deliveries, newest first, made before the delivery `before` (absent: from the newest).
   *
   * @throws GazetteError `unknown_endpoint`
   */
  deliveries(
    endpointId: string,
    options: { readonly limit: number; readonly before?: string },
  ): Promise<readonly DeliveryEntry[]>;

  /** All attempts of a delivery, in their order. @throws GazetteError `unknown_delivery` */
  attempts(deliveryId: string): Promise<readonly DeliveryAttempt[]>;

  /** Deletes some of the oldest deliveries, made before a time and not pending. @returns how many */
  prune(options: { readonly before: string }): Promise<number>;
}
