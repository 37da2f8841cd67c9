// The rules of logs put together as a store of logs (contract/logs.ts).
import { parseCheckpoint } from '../tlog/checkpoint.ts';
import { HASH_LENGTH } from '../tlog/hashes.ts';
import { parseNote } from '../tlog/note.ts';
import { TILE_WIDTH } from '../tlog/tiles.ts';
import type { HashTile } from '../tlog/tree.ts';
import type { LogStore, NewCheckpoint, ProvedVersion, RegisterLog } from './contract/logs.ts';
import { SLOT_SPAN } from '../../../stores/rows/columns.ts';
import { unknownFeed } from '../../../stores/rows/register.ts';
import {
  asBytesOrNull,
  asNumber,
  asText,
  asTextOrNull,
  EACH_TEXT,
  FOR_UPDATE,
  fragment,
  IS_PRESENT,
  numberIn,
  shape,
  table,
  withoutNul,
} from '../../../stores/rows/sql.ts';
import type { Engine, Rule, Sql } from '../../../stores/logic/rule.ts';
import { entriesOf, provedEntries, provedPositions, provedVersion } from './entries.ts';
import { beginLogOfLogs, gather, gatheredEntries, LOG_OF_LOGS, logOfLogs, namesOf, SIGNED } from './log-of-logs.ts';
import { storedTiles } from './log-tree.ts';

const MIRRORS = table('mirrors');
const REGISTERS = table('registers');
const TREES = table('log_trees');
const TILES = table('log_tiles');

const NUMBER = numberIn('number');
const REGISTER_NUMBER = numberIn('register');

const LOG_OF = shape(
  [
    'g.id',
    'g.log',
    'coalesce(t.size, 0)',
    's.origin',
    's.vkey',
    's.checkpoint',
    's.logged_place',
    's.logged_checkpoint',
  ],
  ([feedId, uuid, size, origin, vkey, checkpoint, place, listed]): RegisterLog => ({
    feedId: asText(feedId),
    uuid: asText(uuid),
    size: asNumber(size),
    ...namesOf(asTextOrNull(origin)),
    vkey: asTextOrNull(vkey),
    checkpoint: asTextOrNull(checkpoint),
    listed: place === null ? null : { place: asNumber(place), checkpoint: asText(listed) },
  }),
);

/** Registers, with the trees of those that ever had a version, and the logs of those that were signed. */
const OF_REGISTERS = fragment`${REGISTERS} g LEFT JOIN ${TREES} t ON t.register = g.number
    LEFT JOIN ${SIGNED} s ON s.uuid = g.log`;

/** The place of a tile in its tree as one text: two digits for its level, and its index there. */
function placeOf({ level, index }: Pick<HashTile, 'level' | 'index'>): string {
  return String(level).padStart(2, '0') + String(index);
}

const PLACED = shape(['p.value'], ([place, hashes]) => [asText(place), asBytesOrNull(hashes)] as const);

/** The hashes of a tile of the register `g`, at a place `p`. */
const HASHES = fragment`(SELECT t.hashes FROM ${TILES} t WHERE t.register = g.number
  AND t.level = CAST(substr(p.value, 1, 2) AS bigint) AND t.place = CAST(substr(p.value, 3) AS bigint))`;

/** The logs of a store. @param isOpen whether it was not closed */
export function logsOn(engine: Engine, isOpen: () => boolean): LogStore {
  return {
    all: () => engine.read(allLogs),
    // A service looks at intervals, and may be left alone by those who close its store.
    unsigned: async () => (isOpen() ? engine.read(unsignedLogs) : []),
    of: (feedId) => engine.read(logOf, feedId),
    ofLogs: () => engine.read(logOfLogs),
    beginOfLogs: () => engine.write(beginLogOfLogs),
    gather: async (feedIds) => (isOpen() ? engine.write(gather, feedIds ?? null) : 0),
    tiles: (feedId, tiles) => engine.read(tilesOf, feedId, tiles),
    entries: (feedId, from, count) => engine.read(entriesFrom, feedId, from, count),
    publish: (feedId, checkpoint) => engine.write(publish, feedId, checkpoint),
    provedChanges: (feedId, since, count) => engine.read(provedChanges, feedId, since, count),
    provedRecords: (feedId, from, to) => engine.read(provedRecords, feedId, from, to),
    proved: (recordId, version) => engine.read(proved, recordId, version),
  };
}

function* allLogs(sql: Sql): Rule<readonly RegisterLog[]> {
  return yield* sql.all(LOG_OF)`SELECT ${LOG_OF} FROM ${OF_REGISTERS} WHERE ${IS_PRESENT} ORDER BY g.id`;
}

function* unsignedLogs(sql: Sql): Rule<readonly RegisterLog[]> {
  return yield* sql.all(LOG_OF)`SELECT ${LOG_OF} FROM ${OF_REGISTERS}
    WHERE ${IS_PRESENT} AND (s.signed_size IS NULL OR s.signed_size <> coalesce(t.size, 0))
      AND g.number NOT IN (SELECT register FROM ${MIRRORS}) ORDER BY g.id`;
}

function* logOf(sql: Sql, feedId: string): Rule<RegisterLog> {
  const log = yield* sql.one(LOG_OF)`SELECT ${LOG_OF} FROM ${OF_REGISTERS}
    WHERE g.id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (log === null) throw unknownFeed(feedId);
  return log;
}

function* numberOf(sql: Sql, feedId: string | null): Rule<number> {
  if (feedId === null) return LOG_OF_LOGS;
  const number = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
  if (number === null) throw unknownFeed(feedId);
  return number;
}

/** One statement: a proof waits for it. */
function* tilesOf(sql: Sql, feedId: string | null, tiles: readonly HashTile[]): Rule<(Uint8Array | null)[]> {
  const held = new Map<string, Uint8Array | null>();
  if (feedId === null || tiles.length === 0) {
    const stored = yield* storedTiles(sql, yield* numberOf(sql, feedId), tiles);
    for (const tile of stored) held.set(placeOf(tile), tile.hashes);
  } else {
    const places = JSON.stringify(tiles.map(placeOf));
    const found = yield* sql.all(PLACED)`SELECT ${PLACED}, ${HASHES} FROM ${REGISTERS} g, ${EACH_TEXT}(${places}) AS p
      WHERE g.id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
    if (found.length === 0) throw unknownFeed(feedId);
    for (const [place, hashes] of found) held.set(place, hashes);
  }
  return tiles.map((tile) => {
    const hashes = held.get(placeOf(tile)) ?? null;
    // A partial tile begins with all that it ever was.
    const length = tile.width * HASH_LENGTH;
    return hashes === null || hashes.length < length ? null : hashes.subarray(0, length);
  });
}

function* entriesFrom(sql: Sql, feedId: string | null, from: number, count: number): Rule<Uint8Array[]> {
  if (feedId === null) return (yield* gatheredEntries(sql, from, from + count)).map(({ entry }) => entry);
  const number = yield* numberOf(sql, feedId);
  return (yield* entriesOf(sql, number, from, from + Math.min(count, TILE_WIDTH))).map(({ bytes }) => bytes);
}

function* publish(
  sql: Sql,
  feedId: string | null,
  { uuid, origin, vkey, checkpoint, before }: NewCheckpoint,
): Rule<boolean> {
  const { size } = parseCheckpoint(parseNote(checkpoint).text);
  // Locked: it may be given another log.
  const number =
    feedId === null
      ? yield* sql.one(
          REGISTER_NUMBER,
        )`SELECT ${REGISTER_NUMBER} FROM ${TREES} WHERE register = ${LOG_OF_LOGS} ${FOR_UPDATE}`
      : yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
          WHERE id = ${withoutNul(feedId)} AND ${IS_PRESENT} AND log = ${uuid} ${FOR_UPDATE}`;
  if (number === null) return false;
  const log = feedId === null ? yield* logOfLogs(sql) : yield* logOf(sql, feedId);
  if (log.uuid !== uuid) return false;
  if (log.checkpoint !== before || log.size < size || (log.origin ?? origin) !== origin) return false;
  yield* sql.run`INSERT INTO ${SIGNED} AS o (uuid, register, origin, vkey, checkpoint, signed_size)
    VALUES (${uuid}, ${number}, ${origin}, ${vkey}, ${checkpoint}, ${size}) ON CONFLICT (uuid) DO UPDATE
    SET origin = excluded.origin, vkey = excluded.vkey, checkpoint = excluded.checkpoint, signed_size = excluded.signed_size,
      logged_checkpoint = CASE WHEN o.logged_size = excluded.signed_size THEN excluded.checkpoint
        ELSE o.logged_checkpoint END`;
  return true;
}

function* proved(sql: Sql, recordId: string, version: number | null): Rule<ProvedVersion | null> {
  const found = yield* provedVersion(sql, recordId, version ?? SLOT_SPAN);
  return version === null || found?.version === version ? found : null;
}

function* provedChanges(sql: Sql, feedId: string, since: number, count: number): Rule<ProvedVersion[]> {
  return yield* provedEntries(sql, yield* numberOf(sql, feedId), since, since + Math.min(count, TILE_WIDTH));
}

function* provedRecords(sql: Sql, feedId: string, from: number, to: number): Rule<ProvedVersion[]> {
  return yield* provedPositions(sql, yield* numberOf(sql, feedId), from, to);
}
