// What a sender asks for when it claims deliveries, and what waits to be sent, for the operator's monitoring (deliveries.ts).
import type { DisabledReason, WebhookEndpoint } from './endpoints.ts';

/** The number up to which waiting deliveries are counted: a million of them must not make the answer slow. */
export const BACKLOG_COUNTED = 10_000;

/** What waits to be sent at one moment. */
export interface Backlog {
  /** The pending deliveries, whether they are due or not; {@link BACKLOG_COUNTED} if there are more. */
  readonly deliveries: number;
  /** The changes of registers for which no deliveries have been created yet. 0 while there is no endpoint. */
  readonly changes: number;
  /** Since when the oldest delivery is due that may be sent now. Null: none is due. */
  readonly oldestDueAt: string | null;
  /** How many endpoints are disabled, by the reason. */
  readonly disabledEndpoints: Readonly<Record<DisabledReason, number>>;
}

/** Which deliveries to claim. */
export interface ClaimOptions {
  /** The current time by the sender's clock. */
  readonly now: string;
  /** Identifies this claim; outcomes refer to it. A sender names its claims `<mark>.<number>`. */
  readonly lease: string;
  /** When the lease ends. */
  readonly until: string;
  /** The maximum number of deliveries over all endpoints, but for those that are `doubtful`. */
  readonly limit: number;
  /** The maximum per endpoint, by endpoint id. Others: `limitPerEndpoint`. */
  readonly room: ReadonlyMap<string, number>;
  /** The maximum for each endpoint that `room` does not contain. */
  readonly limitPerEndpoint: number;
  /** The maximum over all endpoints of an account, by account id, but for those that are `doubtful`. Others: `limit`. */
  readonly accountRoom: ReadonlyMap<string, number>;
  /** The bounds of endpoints whose last attempt hung or failed: they take nothing from the others. Absent: they have none of their own. */
  readonly doubtful?: Pick<ClaimOptions, 'limit' | 'accountRoom'> & {
    /** Whether an endpoint is one of them, by endpoint id. Others are while they have failed since their last success. */
    readonly endpoints: ReadonlyMap<string, boolean>;
  };
}

/** By what senders see which others run, and what they do about it. */
export interface SenderMarks {
  /** The folder in which senders mark that they run, as in `LeaseStore`. */
  readonly marks: string | null;

  /**
   * Makes the deliveries due that are claimed by senders which are gone.
   *
   * @param options.until claims whose lease ends later are not looked at
   * @param options.isGone whether the sender with this mark is gone
   * @returns the marks of those that are
   */
  freeClaims(options: {
    readonly now: string;
    readonly until: string;
    readonly isGone: (mark: string) => boolean;
  }): Promise<readonly string[]>;
}

/** Which notices to take. */
export interface NoticeOptions {
  /** The current time by the caller's clock. */
  readonly now: string;
  /** Until when nobody else takes the notice; afterwards it is to be sent again. */
  readonly until: string;
  /** Endpoints that have failed since then or longer. */
  readonly failingBefore: string;
  /** Endpoints that were disabled then or later. */
  readonly since: string;
}

/** An endpoint of which its owner is to be told by mail. */
export interface EndpointNotice {
  /** The endpoint as it is. */
  readonly endpoint: WebhookEndpoint;
  /** What is to be told, and since when, as a text that tells it from all other states of the endpoint. */
  readonly state: string;
}

/** The identity of an event. */
export interface EventName {
  /** The same for every endpoint and every attempt, so that receivers can recognise repeats. */
  readonly id: string;
  /** For example `record.created`. */
  readonly type: string;
}

/** Which deliveries of an endpoint are replayed. */
export interface ReplayedDeliveries {
  /** The endpoint. */
  readonly endpointId: string;
  /** Those that were created at this time or later. */
  readonly since: string;
  /** Only those that failed or were skipped. Default false. */
  readonly isMissed?: boolean;
}
