// Whether a version may follow what a mirror has, and says what it commits to.
import { GazetteError, quote } from '../../../errors.ts';
import { isRecordId } from '../../../register/identity.ts';
import { toEpochMs } from '../../../register/time.ts';
import type { TakenVersion } from '../../contract/mirrors.ts';
import type { PreparedRecord } from '../../contract/prepared-record.ts';
import { commitmentOf } from '../../rows/commitment.ts';
import { canonicalIn, prepareRecord } from '../../rows/prepare.ts';
import type { RegisterRow } from '../../rows/register.ts';
import type { Place } from './places.ts';

/** Whether a version erases a record, or was erased. */
export function isErasing({ salt, cause }: TakenVersion): boolean {
  return salt === null || cause === 'redacted';
}

/** @throws GazetteError `invalid_answer` unless the version may follow what there is */
export function checkNext(feedId: string, head: RegisterRow, place: Place | undefined, version: TakenVersion): void {
  const { change, position, id, cause, recordedAt } = version;
  if (change !== head.change + 1) throw wrong(change, `change ${head.change + 1}, which comes next`);
  if (head.lastChange !== null && toEpochMs(recordedAt) < toEpochMs(head.lastChange))
    throw wrong(change, `of ${head.lastChange} or later, got ${recordedAt}`);
  if (place === undefined) {
    if (position !== head.top + 1 || version.version !== 1 || cause !== 'first_observed')
      throw wrong(
        change,
        `the first of position ${head.top + 1}, got version ${version.version} of position ${position}`,
      );
    if (!isRecordId(feedId, id)) throw wrong(change, `of a record of ${feedId}, got ${quote(id)}`);
    return;
  }
  if (id !== place.id || version.version !== place.version + 1)
    throw wrong(change, `version ${place.version + 1} of ${place.id}, got version ${version.version} of ${quote(id)}`);
  const fits = isErasing(version) || (place.state === 'live') === (cause !== 'restored');
  if (!fits || cause === 'first_observed')
    throw wrong(change, `one that a ${place.state} record may have, got ${quote(cause)}`);
}

/** What a version states. @throws GazetteError `invalid_answer` unless it says what it commits to */
export function statedIn({
  change,
  id,
  version,
  cause,
  log,
  salt,
  commitment,
  statement,
}: TakenVersion): PreparedRecord | null {
  const hasNone = salt === null || cause === 'withdrawn' || cause === 'redacted';
  if (hasNone !== (statement === null) || (statement !== null && statement.id !== id))
    throw wrong(change, hasNone ? 'without a statement' : `given with a statement of ${id}`);
  const said = statement === null ? null : prepareRecord(statement);
  if (salt === null) return null;
  if (!commitmentOf(salt, { id, log, version }, said && canonicalIn(said)).equals(commitment))
    throw wrong(change, 'what it commits to');
  return said;
}

export function wrong(change: number, expected: string): GazetteError {
  return new GazetteError('invalid_answer', `change ${change} must be ${expected}`, { details: { change } });
}
