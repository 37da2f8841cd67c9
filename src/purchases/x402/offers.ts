// What x402 asks for: offers as payment requirements, the whole PaymentRequired object, and which requirement a payment
// accepted. Protocol: x402 version 2, scheme `exact` on EVM chains with EIP-3009. Nothing is converted: an offer names its
// network, its asset and its amount.
import type { PaymentRequirements } from '@x402/core/types';
import { isObject, isWhole } from '../../checks.ts';
import { GazetteError, quote } from '../../errors.ts';
import type { Price } from '../../stores/contract/ledger.ts';

/** A way to pay on chain. */
export interface ChainOffer {
  /** CAIP-2, such as `eip155:8453`. */
  readonly network: string;
  /** The address of a token with EIP-3009, such as USDC. */
  readonly asset: string;
  /** In the token's smallest unit: 10,000 are 0.01 USDC. 1..2^53-1. */
  readonly amount: number;
  /** The address that is paid. */
  readonly payTo: string;
  /** The token's EIP-712 name, such as `USD Coin`. */
  readonly name: string;
  /** The token's EIP-712 version, such as `2`. */
  readonly version: string;
}

/** How many offers an item can have: PAYMENT-REQUIRED must stay under 4 KB. */
export const MAX_CHAIN_OFFERS = 4;

/** How long a client has to pay, in seconds: its authorization is valid for so long. */
export const PAYMENT_SECONDS = 120;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const EVM_NETWORK = /^eip155:[1-9]\d{0,15}$/;

/**
 * Checks offers, such as those of a register's definition.
 *
 * @throws GazetteError `invalid_option` that names the offer's member
 */
export function checkOffers(offers: readonly ChainOffer[]): readonly ChainOffer[] {
  if (offers.length > MAX_CHAIN_OFFERS) {
    throw new GazetteError('invalid_option', `at most ${MAX_CHAIN_OFFERS} x402 offers, got ${offers.length}`);
  }
  for (const offer of offers) {
    check('network', offer.network, EVM_NETWORK.test(offer.network), 'an EVM chain by CAIP-2 such as eip155:8453');
    check('asset', offer.asset, ADDRESS.test(offer.asset), 'the address of a token, 0x and 40 hexadecimal digits');
    check('payTo', offer.payTo, ADDRESS.test(offer.payTo), 'an address, 0x and 40 hexadecimal digits');
    check('amount', offer.amount, isWhole(offer.amount, 1), 'a whole number of the token’s smallest unit, at least 1');
    check('name', offer.name, /^[\x20-\x7e]{1,60}$/.test(offer.name), 'the EIP-712 name of the token');
    check('version', offer.version, /^[\x20-\x7e]{1,20}$/.test(offer.version), 'the EIP-712 version of the token');
  }
  return offers;
}

function check(member: string, value: unknown, isRight: boolean, expected: string): void {
  if (isRight) return;
  throw new GazetteError('invalid_option', `${member} of an x402 offer must be ${expected}, got ${quote(value)}`);
}

/** The price of an offer, with its asset by CAIP-19 as currency. */
export function priceOf({ network, asset, amount }: Pick<ChainOffer, 'network' | 'asset' | 'amount'>): Price {
  return { amount, currency: `${network}/erc20:${asset}`.toLowerCase() };
}

/** An offer as a member of `accepts`. */
export function requirementOf(offer: ChainOffer): PaymentRequirements {
  return {
    scheme: 'exact',
    network: networkOf(offer.network),
    asset: offer.asset,
    amount: String(offer.amount),
    payTo: offer.payTo,
    maxTimeoutSeconds: PAYMENT_SECONDS,
    extra: { assetTransferMethod: 'eip3009', name: offer.name, version: offer.version },
  };
}

/** The offer that a payment accepted. */
export function acceptedOffer(accepted: PaymentRequirements, offers: readonly ChainOffer[]): ChainOffer {
  const members = [
    ['scheme', accepted.scheme],
    ['network', accepted.network],
    ['asset', accepted.asset.toLowerCase()],
    ['payTo', accepted.payTo.toLowerCase()],
    ['amount', accepted.amount],
  ] as const;
  let left = offers;
  for (const [member, value] of members) {
    left = left.filter((offer) => requirementOf(offer)[member].toLowerCase() === value);
    if (left.length === 0) {
      throw refused(
        `wrong_${member === 'payTo' ? 'payee' : member}`,
        `the payment accepts ${member} ${quote(value)}, which this record is not offered for: sign one of the requirements in PAYMENT-REQUIRED`,
      );
    }
  }
  const [offer] = left;
  if (offer === undefined) throw refused('wrong_scheme', 'the record is not offered for payments on chain');
  return offer;
}

/** A payment that buys nothing. `reason` is a code for programs. */
export function refused(reason: string, message: string): GazetteError {
  return new GazetteError('payment_refused', message, { details: { reason } });
}

/** The extension that lets a client name its payment: the same identifier opens again what it paid for. */
export const PAYMENT_IDENTIFIER = 'payment-identifier';

/** The declaration of {@link PAYMENT_IDENTIFIER} in PaymentRequired. */
export function identifierExtension(): Readonly<Record<string, unknown>> {
  return {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { required: { type: 'boolean' }, id: { type: 'string', minLength: 16, maxLength: 128 } },
      required: ['required'],
    },
  };
}

/** The identifier that came with a payment; null: none. @throws GazetteError `invalid_payment` for a malformed one */
export function identifierOf(extensions: Readonly<Record<string, unknown>> | null | undefined): string | null {
  const extension = extensions?.[PAYMENT_IDENTIFIER];
  if (extension === undefined) return null;
  const info = isObject(extension) && isObject(extension.info) ? extension.info : {};
  if (info.id === undefined) return null;
  if (typeof info.id === 'string' && /^[A-Za-z0-9_-]{16,128}$/.test(info.id)) return info.id;
  throw new GazetteError(
    'invalid_payment',
    `the id of ${PAYMENT_IDENTIFIER} must be 16..128 letters, digits, - and _, got ${quote(info.id)}`,
  );
}

/** CAIP-2 as the protocol's types want it. @throws GazetteError `invalid_option` without a namespace */
export function networkOf(text: string): `${string}:${string}` {
  const [namespace, reference, ...rest] = text.split(':');
  if (namespace === undefined || reference === undefined || rest.length > 0) {
    throw new GazetteError(
      'invalid_option',
      `a network must be named by CAIP-2, such as eip155:8453, got ${quote(text)}`,
    );
  }
  return `${namespace}:${reference}`;
}
