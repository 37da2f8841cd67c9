// The check of a receiver: the raw bytes, before any JSON is parsed (specification 6, "Signature"). It uses WebCrypto, which
// every web-standard runtime has, so that it runs at an edge too. This file imports nothing from Node, directly or
// indirectly; the linter (webhooks-verify-web-standard) and a test enforce that.
import type { WebhookEvent } from '../event.ts';
import { checkSignature } from '../web-signature.ts';
import type { VerifyOptions } from '../signature-rules.ts';
import { bytesOf, eventOf, signatureOf, type WebhookHeaders } from './delivery-rules.ts';

/**
 * Resolves to the event of a delivery, once its signature, its time and its id have been verified. It must be awaited:
 * it rejects an invalid delivery.
 *
 * @param rawBody the bytes as received, before any parsing
 * @param secret the endpoint's signing secret, including `whsec_`; several while it is rotated
 * @throws GazetteError `invalid_signature` (`details.reason`: `missing`, `malformed`, `timestamp`, `digest`,
 *   `mismatch`), `signature_expired`; `invalid_event` (`details.reason`: `header`, `body`, `id`) for a signed body that
 *   is not an event; `invalid_option` for wrong arguments.
 *
 * @example const event = await verifyWebhook(await request.arrayBuffer(), request.headers, secret);
 */
export async function verifyWebhook(
  rawBody: ArrayBuffer | ArrayBufferView,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  // A copy: the parsed bytes must be the verified bytes, even if the caller changes its buffer during the wait.
  const body = new Uint8Array(bytesOf(rawBody));
  const signature = signatureOf(headers);
  await checkSignature(body, signature, { ...options, secret });
  return eventOf(body, headers);
}
