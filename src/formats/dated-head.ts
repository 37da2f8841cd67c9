// Heads of documents that say when the last of their records changed.
import type { RegisterRecord } from '../register/record.ts';
import { later, latestTime } from '../register/time.ts';
import { checkTime } from './check-value.ts';
import type { DocumentHead, Format } from './format.ts';

/**
 * The head for a document of this format with these records. In a format that dates its head, the last change is not older than
 * any of them: a record may be observed after it was recorded, and only some sources know when they last changed.
 *
 * @throws GazetteError `invalid_record` for a time that is neither a date nor an RFC 3339 date-time.
 */
export function headFor(format: Format, head: DocumentHead, records: readonly RegisterRecord[]): DocumentHead {
  if (format.isDated !== true) return head;
  for (const record of records) {
    checkTime(record, 'observed_at', record.observed_at);
    if (record.updated_at !== null) checkTime(record, 'updated_at', record.updated_at);
  }
  const latest = latestTime(records);
  if (latest === null) return head;
  return { ...head, lastChange: later(head.lastChange ?? head.definition.created_at, latest) };
}
