// Keys of signed notes (C2SP signed-note), of Ed25519 alone: those of logs, and those of witnesses, whose signatures say when
// (C2SP tlog-cosignature). They are written as Go's `sumdb/note` writes them.
import { createPrivateKey, createPublicKey, hash, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { GazetteError } from '../../../errors.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** The signature types that are made and checked here: of a log, and of a witness. */
export const SIGNATURE_TYPES: Readonly<Record<KeyRole, number>> = { log: 0x01, witness: 0x04 };

/** What a key signs as. */
export type KeyRole = 'log' | 'witness';

/** The length of a public key and of a seed, in bytes (RFC 8032 5.1). */
const KEY_LENGTH = 32;

/** RFC 8410: the 32 bytes of a seed follow these in a PKCS #8 document, those of a public key in a SubjectPublicKeyInfo. */
const SEED_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** A key that checks signatures. */
export interface VerifierKey {
  /** Who signs: without spaces and `+`; for a log its origin. */
  readonly name: string;
  /** What it signs as. */
  readonly role: KeyRole;
  /** The first four bytes of a hash over all this, which signatures carry. */
  readonly id: number;
  /** 32 bytes (RFC 8032). */
  readonly publicKey: Uint8Array;
}

/** A key that signs. */
export interface SignerKey extends VerifierKey {
  /** Signs bytes with Ed25519. */
  readonly sign: (message: Uint8Array) => Uint8Array;
}

/** Whether a text can be the name of a key. */
export function isKeyName(name: string): boolean {
  return name !== '' && name.isWellFormed() && !/[\s\u0085+]/u.test(name) && !/[\x00-\x1f]/.test(name);
}

function keyId(name: string, role: KeyRole, publicKey: Uint8Array): number {
  const parts = [Buffer.from(`${name}\n`), Buffer.of(SIGNATURE_TYPES[role]), publicKey];
  return hash('sha256', Buffer.concat(parts), 'buffer').readUInt32BE();
}

function idText(id: number): string {
  return id.toString(16).padStart(8, '0');
}

/** A key as text: `<name>+<id>+<base 64 of its type and bytes>`. */
export function formatVerifierKey({ name, role, id, publicKey }: VerifierKey): string {
  return `${name}+${idText(id)}+${toBase64(Buffer.concat([Buffer.of(SIGNATURE_TYPES[role]), publicKey]))}`;
}

/** What stands between the `+` of a key: its name, the number of its id, its role and its 32 bytes; null when malformed. */
function partsOf(text: string): { name: string; id: number; role: KeyRole; bytes: Uint8Array } | null {
  const [, name, id, rest] = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/s.exec(text) ?? [];
  if (name === undefined || id === undefined || rest === undefined || !isKeyName(name)) return null;
  const bytes = fromBase64(rest);
  const role = bytes?.[0] === SIGNATURE_TYPES.witness ? 'witness' : 'log';
  if (bytes?.length !== 1 + KEY_LENGTH || bytes[0] !== SIGNATURE_TYPES[role]) return null;
  return { name, id: Number.parseInt(id, 16), role, bytes: bytes.subarray(1) };
}

/**
 * Reads a verifier key.
 *
 * @example parseVerifierKey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k').role // 'log'
 * @throws GazetteError `invalid_log_key` for another form, another type than Ed25519, or an id that is not the key's own
 */
export function parseVerifierKey(text: string): VerifierKey {
  const parts = partsOf(text);
  if (parts === null) throw invalidKey('a verifier key');
  const { name, role, id, bytes } = parts;
  if (id === keyId(name, role, bytes)) return { name, role, id, publicKey: bytes };
  throw invalidKey('a verifier key');
}

/** The same key under another name: one seed signs all logs of a service. */
export function renamedKey({ role, publicKey }: Pick<VerifierKey, 'role' | 'publicKey'>, name: string): VerifierKey {
  return { name, role, id: keyId(name, role, publicKey), publicKey };
}

const SIGNER_PREFIX = 'PRIVATE+KEY+';

/**
 * Reads a signing key: `PRIVATE+KEY+<name>+<id>+<base 64 of its type and its seed>`. No message shows any of it.
 *
 * @throws GazetteError `invalid_log_key`
 */
export function parseSignerKey(text: string): SignerKey {
  const parts = text.startsWith(SIGNER_PREFIX) ? partsOf(text.slice(SIGNER_PREFIX.length)) : null;
  if (parts === null) throw invalidKey('a signing key');
  const signer = signerOf(parts.name, parts.role, parts.bytes);
  if (signer.id === parts.id) return signer;
  throw invalidKey('a signing key');
}

/** The signing key of a name and a seed. @param seed 32 random bytes @throws GazetteError `invalid_log_key` */
export function signerOf(name: string, role: KeyRole, seed: Uint8Array): SignerKey {
  if (!isKeyName(name) || seed.length !== KEY_LENGTH) throw invalidKey('a name and a seed');
  const key = createPrivateKey({ key: Buffer.concat([SEED_HEAD, seed]), format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_HEAD.length);
  return {
    name,
    role,
    id: keyId(name, role, publicKey),
    publicKey,
    sign: (message) => sign(null, message, key),
  };
}

/** Makes a signing key, as text. Who has it signs in the name of the log. */
export function generateSignerKey(name: string, role: KeyRole): string {
  const seed = randomBytes(KEY_LENGTH);
  const { id } = signerOf(name, role, seed);
  return `${SIGNER_PREFIX}${name}+${idText(id)}+${toBase64(Buffer.concat([Buffer.of(SIGNATURE_TYPES[role]), seed]))}`;
}

/** Whether a signature over bytes is the key's. */
export function isSignedBy({ publicKey }: VerifierKey, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, publicKeyObject(publicKey), signature);
}

function publicKeyObject(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, publicKey]), format: 'der', type: 'spki' });
}

function invalidKey(what: string): GazetteError {
  const expected = 'a name without spaces and +, an id that belongs to it, and an Ed25519 key of 32 bytes';
  return new GazetteError('invalid_log_key', `${what} must have ${expected}`);
}
