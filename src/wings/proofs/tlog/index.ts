/**
 * The entry `gazette/proofs`: checks what is proved of a register, in the formats of C2SP (tlog-tiles, tlog-checkpoint, tlog-proof,
 * tlog-policy) with the hashes of RFC 6962.
 *
 * @module
 */
export { type Checkpoint, openCheckpoint, parseCheckpoint, type VerifiedCheckpoint } from './checkpoint.ts';
export { leafHash } from './hashes.ts';
export { type KeyRole, parseVerifierKey, type VerifierKey } from './keys.ts';
export { type NoteSignature, type VerifiedSignature } from './note.ts';
export { parsePolicy, type TlogPolicy } from './policy.ts';
export { parseProof, type RecordProof, verifyProof } from './record-proof.ts';
export { splitEntries, type Tile, tilePath } from './tiles.ts';
export {
  consistencyRanges,
  type EntryRange,
  hashesOf,
  type HashTile,
  inclusionRanges,
  type ReadTile,
  tilesOf,
} from './tree.ts';
export { isConsistent, isIncluded, type TreeHead } from './verification.ts';
