// What is sent for a version: the name of its event and the bytes of its body. Both depend only on the version and the
// public address, so that they are the same in every attempt, by any process.
import { hash } from 'node:crypto';
import type { VersionCause } from '../../register/record.ts';
import type { ClaimedDelivery, EventName, LoggedVersion } from '../../stores/contract/deliveries.ts';
import type { RecordEvent, RecordEventType, TestEvent } from '../event.ts';

/** The type of a version's event. A restored record counts as published again for receivers that had removed it. */
const TYPES: Readonly<Record<VersionCause, RecordEventType>> = {
  first_observed: 'record.published',
  restored: 'record.published',
  source_change: 'record.updated',
  extraction_correction: 'record.corrected',
  withdrawn: 'record.withdrawn',
};

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
export function deliveryBody({ event, createdAt, baseUrl, version, isTest }: ClaimedDelivery): string | null {
  if (isTest) {
    const test: TestEvent = { id: event.id, type: 'endpoint.test', created_at: createdAt };
    return JSON.stringify(test);
  }
  if (version === null || (version.title === null && !version.isLatest)) return null;
  const body: RecordEvent = {
    id: event.id,
    type: TYPES[version.cause],
    created_at: version.recordedAt,
    feed_id: version.feedId,
    record_id: version.recordId,
    version: version.version,
    cause: version.cause,
    source_url: version.sourceUrl,
    published_at: version.publishedAt,
    observed_at: version.observedAt,
    title: version.title,
    url: `${baseUrl ?? ''}/api/v1/records/${version.recordId}`,
  };
  return JSON.stringify(body);
}
