// What a hold stores of a payment, and what the chain is to be searched for.
import type { PaymentRequirements } from '@x402/core/types';
import { isObject, isWhole } from '../../../../checks.ts';
import { GazetteError } from '../../../../errors.ts';
import type { JsonValue } from '../../../../register/canonical-json.ts';
import type { Hold, NewHold } from '../../stores/contract/ledger.ts';
import type { ChainTerms } from './chain.ts';
import { networkOf, PAYMENT_SECONDS } from './offers.ts';
import { readPayment } from './payment.ts';

/** A chain can lose blocks: a payment may come into an earlier one than the newest when it was checked, by so many. */
const LOST_BLOCKS = 64;

/** What a hold says of its payment. */
export interface PaymentTerms {
  readonly terms: ChainTerms;
  /** The newest block when the payment was checked. */
  readonly checkedAt: number;
  /** The payment is in this block, or in a later one, however many blocks the chain has lost since it was checked. */
  readonly fromBlock: number;
  /** When the authorization ends, in seconds since 1970. */
  readonly validBefore: number;
  readonly requirements: PaymentRequirements;
}

/** The requirements as a hold stores them. */
export function storedRequirements(requirements: PaymentRequirements, fromBlock: number): JsonValue {
  const { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra } = requirements;
  const members = { name: String(extra.name), version: String(extra.version) };
  return { scheme, network, asset, amount, payTo, maxTimeoutSeconds, extra: members, fromBlock };
}

/** Reads a hold. @throws GazetteError `invalid_payment` for one that was not written by this provider */
export function termsOf(hold: Hold): PaymentTerms {
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
    checkedAt: fromBlock,
    fromBlock: Math.max(0, fromBlock - LOST_BLOCKS),
    validBefore: signed.validBefore,
    requirements: {
      scheme: 'exact',
      network: networkOf(hold.network),
      asset,
      amount: hold.item.price.amount,
      payTo,
      maxTimeoutSeconds: PAYMENT_SECONDS,
      extra: { ...extra },
    },
  };
}

/** What the ledger calls the transfer that paid a payment: its network, its transaction, and the entry of the payment. */
export function referenceOf({ network, number }: Pick<Hold, 'network' | 'number'>, transaction: string): string {
  return `${network}/${transaction}/${number}`;
}

/** Values that came as JSON, or were made to be JSON, as the store takes them. */
export function asJson(value: unknown): NewHold['payload'] {
  return JSON.parse(JSON.stringify(value)) as NewHold['payload'];
}
