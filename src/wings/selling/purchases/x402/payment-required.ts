// The PaymentRequired object of x402 version 2: what a client must sign to buy, and what it may use to open again what it
// bought. In a header it is base64, and it must stay under 4 KB.
import type { JsonValue } from '../../../../register/canonical-json.ts';
import type { ChainPrice } from '../../../../register/record.ts';
import type { OfferedResource } from '../provider.ts';
import { identifierExtension, PAYMENT_IDENTIFIER, requirementOf } from './offers.ts';
import { SIGN_IN_WITH_X } from './sign-in.ts';

/** An object of JSON. */
export type PaymentRequiredObject = Readonly<Record<string, JsonValue>>;

/** How many bytes of JSON make less than 4 KB of base64. */
const MAX_BYTES = 3_060;

/**
 * The object, at most {@link MAX_BYTES} long: a long description is left out first, then the ways to open again, then
 * the last prices.
 *
 * @param signIn the declaration of `sign-in-with-x` for this URL
 */
export function paymentRequired(
  offers: readonly ChainPrice[],
  resource: OfferedResource,
  error: string,
  signIn: Readonly<Record<string, unknown>>,
): PaymentRequiredObject {
  const extensions = { [PAYMENT_IDENTIFIER]: identifierExtension(), [SIGN_IN_WITH_X]: signIn };
  const brief = { url: resource.url, ...(resource.mimeType === undefined ? {} : { mimeType: resource.mimeType }) };
  const accepts = offers.map(requirementOf);
  const objects = [
    { resource, accepts, extensions },
    { resource: brief, accepts, extensions },
    ...accepts.map((_, left) => ({
      resource: brief,
      accepts: accepts.slice(0, accepts.length - left),
      extensions: {},
    })),
  ];
  const texts = objects.map((members) => JSON.stringify({ x402Version: 2, error, ...members }));
  const text = texts.find((one) => Buffer.byteLength(one) <= MAX_BYTES) ?? texts.at(-1) ?? '{}';
  return JSON.parse(text) as PaymentRequiredObject;
}
