// The entry `gazette/proofs`: transparency logs in the formats of C2SP (tlog-tiles, tlog-checkpoint, signed-note, tlog-proof,
// tlog-cosignature, tlog-witness, tlog-policy) with the hashes of RFC 6962.
export {
  type Checkpoint,
  formatCheckpoint,
  openCheckpoint,
  originHash,
  parseCheckpoint,
  type VerifiedCheckpoint,
} from './checkpoint.ts';
export { edgeOf, type FilledTile, TreeGrowth } from './growth.ts';
export { EMPTY_ROOT, leafHash, nodeHash } from './hashes.ts';
export {
  formatVerifierKey,
  generateSignerKey,
  type KeyRole,
  parseSignerKey,
  parseVerifierKey,
  type SignerKey,
  signerOf,
  type VerifierKey,
} from './keys.ts';
export {
  formatNote,
  type NoteSignature,
  parseNote,
  type SignedNote,
  signText,
  type VerifiedSignature,
  verifyNote,
} from './note.ts';
export { parsePolicy, type TlogPolicy } from './policy.ts';
export { formatProof, parseProof, type RecordProof, verifyProof } from './record-proof.ts';
export { formatSubmission, parseSubmission, type Submission } from './submission.ts';
export { joinEntries, parseTilePath, splitEntries, type Tile, tilePath, tileWidth } from './tiles.ts';
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
