// Checks the trees over the logs: makes every tile again, of the versions or of the tiles below it, and compares; then the
// checkpoints that were signed.
import { openCheckpoint } from '../../tlog/checkpoint.ts';
import { HASH_LENGTH, leafHash, rootOf, sameHash } from '../../tlog/hashes.ts';
import { parseVerifierKey } from '../../tlog/keys.ts';
import { TILE_WIDTH, tileWidth } from '../../tlog/tiles.ts';
import { hashesOf, type HashTile, tilesOf } from '../../tlog/tree.ts';
import { isGazetteError } from '../../../../errors.ts';
import type { Finding } from '../../../../stores/contract/inspection.ts';
import { slotOf } from '../../../../stores/rows/columns.ts';
import { asBytes, asText, asTextOrNull, IS_PRESENT, type Shape, shape, table } from '../../../../stores/rows/sql.ts';
import { READABLE_ENTRY, readEntries } from '../entries.ts';
import { gatheredEntries, LOG_OF_LOGS, SIGNED } from '../log-of-logs.ts';
import type { Rule, Sql } from '../../../../stores/logic/rule.ts';
import { findingAt, mustBe } from '../../../../stores/logic/inspect/forms.ts';

const TREES = table('log_trees');
const TILES = table('log_tiles');
const REGISTERS = table('registers');

const SIZE = shape(['CAST(t.size AS text)'], ([size]) => ({ size: size === null ? null : Number(size) }));
/** A register without a version needs no tree. */
const SIZE_OF = shape(['CAST(CASE WHEN g.change = 0 THEN coalesce(t.size, 0) ELSE t.size END AS text)'], SIZE.read);
const PLACE = shape(['place'], ([place]) => Number(place));
const HASHES = shape(['hashes'], ([hashes]) => asBytes(hashes));

const LOG = shape(
  [
    ...['s.uuid', 's.origin', 's.vkey', 's.checkpoint', 'CAST(s.signed_size AS text)'],
    ...['CAST(s.logged_size AS text)', 'CAST(s.logged_place AS text)', 's.logged_checkpoint', 'g.log'],
  ],
  ([uuid, origin, vkey, checkpoint, signedSize, loggedSize, loggedPlace, listed, last]) => ({
    loggedSize: loggedSize === null ? null : Number(loggedSize),
    loggedPlace: loggedPlace === null ? null : Number(loggedPlace),
    listed: asTextOrNull(listed),
    signedSize: signedSize === null ? null : Number(signedSize),
    uuid: asText(uuid),
    isLast: last === null || last === uuid,
    origin: asTextOrNull(origin),
    vkey: asTextOrNull(vkey),
    checkpoint: asTextOrNull(checkpoint),
  }),
);

/** Where the check of a tree goes on. */
export type TreePlace = Pick<HashTile, 'level' | 'index'>;

/** The result of {@link checkTree}. */
export interface CheckedTile {
  readonly findings: readonly Finding[];
  /** The next tile; null after the last one. */
  readonly next: TreePlace | null;
}

/** A log whose tree is checked: of a register, or the log of logs. */
export interface CheckedLog {
  readonly number: number;
  readonly id: string | null;
}

/** The log of logs. */
export const THE_LOG_OF_LOGS: CheckedLog = { number: LOG_OF_LOGS, id: null };

/** Checks a tile of a log's tree; after the last one its checkpoints. */
export function* checkTree(sql: Sql, log: CheckedLog, at: TreePlace): Rule<CheckedTile> {
  const { number, id: feedId } = log;
  const found =
    feedId === null
      ? yield* sql.one(SIZE)`SELECT ${SIZE} FROM (SELECT 1 AS one) o LEFT JOIN ${TREES} t ON t.register = ${number}`
      : yield* sql.one(SIZE_OF)`SELECT ${SIZE_OF} FROM ${REGISTERS} g LEFT JOIN ${TREES} t ON t.register = g.number
          WHERE g.number = ${number} AND ${IS_PRESENT}`;
  // Removed meanwhile.
  if (found === null) return { findings: [], next: null };
  const { size } = found;
  if (size === null) {
    const place = { table: 'log_trees', row: `register ${number}`, feedId };
    return { findings: [findingAt(place, `the tree over ${nameOf(log)} is missing`)], next: null };
  }
  const width = Number.isSafeInteger(size) ? tileWidth(size, at.level, at.index) : 0;
  if (width === 0 && at.index === 0) return { findings: yield* checkSigned(sql, log, size), next: null };
  if (width === 0) return { findings: [], next: { level: at.level + 1, index: 0 } };
  const next = { level: at.level, index: at.index + 1 };
  const place = { table: 'log_tiles', row: `register ${number}, level ${at.level}, place ${at.index}`, feedId };
  const hashes = yield* storedHashes(sql, number, at);
  if (hashes?.length !== width * HASH_LENGTH) {
    const findings = [findingAt(place, mustBe('hashes', `${width} of ${HASH_LENGTH} bytes`))];
    // Of tiles that are missing in a row the first is told: a size that was overwritten asks for billions.
    return { findings, next: hashes === null ? yield* nextStored(sql, number, at) : next };
  }
  const made = at.level === 0 ? yield* leavesOf(sql, log, at.index, width) : yield* rootsBelow(sql, number, at, width);
  // What cannot be made is found by the rules of versions, and in the tiles below.
  const differs = made.findIndex((hash, n) => {
    // Nothing else checks the entries of the log of logs.
    if (hash === null) return feedId === null && at.level === 0;
    return !sameHash(hash, hashes.subarray(n * HASH_LENGTH, (n + 1) * HASH_LENGTH));
  });
  if (differs === -1) return { findings: [], next };
  const above = at.level > 0 ? 'tiles below it' : feedId === null ? 'checkpoints' : 'versions';
  const findings = [findingAt(place, mustBe('hashes', `those of the ${above}, but number ${differs + 1} is not`))];
  if (at.level === 0) {
    const index = at.index * TILE_WIDTH + differs;
    const entry =
      feedId === null
        ? { table: 'logged_checkpoints', row: `place ${index}` }
        : { table: 'versions', row: `entry ${slotOf(number, index + 1)}` };
    const what = feedId === null ? 'checkpoint' : 'version';
    findings.push(findingAt({ ...entry, feedId }, `the ${what} must be what the tree over ${nameOf(log)} was made of`));
  }
  return { findings, next };
}

function nameOf({ id }: CheckedLog): string {
  return id === null ? 'the log of logs' : `the log of register ${id}`;
}

function* storedHashes(sql: Sql, register: number, { level, index }: TreePlace): Rule<Uint8Array | null> {
  return yield* sql.one(HASHES)`SELECT ${HASHES} FROM ${TILES}
    WHERE register = ${register} AND level = ${level} AND place = ${index}`;
}

/** The next tile of this level that is stored, at a place that can be one, or the level above. */
function* nextStored(sql: Sql, register: number, { level, index }: TreePlace): Rule<TreePlace> {
  const found = yield* sql.one(PLACE)`SELECT ${PLACE} FROM ${TILES}
    WHERE register = ${register} AND level = ${level} AND place > ${index} AND place <= ${Number.MAX_SAFE_INTEGER}
    ORDER BY place LIMIT 1`;
  return found === null ? { level: level + 1, index: 0 } : { level, index: found };
}

function* leavesOf(sql: Sql, { number, id }: CheckedLog, index: number, width: number): Rule<(Uint8Array | null)[]> {
  const from = index * TILE_WIDTH;
  const hashes = Array.from({ length: width }, (): Uint8Array | null => null);
  if (id === null) {
    for (const { place, entry } of yield* gatheredEntries(sql, from, from + width))
      hashes[place - from] = leafHash(entry);
    return hashes;
  }
  for (const { change, make } of yield* readEntries(sql, READABLE_ENTRY, number, from, from + width)) {
    const entry = make();
    if (entry !== null) hashes[change - from - 1] = leafHash(entry.bytes);
  }
  return hashes;
}

function* rootsBelow(sql: Sql, register: number, at: TreePlace, width: number): Rule<(Uint8Array | null)[]> {
  const roots: (Uint8Array | null)[] = [];
  for (let child = 0; child < width; child++) {
    const hashes = yield* storedHashes(sql, register, { level: at.level - 1, index: at.index * TILE_WIDTH + child });
    roots.push(hashes?.length === TILE_WIDTH * HASH_LENGTH ? rootOf(hashes) : null);
  }
  return roots;
}

function* checkSigned(sql: Sql, { number, id: feedId }: CheckedLog, size: number): Rule<Finding[]> {
  const logs = yield* sql.all(LOG)`SELECT ${LOG} FROM ${SIGNED} s LEFT JOIN ${REGISTERS} g ON g.number = s.register
    WHERE s.register = ${number} ORDER BY s.uuid`;
  const findings: Finding[] = [];
  for (const log of logs) {
    const { uuid, origin, vkey, checkpoint, signedSize, isLast } = log;
    const isUnsigned = origin === null && vkey === null && checkpoint === null && signedSize === null;
    const signed = isUnsigned ? null : checkpointOf(origin, vkey, checkpoint);
    const place = { table: SIGNED.name, row: `uuid ${uuid}`, feedId };
    if (!(yield* isGathered(sql, log)))
      findings.push(findingAt(place, mustBe('logged_place', 'that of its checkpoint in the log of logs')));
    if (
      isUnsigned ||
      (signed !== null && signed.size === signedSize && (!isLast || (yield* isOfTree(sql, number, size, signed))))
    )
      continue;
    findings.push(findingAt(place, mustBe('checkpoint', 'of this log and its tree, and signed by the keys in vkey')));
  }
  return findings;
}

/** Whether the log of logs has what the row says that it has of this log. */
function* isGathered(
  sql: Sql,
  { origin, loggedSize, loggedPlace, listed }: typeof LOG extends Shape<infer T> ? T : never,
): Rule<boolean> {
  if (loggedSize === null && loggedPlace === null && listed === null) return true;
  if (listed?.startsWith(`${origin}\n${loggedSize}\n`) !== true || !Number.isSafeInteger(loggedPlace)) return false;
  const [found] = yield* gatheredEntries(sql, loggedPlace!, loggedPlace! + 1);
  if (found !== undefined) return listed.startsWith(`${Buffer.from(found.entry).toString()}\n`);
  // One that is missing is found in the tree.
  const tree = yield* sql.one(SIZE)`SELECT ${SIZE} FROM ${TREES} t WHERE t.register = ${LOG_OF_LOGS}`;
  return loggedPlace! < (tree?.size ?? 0);
}

/** What a checkpoint says; null when the log did not sign it. */
function checkpointOf(
  origin: string | null,
  vkey: string | null,
  checkpoint: string | null,
): { readonly size: number; readonly root: Uint8Array } | null {
  try {
    if (origin === null) return null;
    const keys = (vkey ?? '').split('\n').map(parseVerifierKey);
    const signed = openCheckpoint(checkpoint ?? '', origin, keys);
    return signed.signatures.length === keys.length ? signed : null;
  } catch (error) {
    if (isGazetteError(error, 'invalid_proof') || isGazetteError(error, 'invalid_log_key')) return null;
    throw error;
  }
}

function* isOfTree(
  sql: Sql,
  register: number,
  size: number,
  signed: { readonly size: number; readonly root: Uint8Array },
): Rule<boolean> {
  if (signed.size > size) return false;
  const ranges = [{ from: 0, to: signed.size }];
  const held = new Map<string, Uint8Array>();
  for (const tile of tilesOf(ranges, size)) {
    const hashes = yield* storedHashes(sql, register, tile);
    // A tile that is damaged is found by itself.
    if (hashes?.length !== tile.width * HASH_LENGTH) return true;
    held.set(`${tile.level}/${tile.index}`, hashes);
  }
  const [root] = hashesOf(ranges, size, ({ level, index }) => held.get(`${level}/${index}`)!);
  return sameHash(root!, signed.root);
}
