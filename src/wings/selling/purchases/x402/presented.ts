// A payment that is presented: for the first time, or again. Everything in it is public once it is on the chain, so a client
// that presents it again must show more.
import { createHash } from 'node:crypto';
import { GazetteError } from '../../../../errors.ts';
import type { Hold, NewHold, Payer } from '../../stores/contract/ledger.ts';
import type { Authorization, PurchaseRequest } from '../provider.ts';
import { refused, unguessable } from './offers.ts';
import { X402, x402Payer } from './options.ts';
import { type Payment, readPayment } from './payment.ts';

/** A payment that was checked. */
export interface X402Authorization extends Authorization {
  /** Always `x402`. */
  readonly provider: typeof X402;
  /** What the client signed. */
  readonly payment: Payment;
  /** The payment to begin, or the one that was begun with it before. */
  readonly hold: NewHold | Hold;
  /** Whether more was shown than the chain shows, or will show once the payment is made. */
  readonly isProven: boolean;
}

/** A payment that came with a request. */
export interface PresentedPayment extends Pick<X402Authorization, 'payment' | 'payer'> {
  /** Of the client's identifier; null without one. */
  readonly digest: string | null;
}

/** The payment that came with a request, its payer, and the digest of the client's identifier; null where none came. */
export function presentedIn({ payment: given, idempotencyKey }: PurchaseRequest): PresentedPayment | null {
  if (given === null) return null;
  const payment = readPayment(given);
  const payer = x402Payer(payment.key.network, payment.key.from);
  const identifier = payment.identifier ?? unguessable(idempotencyKey);
  return { payment, payer, digest: identifier === null ? null : digestOf(payer, identifier) };
}

/** A payment that was begun before: only who shows its identifier is answered again. */
export function presentedAgain(
  hold: Hold,
  payment: Payment,
  recordId: string,
  digest: string | null,
): X402Authorization {
  if (hold.item.recordId !== recordId) throw boundElsewhere();
  const isProven = hold.identifier !== null && hold.identifier === digest;
  if (!isProven && hold.state !== 'open') throw replayed('replayed');
  return { provider: X402, payer: hold.payer, item: hold.item, payment, hold, isProven };
}

function replayed(reason: string): GazetteError {
  return new GazetteError(
    'payment_replayed',
    'the payment was presented before, and all of it can be read on the chain: to open again what it paid for, show the ' +
      'receipt (Authorization: Bearer gzr_…), the payment-identifier that came with it, or sign in as its payer (SIGN-IN-WITH-X)',
    { details: { reason } },
  );
}

/** An authorization pays one record. */
export function boundElsewhere(): GazetteError {
  return refused(
    'bound_to_another_record',
    'the authorization was presented for another record before, and pays that one',
  );
}

/** The error for a payment that has ended, and opens nothing. */
export function endedUnpaid({ state }: Hold): GazetteError {
  if (state === 'charged' || state === 'settled') {
    return refused('not_owned', 'what the payment bought was refunded, or its register was removed');
  }
  if (state === 'reversed') {
    return refused(
      'reversed',
      'the chain has lost the transfer that paid, and it cannot be made any more: sign another payment',
    );
  }
  return refused('expired', 'the payment was never made, and it cannot be made any more: sign another one');
}

/** The error for a payment whose record was withdrawn before anybody was told to take the money. */
export function withdrawn({ item }: Hold): GazetteError {
  const message = `the record ${item.recordId} was withdrawn from its register: its payment is not settled`;
  return new GazetteError('record_withdrawn', message);
}

/** The error for a payment that the facilitator refuses. */
export function refusedBy(reason: string): GazetteError {
  if (reason.includes('nonce_already_used')) return replayed(reason);
  return refused(reason, `the facilitator refuses the payment: ${reason}`);
}

/** A client's identifier of a payment as it is stored. The payer is in it, so that nobody else's identifier fits. */
function digestOf(payer: Payer, identifier: string): string {
  return createHash('sha256').update(`${payer}\n${identifier}`).digest('hex');
}
