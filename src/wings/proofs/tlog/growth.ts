// A tree that grows. Only its right edge is needed for that: the partial tile of each level.
import { EMPTY_ROOT, foldRoots, HASH_LENGTH, rootOf } from './hashes.ts';
import { TILE_WIDTH } from './tiles.ts';
import { type HashTile, type ReadTile, readWhole } from './tree.ts';

/** A tile with its hashes. */
export interface FilledTile {
  /** The level of the tiles, from 0. */
  readonly level: number;
  /** Its place among the tiles of its level, from 0. */
  readonly index: number;
  /** One after the other, 32 bytes each. */
  readonly hashes: Uint8Array;
}

/** The partial tiles of a log of some size. */
export function edgeOf(size: number): HashTile[] {
  const tiles: HashTile[] = [];
  for (let [level, hashes] = [0, size]; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const width = hashes % TILE_WIDTH;
    if (width > 0) tiles.push({ level, index: Math.floor(hashes / TILE_WIDTH), width });
  }
  return tiles;
}

/** One level of the edge. */
interface EdgeLevel {
  index: number;
  width: number;
  readonly hashes: Buffer;
  hasChanged: boolean;
}

/** A tree to which entries are added. */
export class TreeGrowth {
  readonly #levels: EdgeLevel[] = [];
  readonly #full: FilledTile[] = [];
  #size: number;

  /** @param read reads the tiles of {@link edgeOf} @throws GazetteError `invalid_proof` for a tile that is too short */
  constructor(size: number, read: ReadTile) {
    this.#size = size;
    for (const tile of edgeOf(size)) {
      const level = this.#level(tile.level, size);
      level.hashes.set(readWhole(read, tile));
    }
  }

  /** How many entries the log has. */
  get size(): number {
    return this.#size;
  }

  /** Adds an entry. @param hash that of the entry, see `leafHash()` */
  add(hash: Uint8Array): void {
    this.#append(0, hash);
    this.#size++;
  }

  /** The root over all entries. */
  root(): Uint8Array {
    const roots: Uint8Array[] = [];
    for (const { width, hashes } of this.#levels.toReversed())
      for (let [first, count] = [0, TILE_WIDTH / 2]; count >= 1; count /= 2) {
        if (first + count > width) continue;
        roots.push(rootOf(hashes.subarray(first * HASH_LENGTH, (first + count) * HASH_LENGTH)));
        first += count;
      }
    return roots.length === 0 ? EMPTY_ROOT : foldRoots(roots);
  }

  /** The tiles that are new, or have new hashes. */
  changed(): FilledTile[] {
    const partial = this.#levels.flatMap(({ index, width, hashes, hasChanged }, level) => {
      return hasChanged && width > 0 ? [{ level, index, hashes: hashes.subarray(0, width * HASH_LENGTH) }] : [];
    });
    return [...this.#full, ...partial];
  }

  #append(at: number, hash: Uint8Array): void {
    const level = this.#level(at, this.#size);
    level.hashes.set(hash, level.width * HASH_LENGTH);
    level.hasChanged = true;
    if (++level.width < TILE_WIDTH) return;
    this.#full.push({ level: at, index: level.index, hashes: Uint8Array.from(level.hashes) });
    this.#append(at + 1, rootOf(level.hashes));
    level.index++;
    level.width = 0;
    level.hasChanged = false;
  }

  #level(at: number, size: number): EdgeLevel {
    while (this.#levels.length <= at) {
      const hashes = Math.floor(size / TILE_WIDTH ** this.#levels.length);
      this.#levels.push({
        index: Math.floor(hashes / TILE_WIDTH),
        width: hashes % TILE_WIDTH,
        hashes: Buffer.alloc(TILE_WIDTH * HASH_LENGTH),
        hasChanged: false,
      });
    }
    return this.#levels[at]!;
  }
}
