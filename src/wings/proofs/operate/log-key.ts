// The keys of all logs: each signs in the name of every log, and lies in this process or with a program.
import { GazetteError } from '../../../errors.ts';
import { formatVerifierKey, isSignedBy, renamedKey, signerOf, type VerifierKey } from '../tlog/keys.ts';
import { formatNote, signText } from '../tlog/note.ts';

/** The environment variable that contains the key. */
export const LOG_KEY_VARIABLE = 'GAZETTE_LOG_KEY';

/** A key of logs (Ed25519, RFC 8032). */
export interface LogKey {
  /** Its 32 bytes. */
  readonly publicKey: Uint8Array;
  /** @returns the 64 bytes of the signature over a message */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/**
 * The keys that were given as text: one, or while it is replaced two, the new one first.
 *
 * @param text 64 hexadecimal digits each, with a space or a comma between them
 * @throws GazetteError `invalid_log_key`
 */
export function readLogKeys(text: string): LogKey[] {
  const parts = text.trim().split(/[\s,]+/);
  const isSound = parts.every((hex) => /^[0-9a-f]{64}$/i.test(hex)) && new Set(parts).size === parts.length;
  // The name stands in the key's id alone, and not in what it signs.
  if (isSound && parts.length <= 2) return parts.map((hex) => signerOf('log', 'log', Buffer.from(hex, 'hex')));
  throw new GazetteError(
    'invalid_log_key',
    `${LOG_KEY_VARIABLE} must be 64 hexadecimal digits, or two different keys with a space between them: gazette log key`,
  );
}

/** What checks the signatures of keys for a log, in their order. */
export function verifiersOf(keys: readonly LogKey[], origin: string): VerifierKey[] {
  return keys.map(({ publicKey }) => renamedKey({ role: 'log', publicKey }, origin));
}

/** The same as text, a line each. */
export function formatKeys(keys: readonly LogKey[], origin: string): string {
  return verifiersOf(keys, origin).map(formatVerifierKey).join('\n');
}

/**
 * A text of a log, signed with each key.
 *
 * @throws GazetteError `invalid_log_key` for a signature that is not the key's; what the keys throw
 */
export async function signedNote(text: string, keys: readonly LogKey[], origin: string): Promise<string> {
  const message = Buffer.from(text);
  const verifiers = verifiersOf(keys, origin);
  const signatures = await Promise.all(
    keys.map(async (key, at) => {
      const signature = await key.sign(message);
      const verifier = verifiers[at]!;
      if (isSignedBy(verifier, message, signature)) return signText(text, { ...verifier, sign: () => signature }, 0);
      throw new GazetteError('invalid_log_key', 'a signature of a log must be that of its key: nothing was published');
    }),
  );
  return formatNote({ text, signatures });
}
