// The tree over a register's log (RFC 6962), kept as the tiles by which it is served. Those who write a register hold its
// lock and add their versions in the same transaction.
import { GazetteError } from '../../../errors.ts';
import { HASH_LENGTH, leafHash } from '../../../proofs/hashes.ts';
import { edgeOf, TreeGrowth } from '../../../proofs/growth.ts';
import { TILE_WIDTH, tilePath } from '../../../proofs/tiles.ts';
import type { HashTile } from '../../../proofs/tree.ts';
import { asBytes, asNumber } from '../../rows/sql.ts';
import { bytes, Table, whole } from '../../rows/table.ts';
import { keyedTable, type KeyedTable, type Rule, type Sql } from '../rule.ts';
import { entriesOf, firstEntries, type FirstVersions } from './entries.ts';

const TREES = new Table('log_trees', { register: whole(0), size: whole(0) }, { key: ['register'] });

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

/** The tables of trees. */
export const TREE_TABLES: readonly Table[] = [TREES, TILE_TABLE];

/** The tree of a new register: it lacks nothing. */
export function* beginTree(sql: Sql, register: number): Rule<void> {
  yield* sql.run`INSERT INTO ${TREES} (register, size) VALUES (${register}, 0)`;
}

/**
 * Adds versions that were just written to the tree of their register.
 *
 * @param from the last change before them
 * @param to the last of them
 * @param first given where all of them are first versions
 */
export function* growTree(
  sql: Sql,
  register: number,
  from: number,
  to: number,
  first: FirstVersions | null = null,
): Rule<void> {
  const isNext = yield* sql.run`UPDATE ${TREES} SET size = ${to} WHERE register = ${register} AND size = ${from}`;
  if (isNext !== 1) throw lacking(register, 'versions');
  const entries = first === null ? yield* entriesOf(sql, register, from, to) : firstEntries(register, from, first);
  yield* addEntries(
    sql,
    register,
    from,
    entries.map(({ bytes }) => bytes),
  );
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
