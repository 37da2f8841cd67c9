// Records that gazette itself wrote. They state beside the publisher's words what the register gave them: its own id and
// key, the version, the position. In any other file, properties of these names are the publisher's own.
import { GIVEN_FIELDS } from '../../register/fields.ts';
import { isRecordId } from '../../register/identity.ts';
import type { RawObject } from '../readers/raw-record.ts';

const GIVEN: ReadonlySet<string> = new Set(GIVEN_FIELDS);

/**
 * The record without what only a register gives (`GIVEN_FIELDS`), if gazette wrote it, as its id shows; any other record
 * as it is.
 *
 * @param feedId the register that takes it in; the record may also say of which it is
 */
export function statedPart(record: RawObject, feedId: string): RawObject {
  const { id, feed_id: said } = record;
  if (typeof id !== 'string') return record;
  const isOwn = isRecordId(feedId, id) || (typeof said === 'string' && isRecordId(said, id));
  if (!isOwn) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => !GIVEN.has(name)));
}
