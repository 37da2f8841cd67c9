// The facilitator: who checks a signed payment and brings it to the chain. What it says is a claim: the chain decides what
// was paid. Its client is that of @x402/core, an optional peer, which is loaded when payments are set up.
import type { FacilitatorClient } from '@x402/core/http';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { isObject } from '../../../../checks.ts';
import { GazetteError } from '../../../../errors.ts';

/** How long a facilitator may take, in milliseconds. A settlement that takes longer is looked for on the chain. */
export const FACILITATOR_TIMEOUT_MS = 30_000;

/** What a facilitator says of a payment. `reason` is its code. */
export type Verdict = { readonly isValid: true } | { readonly isValid: false; readonly reason: string };

/** What a facilitator says of a settlement. */
export type SettlementClaim =
  | { readonly kind: 'settled'; readonly transaction: string }
  /** It says that it did not settle. That is no proof that nobody did. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** No answer, none that can be read, or one that says to wait. */
  | { readonly kind: 'unknown' };

/**
 * The client of a facilitator's address.
 *
 * @throws GazetteError `missing_peer` where `@x402/core` is not installed; `invalid_option` for another address than http(s)
 */
export async function connectFacilitator(
  url: string,
  timeoutMs: number = FACILITATOR_TIMEOUT_MS,
): Promise<FacilitatorClient> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new GazetteError('invalid_option', 'the address of the facilitator must be an http or https URL');
  }
  const core = await import('@x402/core/http').catch((cause: unknown) => {
    throw new GazetteError('missing_peer', 'payments by x402 need the package @x402/core: npm install @x402/core', {
      cause,
    });
  });
  return new core.HTTPFacilitatorClient({ url, timeoutMs });
}

/** Asks whether a payment is valid. @throws GazetteError `payment_unavailable` when it gives no usable answer */
export async function verify(
  facilitator: FacilitatorClient,
  payload: PaymentPayload,
  requirements: PaymentRequirements,
): Promise<Verdict> {
  const from = payerOf(payload);
  const answer = await facilitator.verify(payload, requirements).catch((cause: unknown) => {
    // The client throws where the status is not 2xx, even if the body is an answer.
    if (cause instanceof Error && cause.name === 'VerifyError' && 'invalidReason' in cause) {
      return { isValid: false, invalidReason: codeOf(cause.invalidReason), payer: from };
    }
    throw new GazetteError('payment_unavailable', 'the facilitator cannot check payments at the moment', { cause });
  });
  if (!answer.isValid) return { isValid: false, reason: codeOf(answer.invalidReason) };
  if (answer.payer !== undefined && answer.payer.toLowerCase() !== from)
    return { isValid: false, reason: 'wrong_payer' };
  return { isValid: true };
}

/** Has a payment settled. Never throws. */
export async function settle(
  facilitator: FacilitatorClient,
  payload: PaymentPayload,
  requirements: PaymentRequirements,
): Promise<SettlementClaim> {
  const answer = await facilitator.settle(payload, requirements).catch((cause: unknown) => {
    if (!(cause instanceof Error) || cause.name !== 'SettleError' || !('errorReason' in cause)) return null;
    return { success: false, errorReason: codeOf(cause.errorReason), transaction: '', network: requirements.network };
  });
  if (answer?.network !== requirements.network) return { kind: 'unknown' };
  if (answer.success) return { kind: 'settled', transaction: answer.transaction.toLowerCase() };
  const reason = codeOf(answer.errorReason);
  return /pending|time[d_]*out/i.test(reason) ? { kind: 'unknown' } : { kind: 'failed', reason };
}

function payerOf({ payload }: PaymentPayload): string {
  const { authorization } = payload;
  return isObject(authorization) && typeof authorization.from === 'string' ? authorization.from.toLowerCase() : '';
}

/** A facilitator's code, as far as it is one. */
function codeOf(reason: unknown): string {
  return typeof reason === 'string' && /^[\w.:-]{1,120}$/.test(reason) ? reason : 'unexpected_error';
}
