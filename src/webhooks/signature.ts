// The signature of a delivery, created with Node's own crypto (specification 6, "Signature"): HMAC-SHA-256
// over `<t>.<raw body>`, in the header `X-Register-Signature: t=<unix seconds>,v1=<64 lowercase hex>`. It does not
// cover any other header. web-signature.ts checks it.
import { createHmac, randomBytes } from 'node:crypto';
import { checkWhole } from '../checks.ts';
import { checkSecrets } from './signature-rules.ts';

/** Random bytes in a secret: one more than the digest has, so that base64 needs no padding. */
const SECRET_BYTES = 33;

/** The beginning of every signing secret. */
export const SECRET_PREFIX = 'whsec_';

/**
 * A new signing secret: `whsec_` and 44 characters of base64 (264 random bits). The whole text is the key, prefix
 * included.
 */
export function createSigningSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * The value of the header `X-Register-Signature`.
 *
 * @param rawBody the bytes as they are sent; a string is encoded as UTF-8
 * @param secret the secret, or several: one `v1` for each
 * @param timestampSeconds Unix time of the sending, in whole seconds
 * @throws GazetteError `invalid_option`
 *
 * @example sign('{}', 'whsec_example', 1767225600) // 't=1767225600,v1=04a9…'
 */
export function sign(
  rawBody: Uint8Array | string,
  secret: string | readonly string[],
  timestampSeconds: number,
): string {
  const secrets = checkSecrets(secret);
  checkWhole('timestampSeconds', timestampSeconds, 0, Number.MAX_SAFE_INTEGER, 'a whole number of seconds');
  const digests = secrets.map((key) => digest(rawBody, key, String(timestampSeconds)).toString('hex'));
  return [`t=${timestampSeconds}`, ...digests.map((hex) => `v1=${hex}`)].join(',');
}

function digest(rawBody: Uint8Array | string, secret: string, timestamp: string): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}
