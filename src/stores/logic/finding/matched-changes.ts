// The changes of a register with a filter, the same for every store: the versions of records that match before or after
// them. A request examines no more than a bound, and says how far it came.
import { setImmediate } from 'node:timers/promises';
import type { RecordFilter } from '../../../register/finding/filter.ts';
import type { RecordVersion } from '../../../register/record.ts';
import type { ChangesRange, ChangesPage } from '../../contract/registers.ts';
import { logName, type RegisterRow } from '../../rows/register.ts';

/** The most versions that a request examines. */
export const EXAMINED_VERSIONS = 2000;

/** The most characters of their texts. */
const EXAMINED_TEXT = 2 ** 22;

/** How many versions are read at once. */
const SLICE = 100;

/** How a store reads versions. */
export interface VersionReader {
  /** Those after a change number, oldest first, with their statements if they are asked for. */
  after(since: number, limit: number): readonly RecordVersion[] | Promise<readonly RecordVersion[]>;
  /** Those before these, of the same records, in any order. */
  before(versions: readonly RecordVersion[]): readonly RecordVersion[] | Promise<readonly RecordVersion[]>;
}

/** The versions after `since` that a filter tells of. */
export async function matchedChanges(
  head: RegisterRow,
  filter: RecordFilter,
  { since, limit }: ChangesRange,
  reader: VersionReader,
): Promise<ChangesPage> {
  const versions: RecordVersion[] = [];
  let nextSince = since;
  let [examined, length] = [0, 0];
  while (nextSince < head.change && versions.length < limit && examined < EXAMINED_VERSIONS && length < EXAMINED_TEXT) {
    const read = await reader.after(nextSince, SLICE);
    if (read.length === 0) break;
    const earlier = new Map<string, RecordVersion>();
    const later = read.filter(({ version }) => version > 1);
    for (const one of await reader.before(later)) earlier.set(`${one.record_id} ${one.version}`, one);
    for (const version of read) {
      const before = earlier.get(`${version.record_id} ${version.version - 1}`);
      const matches = isMatch(version, filter);
      if (matches) versions.push(version);
      else if (before !== undefined && isMatch(before, filter)) versions.push({ ...version, matches: false });
      nextSince = version.change;
      examined++;
      length += lengthOf(version) + (before === undefined ? 0 : lengthOf(before));
      if (versions.length === limit) break;
    }
    // Others may go on.
    await setImmediate();
  }
  return { versions, log: logName(head), logUuid: head.log, nextSince, more: nextSince < head.change };
}

/** Whether a record is among those that match after a version. An erased content matches: nobody knows that it did not. */
function isMatch({ cause, record }: RecordVersion, filter: RecordFilter): boolean {
  if (cause === 'withdrawn' || cause === 'redacted') return false;
  return record === null || filter.matches(record);
}

function lengthOf({ record }: RecordVersion): number {
  return (record?.summary?.length ?? 0) + (record?.content?.length ?? 0);
}
