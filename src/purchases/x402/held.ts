// What a hold stores of a payment, and what the chain is to be searched for.
import type { PaymentRequirements } from '@x402/core/types';
import { isObject, isWhole } from '../../checks.ts';
import { GazetteError } from '../../errors.ts';
import type { JsonValue } from '../../register/canonical-json.ts';
import type { Hold, NewHold } from '../../stores/contract/ledger.ts';
import type { ChainTerms } from './chain.ts';
import { networkOf, PAYMENT_SECONDS } from './offers.ts';
import { readPayment } from './payment.ts';

/** What a hold says of its payment. */
export interface HeldTerms {
  readonly terms: ChainTerms;
  /** The newest block before the hold was written: the payment is in a later one, or nowhere. */
  readonly fromBlock: number;
  /** When the authorization ends, in seconds since 1970. */
  readonly validBefore: number;
  readonly requirements: PaymentRequirements;
}

/** The requirements as a hold stores them. */
export function askedFor(requirements: PaymentRequirements, fromBlock: number): JsonValue {
  const { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra } = requirements;
  const members = { name: String(extra.name), version: String(extra.version) };
  return { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra: members, fromBlock };
}

/** Reads a hold. @throws GazetteError `invalid_payment` for one that was not written by this provider */
export function termsOf(hold: Hold): HeldTerms {
  const { payTo, asset, fromBlock, extra } = isObject(hold.requirements) ? hold.requirements : {};
  if (typeof payTo !== 'string' || typeof asset !== 'string' || !isWhole(fromBlock, 0) || !isObject(extra)) {
    throw new GazetteError('invalid_payment', `entry ${hold.number} of the ledger does not say what was asked for`);
  }
  const { signed } = readPayment(hold.payload);
  return {
    terms: {
      asset: hold.asset,
      from: hold.from,
      nonce: hold.nonce,
      payTo: payTo.toLowerCase(),
      amount: hold.item.price.amount,
    },
    fromBlock,
    validBefore: signed.validBefore,
    requirements: {
      scheme: 'exact',
      network: networkOf(hold.network),
      asset,
      amount: String(hold.item.price.amount),
      payTo,
      maxTimeoutSeconds: PAYMENT_SECONDS,
      extra: { ...extra },
    },
  };
}

/** Values that came as JSON, or were made to be JSON, as the store takes them. */
export function asJson(value: unknown): NewHold['payload'] {
  return JSON.parse(JSON.stringify(value)) as NewHold['payload'];
}
