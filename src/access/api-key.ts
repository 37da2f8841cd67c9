// An API key as text: `gz_`, 32 random base62 characters, `_`, and the CRC-32 of everything before it in base62. The
// checksum is not a secret: it detects typing errors and truncated keys without a look-up, and lets scanners of source
// code tell real keys from similar texts.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { NewApiKey } from '../stores/contract/accounts.ts';

/** Returns this number of unpredictable bytes. */
export type RandomBytes = (size: number) => Uint8Array;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 190 bits: impossible to guess, and no two keys are the same. */
const SECRET_LENGTH = 32;

/** 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6;

/** 71 bits, for an id that need not be secret. */
const ID_LENGTH = 12;

/** The ids of keys: `key_` and 12 base62 characters. */
export const KEY_IDS: { readonly pattern: RegExp } = { pattern: new RegExp(`^key_[0-9A-Za-z]{${ID_LENGTH}}$`) };

/** The largest multiple of 62 that a byte can hold. Bytes from here on would favour the first characters. */
const FAIR_BYTES = 248;

const API_KEY = new RegExp(`^(gz_[0-9A-Za-z]{${SECRET_LENGTH}}_)([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** A key anywhere in a text. The look-ahead finds keys that begin inside other candidates. */
const KEY_INSIDE = new RegExp(`(?=(gz_[0-9A-Za-z]{${SECRET_LENGTH}}_[0-9A-Za-z]{${CHECKSUM_LENGTH}}))`, 'g');

/** The product of a deployment that does not set one. */
export const DEFAULT_PRODUCT = 'gazette';

/**
 * Creates a key.
 *
 * @param random a cryptographically secure source. Default: Node's own.
 * @example createApiKey() // 'gz_…_…', 42 characters
 */
export function createApiKey(random: RandomBytes = randomBytes): string {
  const body = `gz_${randomText(SECRET_LENGTH, random)}_`;
  return body + checksumOf(body);
}

/** Whether the text has the form of a key, even one with a wrong checksum, which was mistyped. */
export function hasKeyForm(text: string): boolean {
  return API_KEY.test(text);
}

/** Whether the text has the form of a key and a correct checksum. Only the store knows whether the key exists. */
export function isApiKey(text: string): boolean {
  const match = API_KEY.exec(text);
  return match !== null && checksumOf(match[1]!) === match[2];
}

/** Whether a whole key, with a correct checksum, is anywhere in the text. */
export function containsApiKey(text: string): boolean {
  return text.includes('gz_') && [...text.matchAll(KEY_INSIDE)].some(([, key]) => isApiKey(key!));
}

/** The SHA-256 of a key, under which it is stored and found. */
export function digestApiKey(key: string): Buffer {
  return Buffer.from(digestText(key), 'latin1');
}

/** The same as a text with one character per byte: for look-ups, and faster to create. */
export function digestText(key: string): string {
  return hash('sha256', key, 'binary');
}

/** The stored entry of a new key, with its own id. */
export function newKeyEntry(
  key: string,
  { accountId, product, createdAt }: Pick<NewApiKey, 'accountId' | 'product' | 'createdAt'>,
  random: RandomBytes = randomBytes,
): NewApiKey {
  const id = `key_${randomText(ID_LENGTH, random)}`;
  return { id, accountId, product, digest: digestApiKey(key), lastFour: key.slice(-4), createdAt };
}

function randomText(length: number, random: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < FAIR_BYTES) text += BASE62[byte % BASE62.length]!;
    }
  }
  return text;
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = BASE62[rest % BASE62.length]! + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}
