// The tree over a log's entries (RFC 6962 2.1): roots and proofs, made of the hashes that tiles have. What is needed is
// planned first, as ranges of entries and the tiles that have them, so that a caller may read all tiles at once.
import { checkWhole } from '../../../checks.ts';
import { GazetteError } from '../../../errors.ts';
import { EMPTY_ROOT, foldRoots, HASH_LENGTH, rootOf } from './hashes.ts';
import { type Tile, TILE_WIDTH, tilePath, tileWidth } from './tiles.ts';

/** Entries that lie one after the other, over which a hash is taken. */
export interface EntryRange {
  /** The first one, counted from 0. */
  readonly from: number;
  /** The first one behind them. */
  readonly to: number;
}

/** A tile of hashes. */
export type HashTile = Tile & { readonly level: number };

/** Answers the hashes of a tile, one after the other. It may have more of them than the tile's width. */
export type ReadTile = (tile: HashTile) => Uint8Array;

/** The hashes of a tile, as many as its width says. @throws GazetteError `invalid_proof` when there are fewer */
export function readWhole(read: ReadTile, tile: HashTile): Uint8Array {
  const hashes = read(tile);
  const length = tile.width * HASH_LENGTH;
  if (hashes.length >= length) return hashes.subarray(0, length);
  throw new GazetteError('invalid_proof', `${tilePath(tile)} must have ${length} bytes, got ${hashes.length}`);
}

/** Height of a tile in levels of the tree. */
const TILE_HEIGHT = 8;

/** The largest power of two below a number from 2 on. */
function splitOf(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/**
 * The ranges whose hashes prove that an entry is in a log of some size (RFC 6962 2.1.1), from the leaf's sibling upwards.
 *
 * @throws GazetteError `invalid_option` for an index outside the log
 */
export function inclusionRanges(index: number, size: number): EntryRange[] {
  checkWhole('index', index, 0, size - 1);
  const ranges: EntryRange[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    ranges.unshift(index < middle ? { from: middle, to } : { from, to: middle });
    if (index < middle) to = middle;
    else from = middle;
  }
  return ranges;
}

/**
 * The ranges whose hashes prove that a log of some size begins with the entries it had before (RFC 6962 2.1.2).
 *
 * @param before the size then, at least 1
 * @throws GazetteError `invalid_option`
 */
export function consistencyRanges(before: number, size: number): EntryRange[] {
  checkWhole('before', before, 1, size);
  const ranges: EntryRange[] = [];
  let [from, to] = [0, size];
  while (before < to) {
    const middle = from + splitOf(to - from);
    ranges.unshift(before <= middle ? { from: middle, to } : { from, to: middle });
    if (before <= middle) to = middle;
    else from = middle;
  }
  return from === 0 ? ranges : [{ from, to }, ...ranges];
}

/** A complete subtree: its height, and its place among those of its height. */
interface Subtree {
  readonly height: number;
  readonly place: number;
}

function subtreesOf({ from, to }: EntryRange): Subtree[] {
  const subtrees: Subtree[] = [];
  while (from < to) {
    let height = 0;
    while (2 ** (height + 1) <= to - from) height++;
    subtrees.push({ height, place: from / 2 ** height });
    from += 2 ** height;
  }
  return subtrees;
}

/** Where the hashes of a subtree are: in which tile, from which on, how many. */
function placeOf({ height, place }: Subtree): { level: number; index: number; first: number; count: number } {
  const count = 2 ** (height % TILE_HEIGHT);
  const first = place * count;
  return {
    level: Math.floor(height / TILE_HEIGHT),
    index: Math.floor(first / TILE_WIDTH),
    first: first % TILE_WIDTH,
    count,
  };
}

/** The tiles that have the hashes of ranges, each once, as a log of some size serves them. */
export function tilesOf(ranges: readonly EntryRange[], size: number): HashTile[] {
  const tiles = new Map<string, HashTile>();
  for (const subtree of ranges.flatMap(subtreesOf)) {
    const { level, index } = placeOf(subtree);
    tiles.set(`${level}/${index}`, { level, index, width: tileWidth(size, level, index) });
  }
  return [...tiles.values()];
}

/**
 * The hash of each range.
 *
 * @param read reads the tiles of {@link tilesOf}
 * @throws GazetteError `invalid_proof` for a tile that is too short
 */
export function hashesOf(ranges: readonly EntryRange[], size: number, read: ReadTile): Uint8Array[] {
  return ranges.map((range) => {
    const roots = subtreesOf(range).map((subtree) => {
      const { level, index, first, count } = placeOf(subtree);
      const hashes = readWhole(read, { level, index, width: tileWidth(size, level, index) });
      return rootOf(hashes.subarray(first * HASH_LENGTH, (first + count) * HASH_LENGTH));
    });
    return roots.length === 0 ? EMPTY_ROOT : foldRoots(roots);
  });
}
