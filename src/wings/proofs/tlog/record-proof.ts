// Proofs that an entry is in a log, in one file that needs nothing else (C2SP tlog-proof).
import { isWhole } from '../../../checks.ts';
import { GazetteError } from '../../../errors.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { openCheckpoint, type VerifiedCheckpoint } from './checkpoint.ts';
import { HASH_LENGTH } from './hashes.ts';
import type { VerifierKey } from './keys.ts';
import { isIncluded } from './verification.ts';

/** A proof that an entry is in a log. */
export interface RecordProof {
  /** What may help to make the entry. Nothing vouches for it. */
  readonly extra: Uint8Array | null;
  /** The entry's place in the log, counted from 0. */
  readonly index: number;
  /** From the entry's sibling upwards, see `inclusionRanges()`. */
  readonly hashes: readonly Uint8Array[];
  /** The signed checkpoint, as the log gave it. */
  readonly checkpoint: string;
}

/** The first line of every proof. */
export const PROOF_HEAD = 'c2sp.org/tlog-proof@v1';

/** More than any log needs. */
const MAX_HASHES = 63;

/** A proof as text. */
export function formatProof({ extra, index, hashes, checkpoint }: RecordProof): string {
  const lines = [
    PROOF_HEAD,
    ...(extra === null ? [] : [`extra ${toBase64(extra)}`]),
    `index ${index}`,
    ...hashes.map(toBase64),
  ];
  return `${lines.join('\n')}\n\n${checkpoint}`;
}

/**
 * Reads a proof, and checks none of it.
 *
 * @throws GazetteError `invalid_proof` when it is malformed
 */
export function parseProof(text: string): RecordProof {
  const end = text.indexOf('\n\n');
  const [head, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  const extra = lines[0]?.startsWith('extra ') === true ? fromBase64(lines.shift()!.slice('extra '.length)) : undefined;
  const [, digits = ''] = /^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? '') ?? [];
  const index = digits === '' ? Number.NaN : Number(digits);
  const hashes = lines.flatMap((line) => fromBase64(line) ?? []);
  const isSound =
    head === PROOF_HEAD &&
    extra !== null &&
    isWhole(index, 0) &&
    lines.length <= MAX_HASHES &&
    hashes.length === lines.length &&
    hashes.every(({ length }) => length === HASH_LENGTH);
  if (isSound) return { extra: extra ?? null, index, hashes, checkpoint: text.slice(end + 2) };
  throw new GazetteError('invalid_proof', `a proof must begin with ${PROOF_HEAD}, an index, hashes and an empty line`);
}

/**
 * Checks a proof.
 *
 * @param leaf the hash of the entry, made from the record itself, never from the proof's `extra`
 * @param origin the name of the log
 * @param keys the keys that are trusted, of the log and of witnesses
 * @returns the checkpoint, in whose log the entry is
 * @throws GazetteError `invalid_proof`
 */
export function verifyProof(
  { index, hashes, checkpoint }: RecordProof,
  leaf: Uint8Array,
  origin: string,
  keys: readonly VerifierKey[],
): VerifiedCheckpoint {
  const opened = openCheckpoint(checkpoint, origin, keys);
  if (isIncluded(index, leaf, hashes, opened)) return opened;
  throw new GazetteError(
    'invalid_proof',
    `the entry must be number ${index} of the log, but the proof does not show it`,
  );
}
