// Checkpoints (C2SP tlog-checkpoint): what a log says it is, signed.
import { createHash } from 'node:crypto';
import { isWhole } from '../../../checks.ts';
import { GazetteError, quote } from '../../../errors.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { HASH_LENGTH } from './hashes.ts';
import type { VerifierKey } from './keys.ts';
import { parseNote, type VerifiedSignature, verifyNote } from './note.ts';
import type { TreeHead } from './verification.ts';

/** What a checkpoint says. */
export interface Checkpoint extends TreeHead {
  /** The name of the log, which never changes. */
  readonly origin: string;
}

/** A checkpoint whose signatures were checked. */
export interface VerifiedCheckpoint extends Checkpoint {
  /** One for each trusted key that signed; at least one of the log itself. */
  readonly signatures: readonly VerifiedSignature[];
}

/** The text of a checkpoint, to be signed. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/**
 * Reads the text of a checkpoint. What follows its three lines is passed over.
 *
 * @throws GazetteError `invalid_proof` when it is malformed
 */
export function parseCheckpoint(text: string): Checkpoint {
  const [origin = '', sizeText = '', rootText = '', ...rest] = text.split('\n');
  const size = /^(0|[1-9]\d{0,15})$/.test(sizeText) ? Number(sizeText) : Number.NaN;
  const root = fromBase64(rootText);
  const isSound = rest.pop() === '' && rest.every((line) => line !== '');
  if (isSound && origin !== '' && isWhole(size, 0) && root?.length === HASH_LENGTH) return { origin, size, root };
  throw new GazetteError('invalid_proof', 'a checkpoint must have an origin, a size and a root of 32 bytes');
}

/**
 * Reads a checkpoint that a log signed.
 *
 * @param note the signed note
 * @param origin the name of the log
 * @param keys the keys that are trusted: of the log, of which one has to sign, and of witnesses
 * @throws GazetteError `invalid_proof` when it is malformed, of another log or not signed by it
 */
export function openCheckpoint(note: string, origin: string, keys: readonly VerifierKey[]): VerifiedCheckpoint {
  const signed = parseNote(note);
  const checkpoint = parseCheckpoint(signed.text);
  if (checkpoint.origin !== origin) {
    const message = `the checkpoint must be of the log ${quote(origin)}, but it is of ${quote(checkpoint.origin)}`;
    throw new GazetteError('invalid_proof', message);
  }
  const signatures = verifyNote(signed, keys);
  if (signatures.some(({ key }) => key.role === 'log' && key.name === origin)) return { ...checkpoint, signatures };
  throw new GazetteError('invalid_proof', `the checkpoint must be signed by the log ${quote(origin)} itself`);
}

/** The name of a log in the addresses of a witness: the SHA-256 of its origin, in hexadecimal digits (C2SP tlog-witness). */
export function originHash(origin: string): string {
  return createHash('sha256').update(origin).digest('hex');
}
