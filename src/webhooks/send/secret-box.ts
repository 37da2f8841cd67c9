// Signing secrets as they are stored: encrypted with AES-256-GCM (NIST SP 800-38D), each bound to its endpoint. A
// reader of the database cannot read the secrets, and a writer cannot move a secret to another endpoint.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { hasSpaceAround } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';

/** The environment variable that contains the key. */
export const SECRETS_KEY_VARIABLE = 'GAZETTE_SECRETS_KEY';

const CIPHER = 'aes-256-gcm';

/** NIST SP 800-38D 8.2: 96 random bits. */
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts and decrypts the secrets of a deployment. */
export class SecretBox {
  // A KeyObject does not show the key when it is printed.
  readonly #keys: readonly [KeyObject, ...KeyObject[]];

  private constructor(keys: readonly [KeyObject, ...KeyObject[]]) {
    this.#keys = keys;
  }

  /**
   * @param hex 32 bytes as 64 hexadecimal characters, as in `GAZETTE_SECRETS_KEY`; or several keys, separated by commas:
   *   the first one encrypts, and all of them decrypt
   * @throws GazetteError `invalid_secrets_key`; the message says how to create a key, and never contains the given
   *   value
   */
  static fromHex(hex: string | undefined): SecretBox {
    if (hex === undefined || !/^[0-9a-fA-F]{64}(?:,[0-9a-fA-F]{64})*$/.test(hex)) {
      const isUnset = hex === undefined || hex === '';
      const other = hasSpaceAround(hex ?? '') ? 'its value has white space around it' : 'its value is something else';
      const got = isUnset ? 'it is not set' : other;
      throw new GazetteError(
        'invalid_secrets_key',
        `${SECRETS_KEY_VARIABLE} must be 32 bytes as 64 hexadecimal characters, and ${got}: signing secrets are kept encrypted ` +
          'with it. Make one with `openssl rand -hex 32`, keep it where passwords are kept, and set it for every command and process of this store',
      );
    }
    const [first = '', ...others] = hex.split(',');
    return new SecretBox([createSecretKey(first, 'hex'), ...others.map((key) => createSecretKey(key, 'hex'))]);
  }

  /** The stored form of a secret: initialisation vector, authentication tag, ciphertext. */
  seal(secret: string, endpointId: string): Uint8Array {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keys[0], iv);
    cipher.setAAD(Buffer.from(endpointId));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), text]);
  }

  /** Whether a secret was sealed with the first key, for this endpoint. */
  isCurrent(sealed: Uint8Array, endpointId: string): boolean {
    return opened(this.#keys[0], sealed, endpointId) !== null;
  }

  /**
   * @throws GazetteError `invalid_secrets_key` for a secret that was sealed with another key or for another endpoint
   */
  open(sealed: Uint8Array, endpointId: string): string {
    for (const key of this.#keys) {
      const secret = opened(key, sealed, endpointId);
      if (secret !== null) return secret;
    }
    throw new GazetteError(
      'invalid_secrets_key',
      `the secret of endpoint ${quote(endpointId)} was encrypted with another key than ${SECRETS_KEY_VARIABLE} now holds`,
      { details: { endpoint: endpointId } },
    );
  }
}

/** The secret; null if it was sealed with another key or for another endpoint. */
function opened(key: KeyObject, sealed: Uint8Array, endpointId: string): string | null {
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(endpointId));
    decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}
