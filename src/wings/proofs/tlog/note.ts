// Signed notes (C2SP signed-note): a text, and one line for each signature over it. Signatures of a witness say when it was made
// (C2SP tlog-cosignature).
import { checkWhole } from '../../../checks.ts';
import { GazetteError, quote } from '../../../errors.ts';
import { fromBase64, toBase64 } from './base64.ts';
import { isKeyName, isSignedBy, type SignerKey, type VerifierKey } from './keys.ts';

/** A signature line. */
export interface NoteSignature {
  /** Who says to have signed. */
  readonly name: string;
  /** The id of the key. */
  readonly id: number;
  /** What follows the id, in the form of the key's type. */
  readonly bytes: Uint8Array;
}

/** A signed note. */
export interface SignedNote {
  /** What is signed; it ends with a line feed. */
  readonly text: string;
  /** At least one. None of them is checked yet. */
  readonly signatures: readonly NoteSignature[];
}

/** A signature that was checked. */
export interface VerifiedSignature {
  /** The key that made it. */
  readonly key: VerifierKey;
  /** When, in seconds since 1970; null for a log's, which does not say. */
  readonly time: number | null;
}

/** The longest note that is read, in UTF-16 units, and the most signatures. */
const MAX_LENGTH = 1024 * 1024;
const MAX_SIGNATURES = 100;

/** The length of an Ed25519 signature, and of the time before it, in bytes. */
const SIGNATURE_LENGTH = 64;
const TIME_LENGTH = 8;

const SIGNATURE_LINE = /^\u2014 (\S+) (\S+)$/u;

/**
 * Reads a signed note, and checks none of its signatures.
 *
 * @throws GazetteError `invalid_proof` when it is malformed
 */
export function parseNote(note: string): SignedNote {
  const at = note.lastIndexOf('\n\n');
  // C2SP signed-note: no control character but the line feed.
  const isText = note.length <= MAX_LENGTH && note.isWellFormed() && !/[\x00-\x09\x0b-\x1f]/.test(note);
  if (!isText || at < 0 || !note.endsWith('\n')) throw malformed('a text, an empty line and signatures');
  const lines = note.slice(at + 2, -1).split('\n');
  if (lines.length > MAX_SIGNATURES) throw malformed(`at most ${MAX_SIGNATURES} signatures`);
  return { text: note.slice(0, at + 1), signatures: lines.map(signatureOf) };
}

function signatureOf(line: string): NoteSignature {
  const [, name = '', base64 = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = fromBase64(base64);
  if (!isKeyName(name) || bytes === null || bytes.length < 5) throw malformed('signatures of a name, an id and bytes');
  return { name, id: Buffer.from(bytes).readUInt32BE(), bytes: bytes.subarray(4) };
}

/** A signed note as text. */
export function formatNote({ text, signatures }: SignedNote): string {
  return `${text}\n${signatures.map(lineOf).join('')}`;
}

function lineOf({ name, id, bytes }: NoteSignature): string {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(id);
  return `\u2014 ${name} ${toBase64(Buffer.concat([head, bytes]))}\n`;
}

/**
 * Signs a text.
 *
 * @param time seconds since 1970, at least 1, which a witness's signature says; that of a log does not
 * @throws GazetteError `invalid_option` for another time of a witness
 */
export function signText(text: string, { name, id, role, sign }: SignerKey, time: number): NoteSignature {
  if (role === 'log') return { name, id, bytes: sign(Buffer.from(text)) };
  checkWhole('time', time, 1, Number.MAX_SAFE_INTEGER);
  const stamp = Buffer.alloc(TIME_LENGTH);
  stamp.writeBigUInt64BE(BigInt(time));
  return { name, id, bytes: Buffer.concat([stamp, sign(cosigned(text, time))]) };
}

/** What a witness signs. */
function cosigned(text: string, time: number | bigint): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);
}

/**
 * Checks the signatures of a note. Those of other keys are passed over.
 *
 * @param keys the keys that are trusted
 * @returns one for each key that signed, at least one
 * @throws GazetteError `invalid_proof` when the signature of one of the keys is wrong, or none of them signed
 */
export function verifyNote({ text, signatures }: SignedNote, keys: readonly VerifierKey[]): VerifiedSignature[] {
  const verified = new Map<VerifierKey, VerifiedSignature>();
  for (const signature of signatures) {
    const key = keys.find(({ name, id }) => name === signature.name && id === signature.id);
    if (key === undefined || verified.has(key)) continue;
    const time = timeOf(text, signature.bytes, key);
    if (time === undefined) throw new GazetteError('invalid_proof', `the signature of ${quote(key.name)} is wrong`);
    verified.set(key, { key, time });
  }
  if (verified.size > 0) return [...verified.values()];
  const names = signatures.map(({ name }) => quote(name)).join(', ');
  throw new GazetteError('invalid_proof', `the note must be signed by one of the given keys, but it is by ${names}`);
}

/** When a signature was made, null where it does not say; undefined when it is not the key's. */
function timeOf(text: string, bytes: Uint8Array, key: VerifierKey): number | null | undefined {
  if (key.role === 'log')
    return bytes.length === SIGNATURE_LENGTH && isSignedBy(key, Buffer.from(text), bytes) ? null : undefined;
  if (bytes.length !== TIME_LENGTH + SIGNATURE_LENGTH) return undefined;
  const time = Buffer.from(bytes).readBigUInt64BE();
  // C2SP tlog-cosignature permits to reject times in the future. C2SP tlog-witness: a witness must say when it signed.
  if (time < 1 || time > Number.MAX_SAFE_INTEGER) return undefined;
  return isSignedBy(key, cosigned(text, time), bytes.subarray(TIME_LENGTH)) ? Number(time) : undefined;
}

function malformed(expected: string): GazetteError {
  return new GazetteError('invalid_proof', `a signed note must have ${expected}`);
}
