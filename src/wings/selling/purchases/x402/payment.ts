// A payment as it comes with a request: decoded and checked as far as that needs neither the chain nor the facilitator.
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { isObject } from '../../../../checks.ts';
import { GazetteError, quote } from '../../../../errors.ts';
import type { JsonValue } from '../../../../register/canonical-json.ts';
import type { ChainPrice } from '../../../../register/record.ts';
import type { PaymentKey } from '../../stores/contract/ledger.ts';
import { isOfUndeployed } from './chain.ts';
import { identifierOf, networkOf, PAYMENT_SECONDS, refused } from './offers.ts';

/** `PAYMENT-SIGNATURE` is shorter: a signature, an authorization and what the server said. */
const MAX_PAYMENT_LENGTH = 16_384;

/** How much longer than asked for an authorization may be valid, in seconds: clocks of clients differ. */
const CLOCK_SECONDS = 600;

/** What the payer signed (EIP-3009), in lower case. Times are in seconds since 1970. */
export interface SignedAuthorization {
  /** The address that pays. */
  readonly from: string;
  /** The address that is paid. */
  readonly to: string;
  /** In the smallest unit of the asset, in digits. */
  readonly value: string;
  /** In seconds since 1970. */
  readonly validAfter: number;
  /** In seconds since 1970. */
  readonly validBefore: number;
  /** 32 bytes, hexadecimal. */
  readonly nonce: string;
}

/** A decoded payment. */
export interface Payment {
  /** The payment as it came. */
  readonly payload: PaymentPayload;
  /** The offer that it accepts. */
  readonly accepted: PaymentRequirements;
  /** The transfer that its payer signed. */
  readonly signed: SignedAuthorization;
  /** What identifies it. */
  readonly key: PaymentKey;
  /** The client's own name for it; null: none. */
  readonly identifier: string | null;
}

/**
 * Reads a payment: the text of `PAYMENT-SIGNATURE`, or the object of `_meta["x402/payment"]`.
 *
 * @throws GazetteError `invalid_payment` that says what is malformed; it never shows a signature
 */
export function readPayment(payment: JsonValue): Payment {
  const payload = typeof payment === 'string' ? decoded(payment) : payment;
  if (!isObject(payload)) throw malformed('an object', payload);
  if (payload.x402Version !== 2) throw malformed('of x402Version 2', payload.x402Version, 'x402Version');
  const accepted = readAccepted(payload.accepted);
  const { extensions = null, resource } = payload;
  if (extensions !== null && !isObject(extensions)) throw malformed('an object', extensions, 'extensions');
  if (!isObject(payload.payload)) throw malformed('an object', payload.payload, 'payload');
  const { signature, authorization } = payload.payload;
  if (typeof signature !== 'string' || !/^0x(?:[0-9a-fA-F]{2}){65,2048}$/.test(signature)) {
    throw new GazetteError(
      'invalid_payment',
      'payload.signature of the payment must be a signature of EIP-3009 in hexadecimal digits, at least 65 bytes',
    );
  }
  const signed = readAuthorization(authorization);
  return {
    payload: {
      x402Version: 2,
      ...(isObject(resource) && typeof resource.url === 'string' ? { resource: { url: resource.url } } : {}),
      accepted,
      payload: payload.payload,
      ...(extensions === null ? {} : { extensions }),
    },
    accepted,
    signed,
    key: {
      network: accepted.network,
      asset: accepted.asset.toLowerCase(),
      from: signed.from,
      nonce: signed.nonce,
    },
    identifier: identifierOf(extensions),
  };
}

/**
 * Checks that a payment pays an offer now.
 *
 * @param now in milliseconds since 1970
 * @throws GazetteError `payment_refused` with the reason in its details
 */
export function checkTerms({ payload, signed }: Payment, offer: ChainPrice, now: number): void {
  if (isOfUndeployed(String(payload.payload.signature))) {
    throw refused(
      'undeployed_wallet',
      'the wallet is not deployed yet (ERC-6492): deploy it, and sign without the wrapper',
    );
  }
  if (signed.to !== offer.pay_to.toLowerCase()) {
    throw refused('wrong_payee', `the authorization pays ${signed.to}, and not ${offer.pay_to}`);
  }
  if (signed.value !== offer.amount) {
    throw refused('wrong_amount', `the authorization pays ${quote(signed.value)}, and the price is ${offer.amount}`);
  }
  const seconds = Math.floor(now / 1000);
  if (signed.validBefore <= seconds) throw refused('expired', 'the authorization has expired: sign another one');
  if (signed.validAfter > seconds) throw refused('not_yet_valid', 'the authorization is not valid yet');
  if (signed.validBefore > seconds + PAYMENT_SECONDS + CLOCK_SECONDS) {
    throw refused(
      'valid_too_long',
      `the authorization must end within ${PAYMENT_SECONDS} seconds (maxTimeoutSeconds): until then nobody could tell whether it pays`,
    );
  }
}

function decoded(text: string): unknown {
  if (text.length > MAX_PAYMENT_LENGTH) {
    throw new GazetteError(
      'invalid_payment',
      `a payment has at most ${MAX_PAYMENT_LENGTH} characters, got ${text.length}`,
    );
  }
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw malformed('base64 of a JSON object', text);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64')));
  } catch {
    throw malformed('base64 of a JSON object', text);
  }
}

function readAccepted(accepted: unknown): PaymentRequirements {
  if (!isObject(accepted)) throw malformed('an object', accepted, 'accepted');
  const text = (member: string): string => {
    const value = accepted[member];
    if (typeof value !== 'string' || value === '' || value.length > 200) {
      throw malformed('a text', value, `accepted.${member}`);
    }
    return value;
  };
  const network = text('network').toLowerCase();
  if (!/^[^:]+:[^:]+$/.test(network)) throw malformed('a network by CAIP-2', network, 'accepted.network');
  return {
    scheme: text('scheme'),
    network: networkOf(network),
    asset: text('asset'),
    amount: text('amount'),
    payTo: text('payTo'),
    maxTimeoutSeconds: typeof accepted.maxTimeoutSeconds === 'number' ? accepted.maxTimeoutSeconds : PAYMENT_SECONDS,
    extra: isObject(accepted.extra) ? accepted.extra : {},
  };
}

function readAuthorization(authorization: unknown): SignedAuthorization {
  if (!isObject(authorization)) throw malformed('an object', authorization, 'payload.authorization');
  const text = (member: string, pattern: RegExp, expected: string): string => {
    const value = authorization[member];
    if (typeof value !== 'string' || !pattern.test(value)) {
      throw malformed(expected, value, `payload.authorization.${member}`);
    }
    return value.toLowerCase();
  };
  const address = (member: string): string => text(member, /^0x[0-9a-fA-F]{40}$/, 'an address');
  // 2^53 is the year 285,428,751: later times are cut there and mean the same.
  const time = (member: string): number =>
    Math.min(Number(text(member, /^\d{1,78}$/, 'a time in seconds')), Number.MAX_SAFE_INTEGER);
  return {
    from: address('from'),
    to: address('to'),
    value: text('value', /^(?:0|[1-9]\d{0,77})$/, 'a whole number in digits'),
    validAfter: time('validAfter'),
    validBefore: time('validBefore'),
    nonce: text('nonce', /^0x[0-9a-fA-F]{64}$/, '32 bytes in hexadecimal digits'),
  };
}

function malformed(expected: string, got: unknown, member?: string): GazetteError {
  const what = member === undefined ? 'the payment' : `${member} of the payment`;
  return new GazetteError('invalid_payment', `${what} must be ${expected}, got ${quote(got)}`);
}
