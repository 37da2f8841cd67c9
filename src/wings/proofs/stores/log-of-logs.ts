// What is signed of logs. And the log of logs: its entries are the signed checkpoints of the registers' logs, without their
// signatures, in the order in which they were gathered. Its tree and its row stand among those of the registers, under a number
// that no register has.
import { parseNote } from '../tlog/note.ts';
import { TILE_WIDTH } from '../tlog/tiles.ts';
import type { StoredLog } from './contract/logs.ts';
import {
  asBytes,
  asNumber,
  asText,
  asTextOrNull,
  EACH_TEXT,
  FOR_UPDATE,
  type Fragment,
  fragment,
  IS_PRESENT,
  numberIn,
  RANDOM_UUID,
  shape,
  table,
} from '../../../stores/rows/sql.ts';
import { bytes, index, orNull, small, Table, TEXT, whole } from '../../../stores/rows/table.ts';
import { keyedTable, type KeyedTable, type Rule, type Sql } from '../../../stores/logic/rule.ts';
import { UUID } from '../../../stores/logic/schema/register-tables.ts';
import { addEntries } from './log-tree.ts';

/** The number that the log of logs has in place of a register's. */
export const LOG_OF_LOGS = 0;

const REGISTERS = table('registers');
const TREES = table('log_trees');
const TILES = table('log_tiles');

/** The signed logs: of registers, by their UUIDs in the table `logs`, with what the log of logs has of them; and that one. */
export const SIGNED: Table = new Table(
  'signed_logs',
  {
    uuid: UUID,
    register: small(0),
    origin: orNull(TEXT),
    vkey: orNull(TEXT),
    checkpoint: orNull(TEXT),
    signed_size: orNull(whole(0)),
    logged_size: orNull(whole(0)),
    logged_place: orNull(whole(0)),
    logged_checkpoint: orNull(TEXT),
  },
  { key: ['uuid'], isKeyed: true, indexes: [index('signed_logs_register', '(register)')] },
);

const CHECKPOINTS = new Table('logged_checkpoints', { place: whole(0), entry: bytes(1, 65_535) }, { key: ['place'] });

const SIZE = numberIn('size');

/** How many checkpoints are gathered at once. */
const GATHER_AT_ONCE = 512;

const LOG_OF = shape(
  ['s.uuid', 't.size', 's.origin', 's.vkey', 's.checkpoint'],
  ([uuid, size, origin, vkey, checkpoint]): StoredLog => ({
    feedId: null,
    uuid: asText(uuid),
    size: asNumber(size),
    ...namesOf(asTextOrNull(origin)),
    vkey: asTextOrNull(vkey),
    checkpoint: asTextOrNull(checkpoint),
  }),
);

/** A log's origin, and the last part of it. */
export function namesOf(origin: string | null): Pick<StoredLog, 'origin' | 'name'> {
  return { origin, name: origin?.slice(origin.lastIndexOf('/') + 1) ?? null };
}

const NEW = shape(['s.uuid', 's.checkpoint', 's.signed_size'], ([uuid, checkpoint, size]) => ({
  uuid: asText(uuid),
  checkpoint: asText(checkpoint),
  size: asNumber(size),
}));

/** An entry of it. */
export interface GatheredEntry {
  /** From 0. */
  readonly place: number;
  readonly entry: Uint8Array;
}

/** The table of its entries. */
const ENTRIES: KeyedTable<GatheredEntry> = keyedTable(CHECKPOINTS, ([place, entry]) => ({
  place: asNumber(place),
  entry: asBytes(entry),
}));

/** The table of its entries, and its rows in those of the other logs. */
export const LOG_OF_LOGS_TABLES: readonly Table[] = [SIGNED, CHECKPOINTS];
export const LOG_OF_LOGS_ROWS: Fragment = fragment`
INSERT INTO ${TREES} (register, size) VALUES (${LOG_OF_LOGS}, 0);
INSERT INTO ${SIGNED} (uuid, register) VALUES (${RANDOM_UUID}, ${LOG_OF_LOGS});`;

/** The log of logs. */
export function* logOfLogs(sql: Sql): Rule<StoredLog> {
  const log = yield* sql.one(LOG_OF)`SELECT ${LOG_OF} FROM ${SIGNED} s JOIN ${TREES} t ON t.register = s.register
    WHERE s.register = ${LOG_OF_LOGS}`;
  return log!;
}

/** Adds checkpoints that it lacks. @param feedIds of these registers; null: of all @returns how many */
export function* gather(sql: Sql, feedIds: readonly string[] | null): Rule<number> {
  // Locked: others may gather too.
  const size = yield* sql.one(SIZE)`SELECT ${SIZE} FROM ${TREES} WHERE register = ${LOG_OF_LOGS} ${FOR_UPDATE}`;
  const found = yield* sql.all(NEW)`SELECT ${NEW} FROM ${REGISTERS} g JOIN ${SIGNED} s ON s.uuid = g.log
    WHERE ${IS_PRESENT} AND s.signed_size IS NOT NULL AND (s.logged_size IS NULL OR s.logged_size <> s.signed_size)
      AND (${feedIds === null ? 1 : 0} = 1 OR g.id IN (SELECT e.value FROM ${EACH_TEXT}(${JSON.stringify(feedIds ?? [])}) AS e))
    ORDER BY g.number LIMIT ${GATHER_AT_ONCE}`;
  if (size === null || found.length === 0) return 0;
  const entries = found.map(({ checkpoint }) => Buffer.from(parseNote(checkpoint).text));
  yield* sql.put(
    ENTRIES,
    entries.map((entry, at) => [size + at, entry]),
  );
  for (const [at, log] of found.entries()) {
    // One that was signed again meanwhile is gathered the next time.
    yield* sql.run`UPDATE ${SIGNED} SET logged_size = ${log.size}, logged_place = ${size + at},
      logged_checkpoint = ${log.checkpoint} WHERE uuid = ${log.uuid}`;
  }
  yield* sql.run`UPDATE ${TREES} SET size = ${size + found.length} WHERE register = ${LOG_OF_LOGS}`;
  yield* addEntries(sql, LOG_OF_LOGS, size, entries);
  return found.length;
}

/** Its entries with places from `from` to before `to`, in their order. */
export function* gatheredEntries(sql: Sql, from: number, to: number): Rule<GatheredEntry[]> {
  const places = Array.from({ length: Math.min(to - from, TILE_WIDTH) }, (_, at) => [from + at]);
  return (yield* sql.get(ENTRIES, places)).sort((a, b) => a.place - b.place);
}

/** Begins it again, under another UUID, for a store that was restored: it gave others to other places. */
export function* beginLogOfLogs(sql: Sql): Rule<void> {
  yield* sql.run`UPDATE ${TREES} SET size = 0 WHERE register = ${LOG_OF_LOGS}`;
  yield* sql.run`DELETE FROM ${TILES} WHERE register = ${LOG_OF_LOGS}`;
  yield* sql.run`DELETE FROM ${CHECKPOINTS}`;
  yield* sql.run`UPDATE ${SIGNED} SET logged_size = NULL, logged_place = NULL, logged_checkpoint = NULL
    WHERE logged_size IS NOT NULL`;
  yield* sql.run`UPDATE ${SIGNED} SET uuid = ${RANDOM_UUID}, origin = NULL, vkey = NULL, checkpoint = NULL,
    signed_size = NULL WHERE register = ${LOG_OF_LOGS}`;
}
