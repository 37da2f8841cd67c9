// The event a delivery carries: what the sender writes as JSON and what a receiver gets.
import type { VersionCause } from '../register/record.ts';

/** The header that carries the event's id. The signature does not cover it: it must be the body's own `id`. */
export const EVENT_HEADER = 'X-Register-Event';

/** What can happen to a record, as the type of an event. */
export const RECORD_EVENT_TYPES = [
  'record.published',
  'record.updated',
  'record.corrected',
  'record.withdrawn',
] as const;

/** The type of an event about a record. */
export type RecordEventType = (typeof RECORD_EVENT_TYPES)[number];

/** What every event says. */
export interface EventHead {
  /** The same in every attempt, retry and replay. */
  readonly id: string;
  /** RFC 3339 date-time. */
  readonly created_at: string;
}

/** A version of a record came to be. The record's content is not in it: read it at `url`. */
export interface RecordEvent extends EventHead {
  /** What happened. */
  readonly type: RecordEventType;
  /** The register. */
  readonly feed_id: string;
  /** The record. */
  readonly record_id: string;
  /** Which version of the record tells so, from 1. */
  readonly version: number;
  /** Why there is this version. */
  readonly cause: VersionCause;
  /** This and the next three: null once the record was erased, for legal reasons, which `record.withdrawn` then tells. */
  readonly source_url: string | null;
  /** When the source published it; null when it does not say, and once the content was erased. */
  readonly published_at: string | null;
  /** When it was first observed; null once the content was erased. */
  readonly observed_at: string | null;
  /** The record's title; null once the content was erased. */
  readonly title: string | null;
  /** Where the service serves the record. */
  readonly url: string;
}

/** An endpoint is tried out. */
export interface TestEvent extends EventHead {
  /** That it is a test. */
  readonly type: 'endpoint.test';
}

/**
 * An event as a receiver gets it. Later versions may add types and fields: pass over what is not known, and answer
 * success.
 */
export type WebhookEvent = RecordEvent | TestEvent;
