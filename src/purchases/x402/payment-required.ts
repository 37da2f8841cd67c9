// The PaymentRequired object of x402 version 2: what a client must sign to buy, and what it may use to open again what it
// bought. In a header it is base64, and it must stay under 4 KB.
import type { JsonValue } from '../../register/canonical-json.ts';
import { type ChainOffer, identifierExtension, PAYMENT_IDENTIFIER, requirementOf } from './offers.ts';
import { SIGN_IN_WITH_X } from './sign-in.ts';

/** What is sold, as the object names it. */
export interface PaidResource {
  /** Its public URL. */
  readonly url: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** An object of JSON. */
export type PaymentRequiredObject = Readonly<Record<string, JsonValue>>;

/** How many bytes of JSON make less than 4 KB of base64. */
const MAX_BYTES = 3_060;

/**
 * The object, at most {@link MAX_BYTES} long: a long description is left out, and a URL that leaves no room for them
 * takes the ways to open again with it.
 *
 * @param signIn the declaration of `sign-in-with-x` for this URL
 */
export function paymentRequired(
  offers: readonly ChainOffer[],
  resource: PaidResource,
  error: string,
  signIn: Readonly<Record<string, unknown>>,
): PaymentRequiredObject {
  const object = (about: PaidResource, extensions: Readonly<Record<string, unknown>>): string =>
    JSON.stringify({ x402Version: 2, error, resource: about, accepts: offers.map(requirementOf), extensions });
  const extensions = { [PAYMENT_IDENTIFIER]: identifierExtension(), [SIGN_IN_WITH_X]: signIn };
  const brief = { url: resource.url, ...(resource.mimeType === undefined ? {} : { mimeType: resource.mimeType }) };
  const texts = [object(resource, extensions), object(brief, extensions), object(brief, {})];
  const text = texts.find((one) => Buffer.byteLength(one) <= MAX_BYTES) ?? texts.at(-1) ?? '{}';
  return JSON.parse(text) as PaymentRequiredObject;
}
