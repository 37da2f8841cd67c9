// The rules for registers. Each database implements records, pages and removal in its own way (RegisterHooks).
import type { Order } from '../../register/sources/order.ts';
import { GazetteError, quote } from '../../errors.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { toEpochMs } from '../../register/time.ts';
import type { NewLog } from '../contract/inspection.ts';
import { slotOf } from '../rows/columns.ts';
import { LOG } from '../rows/commitment.ts';
import {
  definitionOf,
  definitionText,
  commitTimes,
  logName,
  REGISTER,
  registerExists,
  type RegisterRow,
  unknownFeed,
} from '../rows/register.ts';
import { FOR_UPDATE, IS_PRESENT, numberIn, RANDOM_UUID, table, withoutNul } from '../rows/sql.ts';
import { beginTerms, renewTerms } from './finding/term-state.ts';
import { requireLease } from './leases.ts';
import type { Rule, Sql } from './rule.ts';
import { beginCounts, renewCounts } from './values.ts';

const REGISTERS = table('registers');
const LOGS = table('logs');
const REMOVED_REGISTERS = table('removed_registers');
const VERSIONS = table('versions');

const NUMBER = numberIn('number');
const LAST_MODIFIED = numberIn('last_modified');

/** The members of a definition of which permanent ids are made. */
const IDENTITY = ['uuid', 'authority', 'year'] as const;

/**
 * Creates an empty register, unless the id or the uuid is taken: a definition that was copied from another register still
 * has its uuid, and two feeds must not have the same id.
 *
 * @param definition with a uuid
 * @param log the UUID of its log
 * @returns null while a register with this id is being removed
 * @throws GazetteError `register_exists`, `invalid_definition` for the uuid of another register
 */
export function* createRegister(
  sql: Sql,
  definition: RegisterDefinition,
  order: Order | null,
  log: string,
): Rule<RegisterRow | null> {
  const { id: feedId, uuid } = definition;
  const made = yield* sql.one(REGISTER)`INSERT INTO ${REGISTERS} (id, uuid, definition, import_order, log)
    VALUES (${feedId}, ${uuid}, ${definitionText(definition)}, ${order}, ${log}) ON CONFLICT DO NOTHING RETURNING ${REGISTER}`;
  if (made !== null) {
    yield* sql.run`INSERT INTO ${LOGS} (register, uuid) VALUES (${made.number}, ${log})`;
    yield* beginTerms(sql, made.number, definition);
    yield* beginCounts(sql, made.number, definition);
    return yield* succeed(sql, feedId, made);
  }
  const present = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS} WHERE id = ${feedId} AND ${IS_PRESENT}`;
  if (present !== null) throw registerExists(feedId);
  const other = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS} WHERE uuid = ${uuid}`;
  if (other !== null) throw uuidTaken(other);
  return null;
}

/**
 * A register with the id of one that was removed refuses change numbers without the name of a log. Its date for
 * conditional requests goes on from that of the other, so that no date of the other is ever one of its own.
 */
function* succeed(sql: Sql, feedId: string, made: RegisterRow): Rule<RegisterRow> {
  const date = yield* sql.one(LAST_MODIFIED)`SELECT ${LAST_MODIFIED} FROM ${REMOVED_REGISTERS} WHERE id = ${feedId}`;
  if (date === null) return made;
  const after = yield* sql.one(REGISTER)`UPDATE ${REGISTERS} SET is_successor = 1, last_modified = ${date + 1}
    WHERE number = ${made.number} RETURNING ${REGISTER}`;
  return after!;
}

function uuidTaken(other: RegisterRow): GazetteError {
  return new GazetteError(
    'invalid_definition',
    `uuid must not be that of another register, got the one of ${quote(definitionOf(other).id)}; a register without a uuid gets its own`,
    { details: { member: 'uuid' } },
  );
}

/** Replaces a register's definition; an equal one changes nothing. */
export function* updateRegister(
  sql: Sql,
  definition: RegisterDefinition,
  { recordedAt, lease }: { readonly recordedAt: string; readonly lease?: string },
): Rule<RegisterRow> {
  const feedId = definition.id;
  // Locked: the times of the register must not go back, and importers write them too.
  const before = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (before === null) throw unknownFeed(feedId);
  yield* requireLease(sql, feedId, before.number, lease);
  const text = definitionText(keepIdentity(definitionOf(before), definition));
  if (before.definition === text) return before;
  const times = commitTimes(before, recordedAt);
  const after = yield* sql.one(
    REGISTER,
  )`UPDATE ${REGISTERS} SET definition = ${text}, definition_version = definition_version + 1,
    last_change = ${times.recordedAt}, last_modified = ${times.lastModified}
    WHERE number = ${before.number} RETURNING ${REGISTER}`;
  yield* renewTerms(sql, before.number, definitionOf(after!), before.top);
  yield* renewCounts(sql, before.number, definitionOf(after!));
  return after!;
}

/** @throws GazetteError `invalid_definition` for a definition with other permanent ids */
function keepIdentity(before: RegisterDefinition, after: RegisterDefinition): RegisterDefinition {
  const kept = { ...after, uuid: after.uuid ?? before.uuid };
  for (const member of IDENTITY) {
    if (kept[member] === before[member]) continue;
    throw new GazetteError(
      'invalid_definition',
      `${member} must stay ${quote(before[member])}, got ${quote(kept[member])}: the permanent ids of register ${quote(before.id)} and its records are made of it`,
      { details: { member } },
    );
  }
  return kept;
}

/** Stores which end of the publisher's files is the newest. */
export function* setOrder(sql: Sql, feedId: string, order: Order, lease?: string): Rule<void> {
  const number = yield* sql.one(NUMBER)`UPDATE ${REGISTERS} SET import_order = ${order}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} RETURNING ${NUMBER}`;
  if (number === null) throw unknownFeed(feedId);
  yield* requireLease(sql, feedId, number, lease);
}

/**
 * Gives every register a new log: what the store recorded after it was backed up is unknown here, and its change numbers
 * will be given again to other changes.
 */
export function* beginNewLogs(sql: Sql, at: string): Rule<readonly NewLog[]> {
  // Locked: others write to the log that they find in the row.
  const heads = yield* sql.all(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE ${IS_PRESENT} ORDER BY number ${FOR_UPDATE}`;
  const seconds = Math.floor(toEpochMs(at) / 1000);
  const begun: NewLog[] = [];
  for (const head of heads) {
    const { number, change } = head;
    const written = yield* sql.one(LOG)`SELECT l.number, l.uuid FROM ${VERSIONS} v JOIN ${LOGS} l ON l.number = v.log
      WHERE v.entry = ${slotOf(number, change)}`;
    const log = yield* sql.one(
      LOG,
    )`INSERT INTO ${LOGS} (register, uuid) VALUES (${number}, ${RANDOM_UUID}) RETURNING ${LOG}`;
    // A date for conditional requests that lies ahead of the clock was never sent.
    const lastModified = Math.max(head.lastModified, seconds) + 1;
    const after = yield* sql.one(REGISTER)`UPDATE ${REGISTERS}
      SET log = ${log!.uuid}, is_successor = 1, last_modified = ${lastModified} WHERE number = ${number} RETURNING ${REGISTER}`;
    const wasUnused = written !== null && written.uuid !== head.log;
    begun.push({ feedId: definitionOf(head).id, before: logName(head), log: logName(after!), wasUnused });
  }
  return begun;
}
