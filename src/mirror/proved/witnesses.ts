// Who else signed a checkpoint, and when.
import { GazetteError, isGazetteError, quote } from '../../errors.ts';
import { formatVerifierKey, parseVerifierKey, type VerifierKey } from '../../proofs/keys.ts';
import { parseNote, type SignedNote, verifyNote } from '../../proofs/note.ts';
import { parsePolicy, type TlogPolicy } from '../../proofs/policy.ts';

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

/** Who must have signed a checkpoint besides its log. */
export interface Cosigners {
  /** Each of these witnesses. */
  readonly keys: readonly VerifierKey[];
  /** And those that a policy asks for; null: nobody. */
  readonly policy: TlogPolicy | null;
}

/**
 * Reads who must have signed.
 *
 * @param log the key of the log, which the policy has to name unless it names none
 * @param witnesses the keys of witnesses
 * @param policy a policy file (C2SP tlog-policy)
 * @throws GazetteError `invalid_log_key`, also for the key of a log; `invalid_input` for a policy that is none, or is of other logs
 */
export function readCosigners(
  log: VerifierKey,
  witnesses: readonly string[] = [],
  policy?: Uint8Array | string,
): Cosigners {
  const keys = witnesses.map((text) => {
    const key = parseVerifierKey(text);
    if (key.role === 'witness') return key;
    throw new GazetteError('invalid_log_key', `${quote(key.name)} must have the key of a witness`);
  });
  const read = policy === undefined ? null : parsePolicy(policy);
  const named = formatVerifierKey(log);
  if (read !== null && read.logs.length > 0 && !read.logs.some((key) => formatVerifierKey(key) === named))
    throw new GazetteError('invalid_input', `the policy must have a line for the log: log ${named}`);
  return { keys, policy: read };
}

/**
 * Checks who signed a checkpoint.
 *
 * @param now the time, in milliseconds since 1970
 * @returns the signatures of the witnesses that are asked for, or that the policy names
 * @throws GazetteError `invalid_proof` where one did not sign who had to, or too few of the policy did
 */
export function checkCosigners(checkpoint: string, { keys, policy }: Cosigners, now: number): Cosignature[] {
  const note = parseNote(checkpoint);
  const times = new Map(keys.map((key) => [key, timeIn(note, key)]));
  const signed = new Set<VerifierKey>();
  for (const key of policy?.witnesses ?? []) {
    const time = timeOrNull(note, key);
    if (time === null) continue;
    signed.add(key);
    const isAsked = keys.some(({ id, name }) => id === key.id && name === key.name);
    if (!isAsked) times.set(key, time);
  }
  if (policy?.isMet(signed) === false) {
    const names = [...signed].map(({ name }) => name);
    const who = names.length === 0 ? 'nobody' : names.join(', ');
    throw new GazetteError(
      'invalid_proof',
      `of the witnesses of the policy, ${who} signed: its quorum ${quote(policy.quorum)} asks for more`,
    );
  }
  return Array.from(times, ([{ name }, time]) => {
    const at = new Date(time * 1000).toISOString().replace('.000Z', 'Z');
    return { name, at, isStale: now - time * 1000 > STALE_MS };
  });
}

function timeOrNull(note: SignedNote, key: VerifierKey): number | null {
  try {
    return timeIn(note, key);
  } catch (error) {
    if (isGazetteError(error, 'invalid_proof')) return null;
    throw error;
  }
}

function timeIn(note: SignedNote, key: VerifierKey): number {
  try {
    return verifyNote(note, [key])[0]!.time!;
  } catch (error) {
    if (!isGazetteError(error, 'invalid_proof')) throw error;
    throw new GazetteError('invalid_proof', `the witness ${quote(key.name)} did not sign: ${error.message}`);
  }
}
