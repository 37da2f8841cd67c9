// Webhook endpoints as every store keeps them. deliveries.ts has what they are sent.
import type { Filter } from '../../register/page.ts';

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
}

/** An endpoint to create. */
export interface NewEndpoint extends Pick<
  WebhookEndpoint,
  'id' | 'accountId' | 'url' | 'feeds' | 'types' | 'filter' | 'createdAt'
> {
  /** The signing secret, encrypted: a store never sees the plain secret. */
  readonly secret: Uint8Array;
}

/** What to change of an endpoint: absent properties stay as they are. */
export type EndpointChange = Partial<Pick<WebhookEndpoint, 'url' | 'feeds' | 'types' | 'filter'>>;
