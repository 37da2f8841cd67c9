// The signature of a delivery, created and checked with Node's own crypto (specification 6, "Signature"): HMAC-SHA-256
// over `<t>.<raw body>`, in the header `X-Register-Signature: t=<unix seconds>,v1=<64 lowercase hex>`. It does not
// cover any other header. signature-rules.ts has the rules for the header's content.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { checkWhole } from '../checks.ts';
import { checkSecrets, readSignature, type SignatureCheck, signatureMismatch } from './signature-rules.ts';

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

/**
 * Checks a body against its header. It returns if the signature is valid and throws otherwise.
 *
 * @param header the value of `X-Register-Signature`; null when there is none
 * @throws GazetteError `invalid_signature` with `details.reason` (`missing`, `malformed`, `timestamp`, `digest`,
 *   `mismatch`), `signature_expired`; `invalid_option` for a secret or a tolerance that could not protect anything.
 */
export function checkSignature(rawBody: Uint8Array, header: string | null, check: SignatureCheck): void {
  const { timestamp, digests, secrets } = readSignature(header, check);
  const given = digests.map((hex) => Buffer.from(hex, 'hex'));
  let matches = false;
  // Compares each with each, without stopping at the first match: the duration does not reveal which one matched.
  for (const secret of secrets) {
    const expected = digest(rawBody, secret, timestamp);
    for (const candidate of given) matches = isEqual(candidate, expected) || matches;
  }
  if (!matches) throw signatureMismatch();
}

function digest(rawBody: Uint8Array | string, secret: string, timestamp: string): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest();
}

/** In constant time. timingSafeEqual() throws if the lengths differ. */
function isEqual(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
