// The event in a delivery: what the sender writes as JSON and what a receiver gets.
import {
  DISABLED_EVENT_TYPE,
  EVENT_TYPES,
  RECORD_EVENT_TYPES,
  type RecordEventType,
  type VersionCause,
} from '../register/record.ts';

/** The header that contains the event's id. The signature does not cover it, so it must equal the body's own `id`. */
export const EVENT_HEADER = 'X-Register-Event';

export { DISABLED_EVENT_TYPE, EVENT_TYPES, RECORD_EVENT_TYPES, type RecordEventType };

/** The type of an event that tests an endpoint and is about no record. */
export const TEST_EVENT_TYPE = 'endpoint.test';

/** A new version of a record. The event does not contain the record's content: read it at `url`. */
export interface RecordEvent {
  /** The same in every attempt, retry and replay. */
  readonly id: string;
  /** RFC 3339 date-time. */
  readonly created_at: string;
  /** What happened. */
  readonly type: RecordEventType;
  /** The register. */
  readonly feed_id: string;
  /** The record. */
  readonly record_id: string;
  /** The number of this version of the record, from 1. */
  readonly version: number;
  /** Where the version stands in the log of its register, from 0. */
  readonly log_index: number;
  /** Why this version was recorded. */
  readonly cause: VersionCause;
  /** The number of the import that this version takes back; absent where it takes none back. */
  readonly undoes?: number;
  /**
   * This and the next three are null once the record was erased for legal reasons; the event is then
   * `record.withdrawn`.
   */
  readonly source_url: string | null;
  /** When the source published it; null when the source does not say, and once the content was erased. */
  readonly published_at: string | null;
  /** When it was first observed; null once the content was erased. */
  readonly observed_at: string | null;
  /** The record's title; null once the content was erased. */
  readonly title: string | null;
  /** The URL of the record on the service. */
  readonly url: string;
  /** True in an invented event that tests an endpoint; absent in all others. */
  readonly test?: true;
}

/** An endpoint of the account was disabled: it gets no events any more until its owner enables it. */
export interface EndpointDisabledEvent extends Pick<RecordEvent, 'id' | 'created_at'> {
  /** Marks the event as one about an endpoint. */
  readonly type: typeof DISABLED_EVENT_TYPE;
  /** The endpoint, by its id. */
  readonly endpoint: string;
  /** `operator`: by the operator or the owner. `gone`: it answered 410. `failing`: after days of nothing but failures. */
  readonly reason: 'operator' | 'gone' | 'failing';
  /** True in an invented event that tests an endpoint; absent in all others. */
  readonly test?: true;
}

/** A test of an endpoint. */
export interface TestEvent extends Pick<RecordEvent, 'id' | 'created_at'> {
  /** Marks the event as a test. */
  readonly type: typeof TEST_EVENT_TYPE;
}

/** An event as a receiver gets it. Later versions may add types and fields: ignore unknown ones, and answer success. */
export type WebhookEvent = RecordEvent | EndpointDisabledEvent | TestEvent;
