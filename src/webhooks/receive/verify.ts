// The receiving side's one check: the raw bytes, before any JSON is parsed (specification 6, "Signature"). With Node's
// crypto, which answers at once; verify-web.ts does the same with WebCrypto.
import type { WebhookEvent } from '../event.ts';
import { checkSignature } from '../signature.ts';
import { eventOf, signatureOf, type VerifyOptions, type WebhookHeaders } from './delivery-rules.ts';

/**
 * The event of a delivery, once its signature, its time and its id have proved right.
 *
 * @param rawBody the bytes as they came, before anybody parsed them
 * @param secret the endpoint's signing secret, `whsec_` included; several while it is rotated
 * @throws GazetteError `invalid_signature` (`details.reason`: `missing`, `malformed`, `timestamp`, `digest`, `mismatch`),
 *   `signature_expired`; `invalid_event` (`details.reason`: `header`, `body`, `id`) for one that is signed and still no
 *   event; `invalid_option` when it was called wrongly.
 *
 * @example const event = verifyWebhook(new Uint8Array(await request.arrayBuffer()), request.headers, secret);
 */
export function verifyWebhook(
  rawBody: Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): WebhookEvent {
  checkSignature(rawBody, signatureOf(rawBody, headers), { ...options, secret });
  return eventOf(rawBody, headers);
}
