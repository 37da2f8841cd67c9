// Redaction: erases what a record said, in all its versions, so that no stored value depends on it any more. The slot, the
// numbers, times, causes and commitments remain: without its salt, a commitment confirms no guess. So do the entries of the log
// (proofs/entries.ts).
import { CONTENT_COLUMNS, SLOT_SPAN, slotOf, STATES } from '../rows/columns.ts';
import { commitmentOf, LOG } from '../rows/commitment.ts';
import { checkRoom, commitTimes, feedIdOf, REGISTER, type RegisterRow, unknownRecord } from '../rows/register.ts';
import { asNumber, FOR_UPDATE, Fragment, GREATEST, IS_PRESENT, shape, table, withoutNul } from '../rows/sql.ts';
import type { NewDeskEntry } from '../contract/desk/editors.ts';
import type { UnderLease } from '../contract/leases.ts';
import { note } from './desk/editors.ts';
import { AFTER_CONFIGURATION } from './nodes/configuration.ts';
import type { StoredRecord } from '../contract/registers.ts';
import { eraseTerms } from './finding/term-postings.ts';
import { closeDeliveries } from './webhooks/deliveries.ts';
import { eraseKept } from './imports/by-hand.ts';
import { eraseImportDigests } from './imports/log.ts';
import { beginWrite, endWrite } from './leases.ts';
import { checkNoMirror } from './mirrors/mirrored.ts';
import { committed, erasing } from './plugins/joined.ts';
import { discardBeforeErasure } from './imports/proposals.ts';
import { keepErasedKeys } from './record-keys.ts';
import { askForPurge } from './purges.ts';
import type { ErasedRecord, Rule, Sql } from './rule.ts';
import { uncountRecord } from './values.ts';

const REGISTERS = table('registers');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');
const CONTENTS = table('contents');
const VERSIONS = table('versions');
const LOGS = table('logs');

/** A record without its content. */
interface Place {
  readonly slot: number;
  readonly version: number;
  readonly contentVersion: number;
  readonly state: StoredRecord['state'];
}

const PLACE = shape(
  ['slot', 'version', 'content_version', 'state'],
  ([slot, version, contentVersion, state]): Place => ({
    slot: asNumber(slot),
    version: asNumber(version),
    contentVersion: asNumber(contentVersion),
    state: STATES[asNumber(state) as 0 | 1 | 2],
  }),
);

/** The columns of a record that remain. */
const REMAINING = new Fragment(() => 'slot, id, version, content_version, updated_at');

const NO_CONTENT = new Fragment(() => CONTENT_COLUMNS.map((name) => `${name} = NULL`).join(', '));

/** A redaction. */
export interface Redaction extends UnderLease {
  readonly recordedAt: string;
  /** 32 random bytes, for the commitment of the redaction itself. */
  readonly salt: Uint8Array;
  /** What of the database is to be rewritten. */
  readonly parts: readonly string[];
  readonly noted?: NewDeskEntry;
}

/**
 * Erases the content of all versions of a record, and adds the version that says so.
 *
 * @returns false when it was redacted before
 */
export function* redactRecord(sql: Sql, recordId: string, redaction: Redaction): Rule<boolean> {
  const { recordedAt, salt, parts, noted } = redaction;
  const { head, place, isDone } = yield* lockRecord(sql, recordId, redaction);
  if (isDone) return true;
  yield* eraseImportDigests(sql, recordId);
  const keys = yield* keepErasedKeys(sql, head, place.slot);
  const position = place.slot % SLOT_SPAN;
  yield* discardBeforeErasure(sql, head.number, { recordId, keys, position }, recordedAt);
  yield* askForPurge(sql, parts, recordedAt);
  if (noted !== undefined) yield* note(sql, noted);
  if (place.state === 'redacted') return false;
  checkRoom(feedIdOf(recordId), { top: head.top, change: head.change + 1 });
  const { slot, contentVersion } = place;
  const times = commitTimes(head, recordedAt);
  const isLive = place.state === 'live';
  const version = place.version + 1;
  yield* eraseContent(sql, head, { id: recordId, slot, version }, isLive);
  yield* sql.run`UPDATE ${WITHDRAWN} SET version = ${version}, updated_at = ${times.recordedAt} WHERE slot = ${slot}`;
  const log = (yield* sql.one(LOG)`SELECT ${LOG} FROM ${LOGS} WHERE register = ${head.number}
    ORDER BY number DESC LIMIT 1`)!;
  const change = head.change + 1;
  const commitment = commitmentOf(salt, { id: recordId, log: log.uuid, version }, null);
  yield* sql.run`INSERT INTO ${VERSIONS}
    (entry, slot, version, content_version, cause, recorded_at, salt, commitment, log)
    VALUES (${slotOf(head.number, change)}, ${slot}, ${version}, ${contentVersion}, 'redacted', ${times.recordedAt},
      ${salt}, ${commitment}, ${log.number})`;
  yield* committed(sql, { register: head.number, from: head.change, to: change });
  yield* sql.run`UPDATE ${REGISTERS} SET change = ${change}, live = ${head.live - Number(isLive)},
    last_change = ${times.recordedAt},
    last_modified = ${GREATEST}(${times.lastModified}, ${AFTER_CONFIGURATION}) WHERE number = ${head.number}`;
  yield* closeDeliveries(sql, recordId);
  yield* endWrite(sql, redaction, []);
  return true;
}

/** Erases what all versions of a record say. Its row stays among those that were withdrawn, as a redacted one. */
export function* eraseContent(sql: Sql, head: RegisterRow, record: ErasedRecord, isLive: boolean): Rule<void> {
  const { slot } = record;
  if (isLive) {
    yield* uncountRecord(sql, head, slot);
    yield* sql.run`INSERT INTO ${WITHDRAWN} (${REMAINING}) SELECT ${REMAINING} FROM ${RECORDS} WHERE slot = ${slot}`;
    yield* sql.run`DELETE FROM ${RECORDS} WHERE slot = ${slot}`;
  }
  yield* eraseTerms(sql, slot);
  yield* eraseKept(sql, slot);
  yield* sql.run`UPDATE ${WITHDRAWN} SET is_redacted = 1, ${NO_CONTENT} WHERE slot = ${slot}`;
  yield* sql.run`DELETE FROM ${CONTENTS} WHERE slot = ${slot}`;
  yield* erasing(sql, record);
  // Field names may contain personal content too.
  yield* sql.run`UPDATE ${VERSIONS} SET salt = NULL, changed = NULL WHERE slot = ${slot}`;
}

/**
 * Lets later imports take a redacted record in again. Its erased versions stay erased.
 *
 * @returns false when it is not redacted
 */
export function* liftRedaction(sql: Sql, recordId: string, under: UnderLease): Rule<boolean> {
  const { place, isDone } = yield* lockRecord(sql, recordId, under);
  if (isDone) return true;
  if (place.state !== 'redacted') return false;
  const { slot, contentVersion } = place;
  // A version shows the record's current content unless a replaced one was kept for it. The empty content will be kept
  // under this number, and is that of all versions before.
  yield* sql.run`UPDATE ${VERSIONS} SET content_version = ${contentVersion} WHERE slot = ${slot}`;
  yield* sql.run`UPDATE ${WITHDRAWN} SET is_redacted = 0 WHERE slot = ${slot}`;
  yield* endWrite(sql, under, []);
  return true;
}

/** Locks the register of a record; the write may be done already. @throws GazetteError `unknown_record`, `import_superseded` */
function* lockRecord(
  sql: Sql,
  recordId: string,
  under: UnderLease,
): Rule<{ readonly head: RegisterRow; readonly place: Place; readonly isDone: boolean }> {
  const id = withoutNul(recordId);
  const feedId = feedIdOf(id);
  const head = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${feedId} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (head === null) throw unknownRecord(recordId);
  yield* checkNoMirror(sql, feedId);
  const done = yield* beginWrite(sql, feedId, head.number, under);
  const place = yield* sql.one(PLACE)`SELECT slot, version, content_version, 0 AS state FROM ${RECORDS} WHERE id = ${id}
    UNION ALL SELECT slot, version, content_version, 1 + is_redacted FROM ${WITHDRAWN} WHERE id = ${id}`;
  if (place === null) throw unknownRecord(recordId);
  return { head, place, isDone: done !== null };
}
