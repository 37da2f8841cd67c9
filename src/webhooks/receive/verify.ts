// The check of a receiver: the raw bytes, before any JSON is parsed (specification 6, "Signature"). It uses Node's
// crypto and is synchronous; verify-web.ts does the same with WebCrypto.
import type { WebhookEvent } from '../event.ts';
import { checkSignature } from '../signature.ts';
import { bytesOf, eventOf, signatureOf, type VerifyOptions, type WebhookHeaders } from './delivery-rules.ts';

/**
 * The event of a delivery, once its signature, its time and its id have been verified.
 *
 * @param rawBody the bytes as received, before any parsing
 * @param secret the endpoint's signing secret, including `whsec_`; several while it is rotated
 * @throws GazetteError `invalid_signature` (`details.reason`: `missing`, `malformed`, `timestamp`, `digest`,
 *   `mismatch`), `signature_expired`; `invalid_event` (`details.reason`: `header`, `body`, `id`) for a signed body that
 *   is not an event; `invalid_option` for wrong arguments.
 *
 * @example const event = verifyWebhook(await request.arrayBuffer(), request.headers, secret);
 */
export function verifyWebhook(
  rawBody: ArrayBuffer | ArrayBufferView,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): WebhookEvent {
  const body = bytesOf(rawBody);
  checkSignature(body, signatureOf(headers), { ...options, secret });
  return eventOf(body, headers);
}
