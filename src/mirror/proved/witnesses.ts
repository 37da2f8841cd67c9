// Who else signed a checkpoint, and when.
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { parseVerifierKey, type VerifierKey } from '../../proofs/keys.ts';
import { parseNote, verifyNote } from '../../proofs/note.ts';

/** From which age on a witness's signature says little, in milliseconds: the log grew since, or its witness is away. */
const STALE_MS = 24 * 60 * 60 * 1000;

/** A witness's signature that was checked. */
export interface Cosignature {
  /** The name of the witness. */
  readonly name: string;
  /** When it was made (RFC 3339, to the second). */
  readonly at: string;
  /** Whether it is more than a day old. */
  readonly isStale: boolean;
}

/** The keys of witnesses, read. @throws GazetteError `invalid_log_key`, also for the key of a log */
export function readWitnesses(keys: readonly string[]): VerifierKey[] {
  return keys.map((text) => {
    const key = parseVerifierKey(text);
    if (key.role === 'witness') return key;
    throw new GazetteError('invalid_log_key', `${quote(key.name)} must have the key of a witness`);
  });
}

/**
 * Checks that each of these witnesses signed a checkpoint.
 *
 * @param witnesses of {@link readWitnesses}
 * @param now the time, in milliseconds since 1970
 * @throws GazetteError `invalid_proof` where one did not
 */
export function checkWitnesses(checkpoint: string, witnesses: readonly VerifierKey[], now: number): Cosignature[] {
  const note = parseNote(checkpoint);
  return witnesses.map((key) => {
    const time = timeIn(note, key) * 1000;
    const at = new Date(time).toISOString().replace('.000Z', 'Z');
    return { name: key.name, at, isStale: now - time > STALE_MS };
  });
}

function timeIn(note: ReturnType<typeof parseNote>, key: VerifierKey): number {
  try {
    return verifyNote(note, [key])[0]!.time!;
  } catch (error) {
    if (!isGazetteError(error, 'invalid_proof')) throw error;
    throw new GazetteError('invalid_proof', `the witness ${quote(key.name)} did not sign: ${error.message}`);
  }
}
