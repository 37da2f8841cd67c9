// An API key as text: `gz_`, 32 random characters of base62, `_`, and the CRC-32 of all before it in base62. The
// checksum is no secret: it finds typing errors and cut-off keys without a look-up, and lets scanners of source code
// tell a real key from a lookalike.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { GazetteError, quote } from '../errors.ts';
import type { NewApiKey } from '../stores/contract/accounts.ts';

/** Gives so many unpredictable bytes. */
export type RandomBytes = (size: number) => Uint8Array;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 190 bits: nobody guesses one, and no two are alike. */
const SECRET_LENGTH = 32;

/** 62^6 is more than 2^32. */
const CHECKSUM_LENGTH = 6;

/** 71 bits, for a name that need not be secret. */
const ID_LENGTH = 12;

/** The largest multiple of 62 that a byte can be: bytes from here on would favour the first characters. */
const FAIR_BYTES = 248;

const API_KEY = new RegExp(`^(gz_[0-9A-Za-z]{${SECRET_LENGTH}}_)([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

const PRODUCT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** The product of a deployment that names none. */
export const DEFAULT_PRODUCT = 'gazette';

/**
 * A new key.
 *
 * @param random a cryptographically secure source; default Node's own.
 * @example createApiKey() // 'gz_…_…', 42 characters
 */
export function createApiKey(random: RandomBytes = randomBytes): string {
  const body = `gz_${randomText(SECRET_LENGTH, random)}_`;
  return body + checksumOf(body);
}

/** Whether the text has the form of a key and its checksum is right; whether such a key exists is the store's to say. */
export function isApiKey(text: string): boolean {
  const match = API_KEY.exec(text);
  return match !== null && checksumOf(match[1]!) === match[2];
}

/** The SHA-256 of a key, by which it is kept and found. */
export function digestApiKey(key: string): Buffer {
  return Buffer.from(digestText(key), 'latin1');
}

/** The same as a text, a character for each byte: to look up by, and quicker to make. */
export function digestText(key: string): string {
  return hash('sha256', key, 'binary');
}

/** What is kept of a new key, under a name of its own. */
export function newKeyEntry(
  key: string,
  { accountId, product, createdAt }: Pick<NewApiKey, 'accountId' | 'product' | 'createdAt'>,
  random: RandomBytes = randomBytes,
): NewApiKey {
  const id = `key_${randomText(ID_LENGTH, random)}`;
  return { id, accountId, product, digest: digestApiKey(key), lastFour: key.slice(-4), createdAt };
}

/** @throws GazetteError `invalid_option` unless it is 1..64 of `A-Z a-z 0-9 . _ -` and starts with a letter or digit. */
export function checkProduct(product: string): void {
  if (!PRODUCT.test(product)) {
    throw new GazetteError(
      'invalid_option',
      `product must be 1..64 of A-Z a-z 0-9 . _ - and start with a letter or digit, got ${quote(product)}`,
      { details: { option: 'product' } },
    );
  }
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
