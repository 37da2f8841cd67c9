// The rules of logs put together as a store of logs (contract/proofs/logs.ts).
import { parseCheckpoint } from '../../../proofs/checkpoint.ts';
import { HASH_LENGTH } from '../../../proofs/hashes.ts';
import { parseNote } from '../../../proofs/note.ts';
import { TILE_WIDTH } from '../../../proofs/tiles.ts';
import type { HashTile } from '../../../proofs/tree.ts';
import type { LogStore, NewCheckpoint, ProvedVersion, RegisterLog } from '../../contract/proofs/logs.ts';
import { SLOT_SPAN, slotOf } from '../../rows/columns.ts';
import { feedIdOf, unknownFeed } from '../../rows/register.ts';
import {
  asBytesOrNull,
  asNumber,
  asNumberOrNull,
  asText,
  asTextOrNull,
  FOR_UPDATE,
  IS_PRESENT,
  numberIn,
  shape,
  table,
  withoutNul,
} from '../../rows/sql.ts';
import type { Engine, Rule, Sql } from '../rule.ts';
import { entriesOf } from './entries.ts';
import { gather, gatheredEntries, LOG_OF_LOGS, logOfLogs } from './log-of-logs.ts';
import { buildTree, incompleteTrees, storedTiles } from './log-tree.ts';

const REGISTERS = table('registers');
const LOGS = table('logs');
const TREES = table('log_trees');
const VERSIONS = table('versions');
const RECORDS = table('records');
const WITHDRAWN = table('withdrawn');

const NUMBER = numberIn('number');
const REGISTER_NUMBER = numberIn('register');

const LOG_OF = shape(
  [
    ...['g.id', 'g.log', 'g.change', 't.size', 'l.origin', 'l.vkey', 'l.checkpoint'],
    'CASE WHEN l.logged_size = l.signed_size THEN l.logged_place END',
  ],
  ([feedId, uuid, changes, size, origin, vkey, checkpoint, place]): RegisterLog => ({
    feedId: asText(feedId),
    uuid: asText(uuid),
    changes: asNumber(changes),
    size: asNumber(size),
    origin: asTextOrNull(origin),
    vkey: asTextOrNull(vkey),
    checkpoint: asTextOrNull(checkpoint),
    place: asNumberOrNull(place),
  }),
);

const VERSION = shape(['v.entry', 'v.version', 'v.salt', 'l.uuid'], ([entry, version, salt, log]) => ({
  entry: asNumber(entry),
  version: asNumber(version),
  salt: asBytesOrNull(salt),
  log: asText(log),
}));

/** The logs of a store. */
export function logsOn(engine: Engine, { isOpen }: { readonly isOpen: () => boolean }): LogStore {
  return {
    all: () => engine.read(allLogs),
    // A service looks at intervals, and may be left alone by those who close its store.
    unsigned: async () => (isOpen() ? engine.read(unsignedLogs) : []),
    of: (feedId) => engine.read(logOf, feedId),
    ofLogs: () => engine.read(logOfLogs),
    gather: async () => (isOpen() ? engine.write(gather) : 0),
    incomplete: async () => (isOpen() ? engine.read(incompleteTrees) : []),
    build: (feedId) => engine.write(buildTree, feedId),
    tiles: (feedId, tiles) => engine.read(tilesOf, feedId, tiles),
    entries: (feedId, from, count) => engine.read(entriesFrom, feedId, from, count),
    publish: (feedId, checkpoint) => engine.write(publish, feedId, checkpoint),
    provedChanges: (feedId, since, count) => engine.read(provedChanges, feedId, since, count),
    proved: (recordId, version) => engine.read(provedVersion, recordId, version),
  };
}

function* allLogs(sql: Sql): Rule<readonly RegisterLog[]> {
  return yield* sql.all(LOG_OF)`SELECT ${LOG_OF} FROM ${REGISTERS} g JOIN ${TREES} t ON t.register = g.number
    JOIN ${LOGS} l ON l.uuid = g.log WHERE ${IS_PRESENT} ORDER BY g.id`;
}

function* unsignedLogs(sql: Sql): Rule<readonly RegisterLog[]> {
  return yield* sql.all(LOG_OF)`SELECT ${LOG_OF} FROM ${REGISTERS} g JOIN ${TREES} t ON t.register = g.number
    JOIN ${LOGS} l ON l.uuid = g.log WHERE ${IS_PRESENT} AND t.size = g.change
      AND (l.signed_size IS NULL OR l.signed_size <> t.size) ORDER BY g.id`;
}

function* logOf(sql: Sql, feedId: string): Rule<RegisterLog> {
  const log = yield* sql.one(LOG_OF)`SELECT ${LOG_OF} FROM ${REGISTERS} g JOIN ${TREES} t ON t.register = g.number
    JOIN ${LOGS} l ON l.uuid = g.log WHERE g.id = ${withoutNul(feedId)} AND ${IS_PRESENT}`;
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

function* tilesOf(sql: Sql, feedId: string | null, tiles: readonly HashTile[]): Rule<(Uint8Array | null)[]> {
  const stored = yield* storedTiles(sql, yield* numberOf(sql, feedId), tiles);
  return tiles.map(({ level, index, width }) => {
    const hashes = stored.find((tile) => tile.level === level && tile.index === index)?.hashes;
    // A partial tile begins with all that it ever was.
    return hashes === undefined || hashes.length < width * HASH_LENGTH ? null : hashes.subarray(0, width * HASH_LENGTH);
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
  const stored = yield* sql.run`UPDATE ${LOGS} SET origin = ${origin}, vkey = ${vkey}, checkpoint = ${checkpoint},
    signed_size = ${size}
    WHERE uuid = ${uuid}`;
  return stored === 1;
}

function* provedVersion(sql: Sql, recordId: string, version: number | null): Rule<ProvedVersion | null> {
  const id = withoutNul(recordId);
  const number = yield* sql.one(NUMBER)`SELECT ${NUMBER} FROM ${REGISTERS}
    WHERE id = ${feedIdOf(id)} AND ${IS_PRESENT}`;
  if (number === null) return null;
  const found = yield* sql.one(VERSION)`SELECT ${VERSION} FROM ${VERSIONS} v JOIN ${LOGS} l ON l.number = v.log
    WHERE v.slot = (SELECT slot FROM ${RECORDS} WHERE id = ${id} UNION ALL SELECT slot FROM ${WITHDRAWN} WHERE id = ${id})
      AND v.version <= CAST(${version ?? SLOT_SPAN} AS bigint) ORDER BY v.version DESC LIMIT 1`;
  if (found === null || (version !== null && found.version !== version)) return null;
  const change = found.entry % SLOT_SPAN;
  return (yield* provedFrom(sql, number, change - 1, change))[0]!;
}

function* provedChanges(sql: Sql, feedId: string, since: number, count: number): Rule<ProvedVersion[]> {
  return yield* provedFrom(sql, yield* numberOf(sql, feedId), since, since + Math.min(count, TILE_WIDTH));
}

/** What proves the changes above `from`, up to `to`. */
function* provedFrom(sql: Sql, number: number, from: number, to: number): Rule<ProvedVersion[]> {
  const found = yield* sql.all(VERSION)`SELECT ${VERSION} FROM ${VERSIONS} v JOIN ${LOGS} l ON l.number = v.log
    WHERE v.entry > ${slotOf(number, from)} AND v.entry <= ${slotOf(number, to)} ORDER BY v.entry`;
  const made = yield* entriesOf(sql, number, from, to);
  return found.map(({ entry, version, salt, log }, at) => {
    const { bytes, recordSalt } = made[at]!;
    return { change: entry % SLOT_SPAN, version, entry: bytes, log, salt, recordSalt };
  });
}
