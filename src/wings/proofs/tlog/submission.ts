// What a log sends to a witness (C2SP tlog-witness, add-checkpoint): a checkpoint, and the proof that it begins with what the
// witness signed last.
import { isWhole } from '../../../checks.ts';
import { GazetteError } from '../../../errors.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { HASH_LENGTH } from './hashes.ts';

/** A checkpoint for a witness. */
export interface Submission {
  /** The size that the witness signed last; 0 where it signed nothing. */
  readonly oldSize: number;
  /** The hashes of `consistencyRanges()` from there; none from 0, or where the log has not grown. */
  readonly proof: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

/** The most hashes that a proof may have. */
const MAX_HASHES = 63;

/** A submission as text. */
export function formatSubmission({ oldSize, proof, checkpoint }: Submission): string {
  return `old ${oldSize}\n${proof.map((hash) => `${toBase64(hash)}\n`).join('')}\n${checkpoint}`;
}

/**
 * Reads a submission, and checks nothing of what it says.
 *
 * @throws GazetteError `invalid_proof` when it is malformed
 */
export function parseSubmission(text: string): Submission {
  const end = text.indexOf('\n\n');
  const [head = '', ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  const [, digits = ''] = /^old (0|[1-9]\d{0,15})$/.exec(head) ?? [];
  const oldSize = digits === '' ? Number.NaN : Number(digits);
  const proof = lines.flatMap((line) => fromBase64(line) ?? []);
  const isSound =
    isWhole(oldSize, 0) &&
    lines.length <= MAX_HASHES &&
    proof.length === lines.length &&
    proof.every(({ length }) => length === HASH_LENGTH);
  if (isSound) return { oldSize, proof, checkpoint: text.slice(end + 2) };
  const expected = `“old” with a size, at most ${MAX_HASHES} hashes, an empty line and a checkpoint`;
  throw new GazetteError('invalid_proof', `a checkpoint for a witness must have ${expected}`);
}
