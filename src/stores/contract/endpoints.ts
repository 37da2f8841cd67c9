// Webhook endpoints as every store keeps them. deliveries.ts has what they are sent.
import type { Filter } from '../../register/finding/filter.ts';

/** Why an endpoint is disabled: by the operator or its owner, by its own answer 410, or after days of failures. */
export type DisabledReason = 'operator' | 'gone' | 'failing';

/** Where an account's events go. */
export interface WebhookEndpoint {
  /** `ep_` and 18 hexadecimal digits. */
  readonly id: string;
  /** The account it belongs to. */
  readonly accountId: string;
  /** Where events go. */
  readonly url: string;
  /** The registers it subscribes to. Null: all, including future ones. */
  readonly feeds: readonly string[] | null;
  /** The types of event it subscribes to. Null: all. */
  readonly types: readonly string[] | null;
  /**
   * The values that a record must have, before or after its new version, for an event of it to be sent. Null: any.
   * Events of records whose content was erased are always sent.
   */
  readonly filter: Filter | null;
  /** When the endpoint was created. */
  readonly createdAt: string;
  /** When the endpoint was disabled. Null: it is enabled. */
  readonly disabledAt: string | null;
  /** Why the endpoint was disabled. Null: it is enabled. */
  readonly disabledReason: DisabledReason | null;
  /** The first failure since the last success. Null: the last attempt succeeded, or there was none. */
  readonly failingSince: string | null;
  /** Whether a new secret has been prepared but not activated. */
  readonly hasNextSecret: boolean;
  /** Whether its deliveries also have the headers of Standard Webhooks. */
  readonly isStandard: boolean;
  /** Until when deliveries are also signed with the previous secret. Null: they are not. */
  readonly previousUntil: string | null;
}

/** An endpoint to create. */
export interface NewEndpoint extends Pick<
  WebhookEndpoint,
  'id' | 'accountId' | 'url' | 'feeds' | 'types' | 'filter' | 'createdAt'
> {
  /** Default false. */
  readonly isStandard?: boolean;
  /** The signing secret, encrypted: a store never sees the plain secret. */
  readonly secret: Uint8Array;
}

/** What to change of an endpoint: absent properties stay as they are. */
export type EndpointChange = Partial<Pick<WebhookEndpoint, 'url' | 'feeds' | 'types' | 'filter' | 'isStandard'>>;

/** The properties of an account that decide whether it is sent events. An Account of accounts.ts has them. */
export interface AccountStanding {
  /** When the account's access ends. Null: it has none. */
  readonly accessUntil: string | null;
  /** Whether the account is suspended. */
  readonly isSuspended: boolean;
}

/** The properties of an endpoint that a sender needs. */
export interface ClaimedEndpoint extends WebhookEndpoint {
  /** The account it belongs to. */
  readonly account: AccountStanding;
  /** The signing secret, encrypted. */
  readonly secret: Uint8Array;
  /** The secret before it, encrypted. Null: it was not kept. */
  readonly previousSecret: Uint8Array | null;
}
