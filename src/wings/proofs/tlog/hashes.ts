// Hashes of a transparency log (RFC 6962 2.1, with SHA-256).
import { hash } from 'node:crypto';

/** The length of a hash, in bytes. */
export const HASH_LENGTH = 32;

/** The root of a log without entries: the hash of nothing. */
export const EMPTY_ROOT: Uint8Array = hash('sha256', '', 'buffer');

const NODE = Buffer.alloc(1 + 2 * HASH_LENGTH, 1);

/** The hash of an entry. @param entry its bytes */
export function leafHash(entry: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + entry.length);
  bytes[0] = 0;
  bytes.set(entry, 1);
  return hash('sha256', bytes, 'buffer');
}

/** The hash of two hashes that lie next to each other. @param left of 32 bytes, as `right` */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  NODE.set(left, 1);
  NODE.set(right, 1 + HASH_LENGTH);
  return hash('sha256', NODE, 'buffer');
}

/** The root over a power of two of hashes that lie one after the other. @param hashes their bytes */
export function rootOf(hashes: Uint8Array): Uint8Array {
  const level = Uint8Array.from(hashes);
  for (let { length } = level; length > HASH_LENGTH; length /= 2)
    for (let at = 0; at < length; at += 2 * HASH_LENGTH) {
      NODE.set(level.subarray(at, at + 2 * HASH_LENGTH), 1);
      level.set(hash('sha256', NODE, 'buffer'), at / 2);
    }
  return level.slice(0, HASH_LENGTH);
}

/** The root over complete subtrees, the largest first. At least one. */
export function foldRoots(roots: readonly Uint8Array[]): Uint8Array {
  return roots.reduceRight((right, left) => nodeHash(left, right));
}

/** Whether all have the length of a hash: {@link nodeHash} needs it. */
export function areHashes(all: readonly Uint8Array[]): boolean {
  return all.every(({ length }) => length === HASH_LENGTH);
}

/** Whether two hashes are the same. */
export function sameHash(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
