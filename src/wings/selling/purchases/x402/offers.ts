// What x402 asks for: offers as payment requirements, the whole PaymentRequired object, and which requirement a payment
// accepted. Protocol: x402 version 2, scheme `exact` on EVM chains with EIP-3009. Nothing is converted: an offer names its
// network, its asset and its amount.
import type { PaymentRequirements } from '@x402/core/types';
import { isObject } from '../../../../checks.ts';
import { GazetteError, quote } from '../../../../errors.ts';
import type { ChainPrice } from '../../../../register/record.ts';
import type { Tokens } from '../../../../money.ts';

/** How long a client has to pay, in seconds: its authorization is valid for so long. */
export const PAYMENT_SECONDS = 120;

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** Whether a price on chain can be paid by this scheme: definitions may name assets of other kinds of chains too. */
export function isPayable({ network, asset, pay_to: payTo }: ChainPrice): boolean {
  return /^eip155:[1-9]\d*$/.test(network) && ADDRESS.test(asset) && ADDRESS.test(payTo);
}

/** The price of an offer, with its asset by CAIP-19 as currency. */
export function priceOf({ network, asset, amount }: Pick<ChainPrice, 'network' | 'asset' | 'amount'>): Tokens {
  return { amount, currency: `${network}/erc20:${asset}`.toLowerCase() };
}

/** An offer as a member of `accepts`. */
export function requirementOf(offer: ChainPrice): PaymentRequirements {
  return {
    scheme: 'exact',
    network: networkOf(offer.network),
    asset: offer.asset,
    amount: offer.amount,
    payTo: offer.pay_to,
    maxTimeoutSeconds: PAYMENT_SECONDS,
    extra: { assetTransferMethod: 'eip3009', name: offer.name, version: offer.version },
  };
}

/** The offer that a payment accepted. */
export function acceptedOffer(accepted: PaymentRequirements, offers: readonly ChainPrice[]): ChainPrice {
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

/** Shorter ones could be guessed by who sees the payment on the chain. */
const MIN_IDENTIFIER = 16;

/** An `Idempotency-Key` as the identifier of a payment that names none; null for one that could be guessed. */
export function unguessable(idempotencyKey: string | null): string | null {
  return idempotencyKey !== null && idempotencyKey.length >= MIN_IDENTIFIER ? idempotencyKey : null;
}

/** The declaration of {@link PAYMENT_IDENTIFIER} in PaymentRequired. */
export function identifierExtension(): Readonly<Record<string, unknown>> {
  return {
    info: { required: false },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { required: { type: 'boolean' }, id: { type: 'string', minLength: MIN_IDENTIFIER, maxLength: 128 } },
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
