// The rules for registers. Each database implements records, pages and removal in its own way (store.ts).
import { checkOneOf } from '../../checks.ts';
import { defineRegister } from '../../register/definition.ts';
import { checkTime } from '../../register/finding/filter.ts';
import { type Order, ORDERS } from '../../register/sources/order.ts';
import { GazetteError, quote } from '../../errors.ts';
import type { RegisterDefinition } from '../../register/record.ts';
import { toEpochMs } from '../../register/time.ts';
import { type CatalogueStore, REGISTERS_PAGE_SIZE, type RegistersRange } from '../contract/catalogue.ts';
import type { NewLog } from '../contract/inspection.ts';
import type { UnderLease } from '../contract/leases.ts';
import { slotOf } from '../rows/columns.ts';
import { LOG } from '../rows/commitment.ts';
import {
  checkRegistersRange,
  definitionOf,
  definitionText,
  commitTimes,
  logName,
  REGISTER,
  registerExists,
  type RegisterRow,
  unknownFeed,
} from '../rows/register.ts';
import {
  asText,
  FOR_UPDATE,
  fragment,
  IS_PRESENT,
  numberIn,
  RANDOM_UUID,
  shape,
  table,
  withoutNul,
  GREATEST,
} from '../rows/sql.ts';
import { AFTER_CONFIGURATION } from './nodes/configuration.ts';
import { beginTerms, renewTerms } from './finding/term-state.ts';
import { Entries } from './inspect/entries.ts';
import { beginWrite } from './leases.ts';
import { checkNoMirror, MIRRORS } from './mirrors/mirrored.ts';
import { logsRenewed } from './plugins/joined.ts';
import type { Engine, Rule, Sql } from './rule.ts';
import { beginCounts, renewCounts } from './values.ts';

const REGISTERS = table('registers');
const LOGS = table('logs');
const REMOVED_REGISTERS = table('removed_registers');
const VERSIONS = table('versions');

const LAST_MODIFIED = numberIn('last_modified');
const COUNT = numberIn('count(*)');

/**
 * By a number: `last_change` is written in the zone of who made the change. One that never changed may have a
 * `last_modified` too, that of a register removed before.
 */
const LATEST_FIRST = fragment`CASE WHEN last_change IS NULL THEN 0 ELSE last_modified END DESC, id`;

/** Definitions are canonical JSON, in which no text has an unescaped quotation mark: only a member is written so. */
const HAS_PRICES = fragment`definition LIKE '%"prices":{%'`;

/** A character after all those of ids. */
const END_OF_IDS = '\u007f';

/** A register in a walk: a damaged definition does not say its id. */
interface Listed {
  readonly id: string;
  readonly head: RegisterRow;
}

const LISTED = shape(['id', ...REGISTER.columns], ([id, ...head]): Listed => ({
  id: asText(id),
  head: REGISTER.read(head),
}));

/** The members of a definition of which permanent ids are made. */
const IDENTITY = ['uuid', 'authority', 'year'] as const;

/**
 * Creates an empty register, unless the id or the uuid is taken: a definition that was copied from another register still
 * has its uuid, and two feeds must not have the same id.
 *
 * @param definition with a uuid
 * @param log the UUID of its log
 * @param secret 32 random bytes, for the keys of rows
 * @returns null while a register with this id is being removed
 * @throws GazetteError `register_exists`, `invalid_definition` for the uuid of another register
 */
export function* createRegister(
  sql: Sql,
  definition: RegisterDefinition,
  order: Order | null,
  log: string,
  secret: Uint8Array,
): Rule<RegisterRow | null> {
  const { id: feedId, uuid } = definition;
  if (order !== null) checkOneOf('order', order, ORDERS);
  const made = yield* sql.one(REGISTER)`INSERT INTO ${REGISTERS} (id, uuid, definition, import_order, log, row_secret)
    VALUES (${feedId}, ${uuid}, ${definitionText(definition)}, ${order}, ${log}, ${secret}) ON CONFLICT DO NOTHING RETURNING ${REGISTER}`;
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
  const after = yield* sql.one(
    REGISTER,
  )`UPDATE ${REGISTERS} SET is_successor = 1, last_modified = ${GREATEST}(${date + 1}, ${AFTER_CONFIGURATION})
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

/** What registers there are. */
export function catalogueOn(engine: Engine): CatalogueStore {
  const entries = new Entries();
  const limit = REGISTERS_PAGE_SIZE;
  return {
    async page(range) {
      checkRegistersRange(range);
      if (range.updatedSince !== undefined) checkTime('updated_since', range.updatedSince);
      const heads = await engine.read(registersIn, range);
      const nextOffset = heads.length > range.limit ? range.offset + range.limit : null;
      return { registers: entries.of(heads.slice(0, range.limit)), nextOffset };
    },
    async *walk(which = {}) {
      for (let after = '', isLast = false; !isLast;) {
        const listed = await engine.read(registersAfter, { ...which, after, limit });
        isLast = listed.length < limit;
        after = listed.at(-1)?.id ?? after;
        const registers = entries.of(listed.map(({ head }) => head));
        if (registers.length > 0) yield registers;
      }
    },
    count: () => engine.read(countRegisters),
  };
}

/**
 * Some registers, and one more than were asked for, if there is one. There is no index of the times at which registers
 * changed: it would have to be written with every commit.
 */
function* registersIn(sql: Sql, range: RegistersRange): Rule<RegisterRow[]> {
  const { offset, limit, updatedSince, startsWith = '', latestFirst = false } = range;
  const since = updatedSince === undefined ? 0 : Math.floor(toEpochMs(updatedSince) / 1000);
  // PostgreSQL takes no U+0000. Ids have only characters below U+007F.
  const from = startsWith.includes('\0') ? END_OF_IDS : startsWith;
  const end = from + END_OF_IDS;
  if (latestFirst) {
    // Sorted without their definitions.
    return yield* sql.all(
      REGISTER,
    )`SELECT ${REGISTER} FROM ${REGISTERS} WHERE number IN (SELECT number FROM ${REGISTERS}
      WHERE ${IS_PRESENT} AND last_modified >= ${since} AND id >= ${from} AND id < ${end}
      ORDER BY ${LATEST_FIRST} LIMIT ${limit + 1} OFFSET ${offset}) ORDER BY ${LATEST_FIRST}`;
  }
  if (updatedSince !== undefined) {
    return yield* sql.all(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
      WHERE ${IS_PRESENT} AND last_modified >= ${since} AND id >= ${from} AND id < ${end}
      ORDER BY id LIMIT ${limit + 1} OFFSET ${offset}`;
  }
  // The registers that are passed over are counted in an index, and not read.
  return yield* sql.all(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE ${IS_PRESENT} AND id < ${end} AND id >= coalesce((SELECT id FROM ${REGISTERS}
      WHERE ${IS_PRESENT} AND id >= ${from} AND id < ${end} ORDER BY id LIMIT 1 OFFSET ${offset}), ${END_OF_IDS})
    ORDER BY id LIMIT ${limit + 1}`;
}

/** The registers after an id, by id. */
function* registersAfter(
  sql: Sql,
  {
    after,
    limit,
    withPrices = false,
  }: { readonly after: string; readonly limit: number; readonly withPrices?: boolean },
): Rule<Listed[]> {
  if (withPrices) {
    return yield* sql.all(LISTED)`SELECT ${LISTED} FROM ${REGISTERS}
      WHERE ${IS_PRESENT} AND id > ${after} AND ${HAS_PRICES} ORDER BY id LIMIT ${limit}`;
  }
  return yield* sql.all(LISTED)`SELECT ${LISTED} FROM ${REGISTERS}
    WHERE ${IS_PRESENT} AND id > ${after} ORDER BY id LIMIT ${limit}`;
}

function* countRegisters(sql: Sql): Rule<number> {
  return (yield* sql.one(COUNT)`SELECT ${COUNT} FROM ${REGISTERS} WHERE ${IS_PRESENT}`)!;
}

/** Replaces a register's definition, once it is checked; an equal one changes nothing. */
export function* updateRegister(
  sql: Sql,
  definition: RegisterDefinition,
  { recordedAt, ...under }: { readonly recordedAt: string } & UnderLease,
): Rule<RegisterRow> {
  const feedId = definition.id;
  // Locked: the times of the register must not go back, and importers write them too.
  const before = yield* sql.one(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} ${FOR_UPDATE}`;
  if (before === null) throw unknownFeed(feedId);
  yield* checkNoMirror(sql, feedId);
  yield* beginWrite(sql, feedId, before.number, under);
  return yield* changeDefinition(sql, before, definition, recordedAt);
}

/** Replaces the definition of a register that is locked. */
export function* changeDefinition(
  sql: Sql,
  before: RegisterRow,
  definition: RegisterDefinition,
  recordedAt: string,
): Rule<RegisterRow> {
  const text = definitionText(keepIdentity(definitionOf(before), defineRegister(definition)));
  if (before.definition === text) return before;
  const times = commitTimes(before, recordedAt);
  const after = yield* sql.one(
    REGISTER,
  )`UPDATE ${REGISTERS} SET definition = ${text}, definition_version = definition_version + 1,
    last_change = ${times.recordedAt}, last_modified = ${GREATEST}(${times.lastModified}, ${AFTER_CONFIGURATION})
    WHERE number = ${before.number} RETURNING ${REGISTER}`;
  yield* renewTerms(sql, before.number, definitionOf(after!), before.top);
  yield* renewCounts(sql, before.number, definitionOf(after!));
  return after!;
}

/** @throws GazetteError `invalid_definition` for a definition with other permanent ids */
export function keepIdentity(before: RegisterDefinition, after: RegisterDefinition): RegisterDefinition {
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

/**
 * Gives every register, or one, a new log: what the store recorded after it was backed up is unknown here, and its change numbers
 * will be given again to other changes. Mirrors have the numbers of their sources, which give them the same changes again.
 *
 * @throws GazetteError `register_busy` for one that is a mirror
 */
export function* beginNewLogs(sql: Sql, at: string, feedId?: string): Rule<readonly NewLog[]> {
  if (feedId === undefined) yield* logsRenewed(sql);
  else yield* checkNoMirror(sql, feedId);
  // Locked: others write to the log that they find in the row.
  const heads = yield* sql.all(REGISTER)`SELECT ${REGISTER} FROM ${REGISTERS}
    WHERE ${IS_PRESENT} AND id = coalesce(${feedId ?? null}, id) AND number NOT IN (SELECT register FROM ${MIRRORS})
    ORDER BY number ${FOR_UPDATE}`;
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
      SET log = ${log!.uuid}, is_successor = 1,
      last_modified = ${GREATEST}(${lastModified}, ${AFTER_CONFIGURATION}) WHERE number = ${number} RETURNING ${REGISTER}`;
    const wasUnused = written !== null && written.uuid !== head.log;
    begun.push({ feedId: definitionOf(head).id, before: logName(head), log: logName(after!), wasUnused });
  }
  return begun;
}
