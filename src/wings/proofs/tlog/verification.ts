// Checks of proofs, from nothing but the proof itself (RFC 9162 2.1.3.2 and 2.1.4.2, which are the algorithms for the proofs of
// RFC 6962).
import { isWhole } from '../../../checks.ts';
import { areHashes, EMPTY_ROOT, nodeHash, sameHash } from './hashes.ts';

/** What a log was at some size. */
export interface TreeHead {
  /** How many entries it had. */
  readonly size: number;
  /** The root over them, 32 bytes. */
  readonly root: Uint8Array;
}

/**
 * Whether an entry is in a log.
 *
 * @param index the entry's place, counted from 0
 * @param leaf the entry's hash, see `leafHash()`
 * @param proof the hashes of `inclusionRanges()`
 */
export function isIncluded(index: number, leaf: Uint8Array, proof: readonly Uint8Array[], head: TreeHead): boolean {
  if (!isWhole(index, 0) || !isWhole(head.size, index + 1) || !areHashes([leaf, ...proof])) return false;
  let [place, last, hash] = [index, head.size - 1, leaf];
  for (const sibling of proof) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(sibling, hash);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else hash = nodeHash(hash, sibling);
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && sameHash(hash, head.root);
}

/**
 * Whether a log begins with all entries that it had before.
 *
 * @param proof the hashes of `consistencyRanges()`; none where the log has not grown, or was empty
 */
export function isConsistent(before: TreeHead, now: TreeHead, proof: readonly Uint8Array[]): boolean {
  if (!isWhole(before.size, 0) || !isWhole(now.size, before.size)) return false;
  if (!areHashes([before.root, now.root, ...proof])) return false;
  if (before.size === now.size) return proof.length === 0 && sameHash(before.root, now.root);
  if (before.size === 0) return proof.length === 0 && sameHash(before.root, EMPTY_ROOT);
  let [place, last] = [before.size - 1, now.size - 1];
  while (place % 2 === 1) [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  const [first, ...rest] = place === 0 ? [before.root, ...proof] : proof;
  if (first === undefined) return false;
  let [old, grown] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      old = nodeHash(hash, old);
      grown = nodeHash(hash, grown);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else grown = nodeHash(grown, hash);
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && sameHash(old, before.root) && sameHash(grown, now.root);
}
