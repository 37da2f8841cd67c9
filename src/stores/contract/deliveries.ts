// The sending half of webhooks as every store implements it: endpoints, and one delivery for each event and endpoint.
// The log of versions is the outbox: `fanOut()` reads it once, in order, and creates the deliveries in the transaction
// that moves its cursor, so that an event exists exactly when its version is committed. The code in webhooks/ decides
// the content of a delivery, its retries and its signature. Times are RFC 3339 date-times in UTC to the millisecond,
// from the caller's clock.
import type { VersionCause } from '../../register/record.ts';
import type { Backlog, ClaimOptions, EndpointNotice, EventName, NoticeOptions, ReplayedDeliveries, SenderMarks } from './sending.ts'; // prettier-ignore
import type { ClaimedEndpoint, DisabledReason, EndpointChange, NewEndpoint, WebhookEndpoint } from './endpoints.ts';

/** The part of a version that the log keeps permanently: an event's id and type are derived from it. */
export interface LoggedVersion {
  /** The register. */
  readonly feedId: string;
  /** The record. */
  readonly recordId: string;
  /** The number of this version of the record, from 1. */
  readonly version: number;
  /** The number of this change in the register, from 1. */
  readonly change: number;
  /** Why this version was recorded. */
  readonly cause: VersionCause;
  /** When it was recorded. */
  readonly recordedAt: string;
}

/** A version with what an event contains of its record. The last four are null once the content was erased. */
export interface EventVersion extends LoggedVersion {
  /** The number of the import that it takes back. Null: it takes none back. */
  readonly undoes: number | null;
  /** The record's title. */
  readonly title: string | null;
  /** The record's original source. */
  readonly sourceUrl: string | null;
  /** When the source published it. */
  readonly publishedAt: string | null;
  /** When it was first observed. */
  readonly observedAt: string | null;
}

/**
 * `pending`: to be sent, now or later, or once its account has access again. `acknowledged`: answered with a 2xx.
 * `failed`: no attempts are left. `skipped`: it was not sent, for the given `reason`.
 */
export type DeliveryState = 'pending' | 'acknowledged' | 'failed' | 'skipped';

/** One attempt to send a delivery. */
export interface DeliveryAttempt {
  /** When the attempt began. */
  readonly at: string;
  /** How long the attempt took. */
  readonly durationMs: number;
  /** The HTTP status; null when there was no answer. */
  readonly status: number | null;
  /** A word for the error, such as `timeout`. Null: there was no error. */
  readonly error: string | null;
  /** The beginning of the body of an unsuccessful response. Null: there was none. */
  readonly response: string | null;
}

/** An event to be sent to an endpoint, with the latest recorded outcome. */
export interface DeliveryEntry {
  /** `dlv_` and its number. */
  readonly id: string;
  /** The endpoint it is sent to. */
  readonly endpointId: string;
  /** The event it contains. */
  readonly event: EventName;
  /** The record it is about; null for an event about no record. */
  readonly recordId: string | null;
  /** The version of the record; null for an event about no record. */
  readonly version: number | null;
  /** When the delivery was created. */
  readonly createdAt: string;
  /** Its state. */
  readonly state: DeliveryState;
  /** Why it was skipped or failed, or `access_lapsed` or `account_suspended` while it waits for access; null otherwise. */
  readonly reason: string | null;
  /** The number of attempts, including replays. */
  readonly attempts: number;
  /** When it is due. While it is being sent: when another sender may claim it. Null unless pending. */
  readonly nextAttemptAt: string | null;
  /** The last attempt. Null: there was none. */
  readonly lastAttempt: DeliveryAttempt | null;
}

/** A delivery that is claimed by one sender until the lease ends. */
export interface ClaimedDelivery {
  /** `dlv_` and its number. */
  readonly id: string;
  /** The endpoint it is sent to. */
  readonly endpoint: ClaimedEndpoint;
  /** The event it contains. */
  readonly event: EventName;
  /** When the delivery was created. */
  readonly createdAt: string;
  /** The public address of the record when the delivery was created; null for an event about no record. */
  readonly baseUrl: string | null;
  /** Null for an event about no record, and after the register was removed. */
  readonly version: EventVersion | null;
  /** The endpoint of the account that the event says was disabled; null for any other event. */
  readonly disabled: { readonly endpoint: string; readonly reason: DisabledReason } | null;
  /** Whether the owner requested it to test the endpoint. */
  readonly isTest: boolean;
  /** The number of attempts since it was created or last replayed. */
  readonly tries: number;
  /** When it was due. */
  readonly dueAt: string;
}

/** The outcome of a claimed delivery. */
export interface DeliveryOutcome {
  /** The delivery. */
  readonly id: string;
  /** The claim under which it was sent. */
  readonly lease: string;
  /** Its new state. */
  readonly state: DeliveryState;
  /** Why it was skipped or failed; null otherwise. */
  readonly reason: string | null;
  /** The attempt; null when nothing was sent. */
  readonly attempt: DeliveryAttempt | null;
  /** When it is due again, if it is still pending. */
  readonly nextAttemptAt: string | null;
  /** Whether the endpoint answered that it is gone. */
  readonly isGone: boolean;
}

/** Endpoints and deliveries. */
export interface DeliveryStore extends SenderMarks {
  /**
   * Creates an endpoint. It receives events for everything committed from now on.
   *
   * @throws GazetteError `unknown_account`; `unknown_feed` for a register that does not exist; `invalid_option`.
   */
  createEndpoint(endpoint: NewEndpoint): Promise<WebhookEndpoint>;

  /** One endpoint. @throws GazetteError `unknown_endpoint` */
  endpoint(endpointId: string): Promise<WebhookEndpoint>;

  /** The endpoints of an account, or all, in the order of their creation. @throws GazetteError `unknown_account` */
  endpoints(accountId?: string): Promise<readonly WebhookEndpoint[]>;

  /** The account of an endpoint, or of a delivery, by its id. Null: there is none with this id. */
  ownerOf(id: string): Promise<string | null>;

  /**
   * Changes an endpoint. A new address resets its failures. It receives events of a register that it was not
   * subscribed to before for everything committed from now on.
   *
   * @throws GazetteError `unknown_endpoint`; `unknown_feed` for a register that does not exist.
   */
  updateEndpoint(endpointId: string, change: EndpointChange): Promise<WebhookEndpoint>;

  /**
   * Deletes an endpoint with its deliveries. Many go some at a time, while the endpoint is disabled; if the process is
   * killed meanwhile, it can be removed again.
   *
   * @throws GazetteError `unknown_endpoint`
   */
  removeEndpoint(endpointId: string, options: { readonly at: string }): Promise<void>;

  /**
   * Disables an endpoint; a disabled one keeps its first reason. The account's other endpoints get one event
   * `endpoint.disabled` about it each, in the same transaction, if they are enabled and subscribed to that type.
   *
   * @throws GazetteError `unknown_endpoint`
   */
  disableEndpoint(
    endpointId: string,
    options: { readonly at: string; readonly reason: DisabledReason },
  ): Promise<WebhookEndpoint>;

  /** Enables an endpoint and resets its failures. @throws GazetteError `unknown_endpoint` */
  enableEndpoint(endpointId: string): Promise<WebhookEndpoint>;

  /** Stores the next secret; it replaces one prepared before. @throws GazetteError `unknown_endpoint` */
  prepareSecret(endpointId: string, secret: Uint8Array): Promise<WebhookEndpoint>;

  /**
   * Replaces the current secret with the prepared one.
   *
   * @param options.previousUntil until when the replaced secret signs, too; absent: it is forgotten
   * @throws GazetteError `unknown_endpoint`, `no_next_secret`; `invalid_option` for the time
   */
  activateSecret(endpointId: string, options?: { readonly previousUntil?: string }): Promise<WebhookEndpoint>;

  /**
   * Stores another encryption of a secret, whether it is the current one, the prepared one or the previous one.
   *
   * @returns false if the endpoint has no such secret (any more)
   */
  replaceSecret(endpointId: string, secret: { readonly from: Uint8Array; readonly to: Uint8Array }): Promise<boolean>;

  /** Returns the stored secret of any endpoint, to check that it can be decrypted. Null if there is no endpoint. */
  anySecret(): Promise<{ readonly endpointId: string; readonly secret: Uint8Array } | null>;

  /**
   * Creates the deliveries of some of the versions that were committed since the last call: for each version, one for
   * each endpoint that already existed and is subscribed. It is skipped when the account had no access at the time of
   * the version. Registers have their turns. Each call is short; repeat it until nothing is left.
   *
   * @param options.toEvent returns the event of a version; a pure function
   * @returns whether there may be more to do at once
   */
  fanOut(options: {
    readonly at: string;
    readonly baseUrl: string;
    readonly toEvent: (version: LoggedVersion) => EventName;
  }): Promise<boolean>;

  /** Creates a test delivery. @throws GazetteError `unknown_endpoint` */
  createTest(endpointId: string, event: EventName, options: { readonly at: string }): Promise<DeliveryEntry>;

  /**
   * Claims deliveries that are due, the oldest of each endpoint first. Accounts have their turns, and the endpoints of
   * each account: the next claim goes on where this one ended. Those of accounts without access wait. Concurrent claims
   * never overlap.
   */
  claim(options: ClaimOptions): Promise<readonly ClaimedDelivery[]>;

  /**
   * Records outcomes in one transaction. A success is recorded however late it arrives. Any other outcome counts only
   * while the delivery still has its lease: a late failure never overwrites what was recorded.
   *
   * @param options.failingBefore an endpoint with nothing but failures since then is disabled at its next one, as by
   *   {@link disableEndpoint}; so is one that is gone
   */
  settle(
    outcomes: readonly DeliveryOutcome[],
    options: { readonly at: string; readonly failingBefore: string },
  ): Promise<void>;

  /**
   * Makes deliveries due again, whatever their outcome was, with a full number of attempts. Deliveries that are being
   * sent at this moment are not changed.
   *
   * @param which one delivery by its id, or those of an endpoint that were created since a time: all, or with
   *   `isMissed` only those that failed or were skipped
   * @returns how many
   * @throws GazetteError `unknown_delivery`, `unknown_endpoint`
   */
  replay(
    which: { readonly deliveryId: string } | ReplayedDeliveries,
    options: { readonly at: string },
  ): Promise<number>;

  /**
   * Skips some of the deliveries that have been due since `dueBefore` or longer and whose account has no access.
   *
   * @returns how many
   */
  skipLapsed(options: { readonly now: string; readonly dueBefore: string }): Promise<number>;

  /**
   * Takes one endpoint that has failed for long or was disabled, and of whose state nobody was told. Of several callers
   * one gets it, and no other does before `until`, unless {@link endNotice} ends it for good. Null: there is none.
   */
  takeNotice(options: NoticeOptions): Promise<EndpointNotice | null>;

  /** The owner was told of this state of an endpoint, and need not be told again. */
  endNotice(endpointId: string, state: string): Promise<void>;

  /** What waits to be sent. It takes about as long for a million deliveries as for a few. */
  backlog(options: { readonly now: string }): Promise<Backlog>;

  /**
   * One delivery.
   *
   * @param options.now if it is given, a delivery that waits for access says so
   * @throws GazetteError `unknown_delivery`
   */
  delivery(deliveryId: string, options?: { readonly now?: string }): Promise<DeliveryEntry>;

  /**
   * An endpoint's deliveries, newest first, created before the delivery `before` (absent: from the newest).
   *
   * @param options.now if it is given, deliveries that wait for access say so
   * @throws GazetteError `unknown_endpoint`
   */
  deliveries(
    endpointId: string,
    options: { readonly limit: number; readonly before?: string; readonly now?: string },
  ): Promise<readonly DeliveryEntry[]>;

  /** All attempts of a delivery, oldest first. @throws GazetteError `unknown_delivery` */
  attempts(deliveryId: string): Promise<readonly DeliveryAttempt[]>;

  /**
   * Deletes some of the oldest deliveries that were created before a time, and are not pending or have no endpoint.
   *
   * @returns how many
   */
  prune(options: { readonly before: string }): Promise<number>;
}
