// The tree over a register's log (RFC 6962), kept as the tiles by which it is served. Those who write a register hold its
// lock and add their versions in the same transaction.
import { GazetteError } from '../../../errors.ts';
import { HASH_LENGTH, leafHash } from '../tlog/hashes.ts';
import { edgeOf, TreeGrowth } from '../tlog/growth.ts';
import { TILE_WIDTH, tilePath } from '../tlog/tiles.ts';
import type { HashTile } from '../tlog/tree.ts';
import { SLOT_SPAN } from '../../../stores/rows/columns.ts';
import { asBytes, asNumber, Fragment, numberIn } from '../../../stores/rows/sql.ts';
import { bytes, Table, whole } from '../../../stores/rows/table.ts';
import { isJoined } from '../../../stores/logic/plugins/joined.ts';
import {
  type Commit,
  type ErasedRecord,
  type FirstVersions,
  keyedTable,
  type KeyedTable,
  type Rule,
  type Sql,
} from '../../../stores/logic/rule.ts';
import { entriesOf, firstEntries, keepErasedBefore, keepRecordHmac } from './entries.ts';

const TREES = new Table('log_trees', { register: whole(0), size: whole(0) }, { key: ['register'] });

const SIZE = numberIn('size');

/** The name of the plugin. */
export const PLUGIN = 'proofs';

/** A tile as it is stored: as many hashes as the tree has of it. */
export interface StoredTile {
  readonly level: number;
  /** Its place in the level. */
  readonly index: number;
  readonly hashes: Uint8Array;
}

/** The table of tiles. */
const TILE_TABLE = new Table(
  'log_tiles',
  {
    register: whole(0),
    level: whole(0, 7),
    place: whole(0),
    hashes: bytes(HASH_LENGTH, TILE_WIDTH * HASH_LENGTH),
  },
  { key: ['register', 'level', 'place'], isKeyed: true },
);

/** Its rows. */
export const TILES: KeyedTable<StoredTile> = keyedTable(TILE_TABLE, ([, level, index, hashes]) => ({
  level: asNumber(level),
  index: asNumber(index),
  hashes: asBytes(hashes),
}));

/** The tables of trees, and what follows them. */
export const TREE_TABLES: readonly Table[] = [TREES, TILE_TABLE];
export const UNCOMPRESSED_HASHES: Fragment = new Fragment(({ tables }) => tables.uncompressed('log_tiles', 'hashes'));

/** How many versions are added at once to the tree of a register that lacks them. */
const CAUGHT_UP_AT_ONCE = 5000;

/** Adds versions that were just written to the tree of their register. */
export function* growTree(sql: Sql, { register, from, to, first = null }: Commit): Rule<void> {
  while (!(yield* addChanges(sql, register, from, to, first))) {
    const mayLack = from === 0 || !(yield* isJoined(sql, PLUGIN));
    if (!mayLack || !(yield* catchUp(sql, register, from))) throw lacking(register, 'versions');
  }
}

/** Adds changes to a tree. @returns false, and adds none, where it has not all those before, and no others */
function* addChanges(sql: Sql, register: number, from: number, to: number, first: FirstVersions | null): Rule<boolean> {
  const isNext = yield* sql.run`UPDATE ${TREES} SET size = ${to} WHERE register = ${register} AND size = ${from}`;
  if (isNext !== 1) return false;
  const entries = first === null ? yield* entriesOf(sql, register, from, to) : firstEntries(register, from, first);
  yield* addEntries(
    sql,
    register,
    from,
    entries.map(({ bytes }) => bytes),
  );
  return true;
}

/**
 * Begins the tree of a register that is locked, or adds the next versions to it that were written before the log was begun.
 *
 * @param to the last of these versions
 * @returns false where it lacks none
 */
export function* catchUp(sql: Sql, register: number, to: number): Rule<boolean> {
  if (yield* beginTree(sql, register)) return true;
  const size = (yield* sql.one(SIZE)`SELECT ${SIZE} FROM ${TREES} WHERE register = ${register}`)!;
  return size < to && (yield* addChanges(sql, register, size, Math.min(size + CAUGHT_UP_AT_ONCE, to), null));
}

/** Begins the tree of a register, unless it was. @returns whether it was not */
function* beginTree(sql: Sql, register: number): Rule<boolean> {
  const begun = yield* sql.run`INSERT INTO ${TREES} (register, size) VALUES (${register}, 0) ON CONFLICT DO NOTHING`;
  if (begun === 1) yield* keepErasedBefore(sql, register);
  return begun === 1;
}

/** Keeps what the entries of a record are made of that is about to be erased. */
export function* beforeErasure(sql: Sql, record: ErasedRecord): Rule<void> {
  yield* beginTree(sql, Math.floor(record.slot / SLOT_SPAN));
  yield* keepRecordHmac(sql, record);
}

function lacking(register: number, what: string): GazetteError {
  return new GazetteError('invalid_store', `the log of register number ${register} lacks ${what}: run gazette doctor`);
}

/** Adds the hashes of entries to a tree of some size. */
export function* addEntries(sql: Sql, register: number, from: number, entries: readonly Uint8Array[]): Rule<void> {
  const edge = new Map((yield* storedTiles(sql, register, edgeOf(from))).map((tile) => [tile.level, tile.hashes]));
  const growth = new TreeGrowth(from, (tile) => {
    const hashes = edge.get(tile.level);
    if (hashes !== undefined && hashes.length >= tile.width * HASH_LENGTH) return hashes;
    throw lacking(register, `hashes of ${tilePath(tile)}`);
  });
  for (const entry of entries) growth.add(leafHash(entry));
  const tiles = growth.changed().map(({ level, index, hashes }) => [register, level, index, hashes]);
  yield* sql.put(TILES, tiles);
}

/** The tiles of a register's tree that it has of these. */
export function* storedTiles(
  sql: Sql,
  register: number,
  tiles: readonly Pick<HashTile, 'level' | 'index'>[],
): Rule<StoredTile[]> {
  return yield* sql.get(
    TILES,
    tiles.map(({ level, index }) => [register, level, index]),
  );
}
