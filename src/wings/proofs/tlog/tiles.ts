// Tiles: how a log serves its hashes and entries (C2SP tlog-tiles). A tile has up to 256 hashes that lie one after the other
// at one level; each hash of a level above is the root of a full tile.
import { isWhole } from '../../../checks.ts';

/** How many hashes, or entries, a full tile has. */
export const TILE_WIDTH = 256;

/** The highest level. */
const MAX_LEVEL = 63;

/** Which hashes or entries of a log a tile has. */
export interface Tile {
  /** 0 has the hashes of entries; `entries` the entries themselves. */
  readonly level: number | 'entries';
  /** Its place in the level, counted from 0. */
  readonly index: number;
  /** 1..256; less than 256 in a partial tile. */
  readonly width: number;
}

/** How many hashes a tile has in a log of some size: 0..256. */
export function tileWidth(size: number, level: number, index: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/**
 * The path of a tile below the log's URL.
 *
 * @example tilePath({ level: 0, index: 1234067, width: 256 }) // 'tile/0/x001/x234/067'
 */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g)!;
  const path = `tile/${level}/${groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/')}`;
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

const TILE_PATH = /^tile\/(0|[1-9]\d?|entries)\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** The tile of a path; null when it is none. A tile has one path: no other spelling is read. */
export function parseTilePath(path: string): Tile | null {
  const [, level, index, width] = TILE_PATH.exec(path) ?? [];
  if (level === undefined || index === undefined) return null;
  const tile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(index.replace(/[x/]/g, '')),
    width: Number(width ?? TILE_WIDTH),
  } as const;
  const isSound = tile.level === 'entries' || tile.level <= MAX_LEVEL;
  return isSound && isWhole(tile.index, 0) && tilePath(tile) === path ? tile : null;
}

/** Puts entries together as a tile serves them: each after its length, in two bytes. @param entries each at most 65,535 bytes */
export function joinEntries(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.alloc(entries.reduce((length, entry) => length + 2 + entry.length, 0));
  let at = 0;
  for (const entry of entries) {
    at = bytes.writeUInt16BE(entry.length, at);
    bytes.set(entry, at);
    at += entry.length;
  }
  return bytes;
}

/** The entries of a tile; null when its bytes end within one. */
export function splitEntries(bytes: Uint8Array): Uint8Array[] | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = at + 2 > bytes.length ? Infinity : at + 2 + view.getUint16(at);
    if (end > bytes.length) return null;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
