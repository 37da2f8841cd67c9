// What is sent for a version: the name of its event and the bytes of its body. Both depend only on the version and the
// public address, so that they are the same in every attempt, by any process.
import { hash } from 'node:crypto';
import type { VersionCause } from '../../register/record.ts';
import type { ClaimedDelivery, EventVersion, LoggedVersion } from '../../stores/contract/deliveries.ts';
import type { EventName } from '../../stores/contract/sending.ts';
import {
  DISABLED_EVENT_TYPE,
  type EndpointDisabledEvent,
  type RecordEvent,
  type RecordEventType,
  TEST_EVENT_TYPE,
  type WebhookEvent,
} from '../event.ts';

/** The type of a version's event. A restored record counts as published again for receivers that had removed it. */
const TYPES: Readonly<Record<VersionCause, RecordEventType>> = {
  first_observed: 'record.published',
  restored: 'record.published',
  source_change: 'record.updated',
  extraction_correction: 'record.corrected',
  renumbered: 'record.updated',
  withdrawn: 'record.withdrawn',
  redacted: 'record.withdrawn',
};

/** The type of the event of a version that was recorded for this cause. */
export function eventTypeOf(cause: VersionCause): RecordEventType {
  return TYPES[cause];
}

/**
 * The event of a version. A register that was removed and filled again has different events, because they were recorded
 * later.
 */
export function eventNameOf({ recordId, version, change, cause, recordedAt }: LoggedVersion): EventName {
  const identity = JSON.stringify([recordId, version, change, recordedAt]);
  return { id: `evt_${hash('sha256', identity).slice(0, 32)}`, type: TYPES[cause] };
}

/**
 * The body of a delivery. `JSON.stringify(JSON.parse(body))` is the same text, so that receivers that serialise it
 * again can still verify it.
 *
 * @returns null when there is nothing left to send: the register was removed, or the version's content was erased and
 *   a later version reports that
 */
export function deliveryBody({ event, createdAt, baseUrl, version, disabled, isTest }: ClaimedDelivery): string | null {
  if (isTest) return JSON.stringify(testEvent(event, createdAt));
  if (disabled !== null) return JSON.stringify(disabledEvent(event.id, createdAt, disabled));
  if (version === null || isErased(version)) return null;
  const body: RecordEvent = {
    id: event.id,
    type: TYPES[version.cause],
    created_at: version.recordedAt,
    feed_id: version.feedId,
    record_id: version.recordId,
    version: version.version,
    log_index: version.change - 1,
    cause: version.cause === 'renumbered' ? 'source_change' : version.cause,
    ...(version.undoes === null ? {} : { undoes: version.undoes }),
    source_url: version.sourceUrl,
    published_at: version.publishedAt,
    observed_at: version.observedAt,
    title: version.title,
    url: `${baseUrl ?? ''}/api/v1/records/${version.recordId}`,
  };
  return JSON.stringify(body);
}

function disabledEvent(
  id: string,
  createdAt: string,
  { endpoint, reason }: Pick<EndpointDisabledEvent, 'endpoint' | 'reason'>,
): EndpointDisabledEvent {
  return { id, type: DISABLED_EVENT_TYPE, created_at: createdAt, endpoint, reason };
}

/** An event of a record or an endpoint that does not exist, or `endpoint.test`. */
function testEvent({ id, type }: EventName, createdAt: string): WebhookEvent {
  if (type === DISABLED_EVENT_TYPE) {
    return { ...disabledEvent(id, createdAt, { endpoint: 'ep_000000000000000000', reason: 'failing' }), test: true };
  }
  const example = EXAMPLES.find((known) => known.type === type);
  if (example === undefined) return { id, type: TEST_EVENT_TYPE, created_at: createdAt };
  return {
    ...{ id, type: example.type, created_at: createdAt, feed_id: 'example', record_id: 'example:1' },
    ...{ version: example.version, log_index: 0, cause: example.cause, source_url: 'https://example.org/source/1' },
    ...{ published_at: '2026-01-01', observed_at: '2026-01-02T00:00:00Z', title: 'An invented record' },
    ...{ url: 'https://example.org/api/v1/records/example:1', test: true },
  };
}

const EXAMPLES: readonly Pick<RecordEvent, 'type' | 'cause' | 'version'>[] = [
  { type: 'record.published', cause: 'first_observed', version: 1 },
  { type: 'record.updated', cause: 'source_change', version: 2 },
  { type: 'record.corrected', cause: 'extraction_correction', version: 2 },
  { type: 'record.withdrawn', cause: 'withdrawn', version: 2 },
];

/** Whether nothing of a version is left but its place, because the record was redacted later. */
function isErased({ title, cause }: EventVersion): boolean {
  return title === null && cause !== 'redacted';
}
