// Checks a signature with WebCrypto, which every web-standard runtime has. signature-rules.ts has the rules for the
// header's content. Web-standard globals only.
import { readSignature, type SignatureCheck, signatureMismatch } from './signature-rules.ts';

const HMAC = { name: 'HMAC', hash: 'SHA-256' };

const encoder = new TextEncoder();

/**
 * Checks a body against its header. It resolves if the signature is valid and rejects otherwise.
 *
 * @param header the value of `X-Register-Signature`; null when there is none
 * @throws GazetteError `invalid_signature` with `details.reason` (`missing`, `malformed`, `timestamp`, `digest`,
 *   `mismatch`), `signature_expired`; `invalid_option` for a secret or a tolerance that could not protect anything.
 */
export async function checkSignature(rawBody: Uint8Array, header: string | null, check: SignatureCheck): Promise<void> {
  const { timestamp, digests, secrets } = readSignature(header, check);
  const signed = joined(encoder.encode(`${timestamp}.`), rawBody);
  const given = digests.map(bytesOfHex);
  let matches = false;
  // Compares each with each, without stopping at the first match: the duration does not reveal which one matched.
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', encoder.encode(secret), HMAC, false, ['verify']);
    for (const candidate of given) {
      // It compares in constant time, and accepts only its own length (Web Cryptography API, HMAC, "Verify").
      matches = (await crypto.subtle.verify(HMAC.name, key, candidate, signed)) || matches;
    }
  }
  if (!matches) throw signatureMismatch();
}

function joined(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(before.length + after.length);
  bytes.set(before);
  bytes.set(after, before.length);
  return bytes;
}

/** @param hex an even number of hexadecimal digits */
function bytesOfHex(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  );
}
