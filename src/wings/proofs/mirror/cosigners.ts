// Who else signed the checkpoint of a log of logs, and when.
import type { Cosignature } from '../../../mirror/prover.ts';
import { GazetteError, isGazetteError, quote } from '../../../errors.ts';
import { formatVerifierKey, type VerifierKey } from '../tlog/keys.ts';
import { parseNote, type SignedNote, verifyNote } from '../tlog/note.ts';
import type { TlogPolicy } from '../tlog/policy.ts';
import { stale } from './head.ts';

/** From which age on a witness's signature is stale, in milliseconds: witnesses are asked again every 12 hours. */
const STALE_MS = 24 * 60 * 60 * 1000;

/**
 * Checks who signed the checkpoint of a log of logs.
 *
 * @param key of the log of logs
 * @param now the time, in milliseconds since 1970
 * @returns the signatures of the witnesses that the policy names
 * @throws GazetteError `invalid_proof` where too few signed, `log_stale` where too few did within a day, `invalid_input` for a policy of
 *   other logs
 */
export function checkCosigners(checkpoint: string, key: VerifierKey, policy: TlogPolicy, now: number): Cosignature[] {
  const named = formatVerifierKey(key);
  if (policy.logs.length > 0 && !policy.logs.some((one) => formatVerifierKey(one) === named))
    throw new GazetteError('invalid_input', `the policy must have a line for the log of logs: log ${named}`);
  const note = parseNote(checkpoint);
  const times = new Map<VerifierKey, number>();
  for (const witness of policy.witnesses) {
    const time = timeIn(note, witness);
    if (time !== null) times.set(witness, time * 1000);
  }
  const isStale = (time: number): boolean => now - time > STALE_MS;
  const cosignatures = Array.from(times, ([{ name }, time]) => {
    return { name, at: new Date(time).toISOString().replace('.000Z', 'Z'), isStale: isStale(time) };
  });
  const quorum = `its quorum ${quote(policy.quorum)} asks for more`;
  if (!policy.isMet(new Set(times.keys()))) {
    const who = cosignatures.map(({ name }) => name).join(', ') || 'nobody';
    throw new GazetteError(
      'invalid_proof',
      `of the witnesses of the policy, ${who} signed the log of logs: ${quorum}`,
      {
        details: { quorum: policy.quorum },
      },
    );
  }
  const fresh = Array.from(times).flatMap(([witness, time]) => (isStale(time) ? [] : [witness]));
  if (policy.isMet(new Set(fresh))) return cosignatures;
  const last = cosignatures.map(({ name, at }) => `${name} at ${at}`).join(', ');
  throw stale(`the log of logs is stale: its witnesses signed it more than a day ago (${last}), and ${quorum}`);
}

/** When a witness signed, in seconds since 1970; null: it did not. */
function timeIn(note: SignedNote, key: VerifierKey): number | null {
  try {
    return verifyNote(note, [key])[0]!.time!;
  } catch (error) {
    if (isGazetteError(error, 'invalid_proof')) return null;
    throw error;
  }
}
