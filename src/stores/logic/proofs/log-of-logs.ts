// The log of logs: its entries are the signed checkpoints of the registers' logs, without their signatures, in the order in which
// they were gathered. Its tree and its row stand among those of the registers, under a number that no register has.
import { parseNote } from '../../../proofs/note.ts';
import { TILE_WIDTH } from '../../../proofs/tiles.ts';
import type { StoredLog } from '../../contract/proofs/logs.ts';
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
} from '../../rows/sql.ts';
import { bytes, Table, whole } from '../../rows/table.ts';
import { keyedTable, type KeyedTable, type Rule, type Sql } from '../rule.ts';
import { addEntries } from './log-tree.ts';

/** The number that the log of logs has in place of a register's. */
export const LOG_OF_LOGS = 0;

const REGISTERS = table('registers');
const LOGS = table('logs');
const TREES = table('log_trees');
const TILES = table('log_tiles');
const CHECKPOINTS = new Table('logged_checkpoints', { place: whole(0), entry: bytes(1, 65_535) }, { key: ['place'] });

const SIZE = numberIn('size');

/** How many checkpoints are gathered at once. */
const GATHER_AT_ONCE = 512;

const LOG_OF = shape(
  ['l.uuid', 't.size', 'l.origin', 'l.vkey', 'l.checkpoint'],
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

const NEW = shape(['l.number', 'l.checkpoint', 'l.signed_size'], ([number, checkpoint, size]) => ({
  number: asNumber(number),
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
export const LOG_OF_LOGS_TABLES: readonly Table[] = [CHECKPOINTS];
export const LOG_OF_LOGS_ROWS: Fragment = fragment`
INSERT INTO ${TREES} (register, size) VALUES (${LOG_OF_LOGS}, 0);
INSERT INTO ${LOGS} (register, uuid) VALUES (${LOG_OF_LOGS}, ${RANDOM_UUID});`;

/** The log of logs. */
export function* logOfLogs(sql: Sql): Rule<StoredLog> {
  const log = yield* sql.one(LOG_OF)`SELECT ${LOG_OF} FROM ${LOGS} l JOIN ${TREES} t ON t.register = l.register
    WHERE l.register = ${LOG_OF_LOGS}`;
  return log!;
}

/** Adds checkpoints that it lacks. @param feedIds of these registers; null: of all @returns how many */
export function* gather(sql: Sql, feedIds: readonly string[] | null): Rule<number> {
  // Locked: others may gather too.
  const size = yield* sql.one(SIZE)`SELECT ${SIZE} FROM ${TREES} WHERE register = ${LOG_OF_LOGS} ${FOR_UPDATE}`;
  const found = yield* sql.all(NEW)`SELECT ${NEW} FROM ${REGISTERS} g JOIN ${LOGS} l ON l.uuid = g.log
    WHERE ${IS_PRESENT} AND l.signed_size IS NOT NULL AND (l.logged_size IS NULL OR l.logged_size <> l.signed_size)
      AND (${feedIds === null ? 1 : 0} = 1 OR g.id IN (SELECT e.value FROM ${EACH_TEXT}(${JSON.stringify(feedIds ?? [])}) AS e))
    ORDER BY l.number LIMIT ${GATHER_AT_ONCE}`;
  if (size === null || found.length === 0) return 0;
  const entries = found.map(({ checkpoint }) => Buffer.from(parseNote(checkpoint).text));
  yield* sql.put(
    ENTRIES,
    entries.map((entry, at) => [size + at, entry]),
  );
  for (const [at, log] of found.entries()) {
    // One that was signed again meanwhile is gathered the next time.
    yield* sql.run`UPDATE ${LOGS} SET logged_size = ${log.size}, logged_place = ${size + at},
      logged_checkpoint = ${log.checkpoint} WHERE number = ${log.number}`;
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
  yield* sql.run`UPDATE ${LOGS} SET logged_size = NULL, logged_place = NULL, logged_checkpoint = NULL
    WHERE logged_size IS NOT NULL`;
  yield* sql.run`UPDATE ${LOGS} SET uuid = ${RANDOM_UUID}, origin = NULL, vkey = NULL, checkpoint = NULL,
    signed_size = NULL WHERE register = ${LOG_OF_LOGS}`;
}
