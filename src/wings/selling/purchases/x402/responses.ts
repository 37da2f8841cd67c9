// Settlement responses of x402 (PAYMENT-RESPONSE, `_meta["x402/payment-response"]`), with the receipt as an extension.
import type { GazetteError } from '../../../../errors.ts';
import type { JsonValue } from '../../../../register/canonical-json.ts';
import type { NewHold, Purchase } from '../../stores/contract/ledger.ts';
import type { Settlement } from '../provider.ts';

/** The extension of a settlement response that has the receipt. */
export const RECEIPT_EXTENSION = 'gazette-receipt';

/** When to ask again about a payment that nobody knows the end of yet, in seconds. */
const RETRY_SECONDS = 5;

/** Paid, now or before. */
export function settled(purchase: Purchase, receipt: string): Settlement {
  const { payer, charge } = purchase;
  // x402:eip155:8453:0x…, and the reference that the payment was charged by: network, transaction, entry of the payment.
  const [, namespace = '', chain = '', address = ''] = payer.split(':');
  const transaction = charge.reference?.split('/')[1] ?? '';
  return {
    state: 'settled',
    purchase,
    response: {
      success: true,
      transaction,
      network: `${namespace}:${chain}`,
      payer: address,
      amount: String(charge.price.amount),
      extensions: withReceipt(receipt),
    },
  };
}

/** Not known yet. @param receipt opens the item as soon as it is paid; null for who has shown only what the chain shows */
export function pending(hold: NewHold, receipt: string | null): Settlement {
  const extensions = receipt === null ? {} : { extensions: withReceipt(receipt) };
  return {
    state: 'pending',
    retryAfterSeconds: RETRY_SECONDS,
    response: { ...no(hold, 'settlement_pending'), ...extensions },
  };
}

/** Not paid, and not to be paid by this payment. */
export function failed(hold: NewHold, error: GazetteError): Settlement {
  const { reason } = error.details;
  return { state: 'failed', error, response: no(hold, typeof reason === 'string' ? reason : error.code) };
}

function no({ network, from }: NewHold, errorReason: string): Readonly<Record<string, JsonValue>> {
  return { success: false, errorReason, transaction: '', network, payer: from };
}

function withReceipt(receipt: string): JsonValue {
  return { [RECEIPT_EXTENSION]: { info: { receipt } } };
}
