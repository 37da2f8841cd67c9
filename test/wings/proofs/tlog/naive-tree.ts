// A log as RFC 6962 2.1 defines it, word for word and slowly: what the tree of tiles is compared with.
import { hash } from 'node:crypto';
import { leafHash } from '../../../../src/wings/proofs/tlog/index.ts';
import { type FilledTile, TreeGrowth } from '../../../../src/wings/proofs/tlog/growth.ts';

const digest = (...parts: readonly Uint8Array[]): Uint8Array => hash('sha256', Buffer.concat(parts), 'buffer');

const split = (count: number): number => 2 ** (Math.ceil(Math.log2(count)) - 1);

/** MTH(D[n]) */
export function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return digest();
  if (leaves.length === 1) return leaves[0]!;
  const k = split(leaves.length);
  return digest(Uint8Array.of(1), naiveRoot(leaves.slice(0, k)), naiveRoot(leaves.slice(k)));
}

/** PATH(m, D[n]) */
export function naivePath(m: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return [];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m < k ? [...naivePath(m, left), naiveRoot(right)] : [...naivePath(m - k, right), naiveRoot(left)];
}

/** SUBPROOF(m, D[n], b); PROOF(m, D[n]) with b = true */
export function naiveProof(m: number, leaves: readonly Uint8Array[], b = true): Uint8Array[] {
  if (m === leaves.length) return b ? [] : [naiveRoot(leaves)];
  const k = split(leaves.length);
  const [left, right] = [leaves.slice(0, k), leaves.slice(k)];
  return m <= k ? [...naiveProof(m, left, b), naiveRoot(right)] : [...naiveProof(m - k, right, false), naiveRoot(left)];
}

/** The hashes of so many entries. */
export function leavesOf(count: number, word = 'entry'): Uint8Array[] {
  return Array.from({ length: count }, (_, at) => leafHash(Buffer.from(`${word} ${at}`)));
}

type ReadKept = (tile: { readonly level: number; readonly index: number }) => Uint8Array;

/** A log whose tiles are kept in memory, as a store keeps them. */
export class TiledLog {
  readonly tiles: Map<string, Uint8Array>;

  constructor() {
    this.tiles = new Map();
  }

  size = 0;
  root: Uint8Array = digest();

  readonly read: ReadKept = ({ level, index }) => {
    return this.tiles.get(`${level}/${index}`)!;
  };

  /** Adds entries by their hashes, in one step. */
  grow(leaves: readonly Uint8Array[]): readonly FilledTile[] {
    const growth = new TreeGrowth(this.size, this.read);
    for (const leaf of leaves) growth.add(leaf);
    const changed = growth.changed();
    for (const { level, index, hashes } of changed) this.tiles.set(`${level}/${index}`, Uint8Array.from(hashes));
    this.size = growth.size;
    this.root = growth.root();
    return changed;
  }
}

/** Hashes as text, by which they are compared. */
export function hex(hashes: Iterable<Uint8Array>): string[] {
  return Array.from(hashes, (hash) => Buffer.from(hash).toString('hex'));
}
