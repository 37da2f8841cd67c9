// The part of a version that the log keeps permanently, in a row of any query for versions of webhooks.
import type { VersionCause } from '../../register/record.ts';
import type { LoggedVersion } from '../contract/deliveries.ts';
import { SLOT_SPAN, type SqlRow } from './columns.ts';
import { feedIdOf } from './register.ts';

/** The version in a row that begins with its entry, version, cause, time and record. */
export function loggedVersionOf([entry, version, cause, recordedAt, recordId]: SqlRow): LoggedVersion {
  return {
    feedId: feedIdOf(recordId as string),
    recordId: recordId as string,
    version: version as number,
    change: Number(entry) % SLOT_SPAN,
    cause: cause as VersionCause,
    recordedAt: recordedAt as string,
  };
}
