// Payments by x402: verify, hold, settle, charge and grant. The hold is written before the facilitator is told to settle,
// so that a crash at any step leaves something that the reconciler can end. The chain decides what was paid.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FacilitatorClient } from '@x402/core/http';
import { GazetteError } from '../../../../errors.ts';
import type { ChainPrice } from '../../../../register/record.ts';
import type { Hold, Item, LedgerStore, NewHold, Payer, PricedItem, Purchase } from '../../stores/contract/ledger.ts';
import type { BuyerProof, Offer, OfferedResource, Provider, PurchaseRequest, Settlement } from '../provider.ts';
import { Chain, type ChainFinding } from './chain.ts';
import { connectFacilitator, settle, verify } from './facilitator.ts';
import { acceptedOffer, isPayable, priceOf, refused, requirementOf } from './offers.ts';
import { type ChainOptions, X402, type X402Options } from './options.ts';
import { checkTerms, type Payment } from './payment.ts';
import { paymentRequired, type PaymentRequiredObject } from './payment-required.ts';
import { asJson, storedRequirements, referenceOf, termsOf } from './payment-terms.ts';
import {
  boundElsewhere,
  endedUnpaid,
  presentedAgain,
  type PresentedPayment,
  presentedIn,
  refusedBy,
  withdrawn,
  type X402Authorization,
} from './presented.ts';
import { failed, pending, settled } from './responses.ts';
import { WalletSignIn } from './sign-in.ts';
import { SELLING } from '../../stores/plugin.ts';

const DEFAULT_WAIT_MS = 15_000;
const DEFAULT_POLL_MS = 250;

/**
 * Sets up payments by x402.
 *
 * @throws GazetteError `missing_peer` where `@x402/core` is not installed; `invalid_option`
 */
export async function openX402(options: X402Options): Promise<X402Provider> {
  const { facilitator: given } = options;
  return new X402Provider(options, typeof given === 'string' ? await connectFacilitator(given) : given);
}

/** A payment, what it is for, and the URL that it came to. */
interface NewPayment extends PresentedPayment {
  readonly item: PricedItem;
  readonly resource: string;
}

/** Sells records for payments on chain. Made by {@link createX402}. */
export class X402Provider implements Provider {
  readonly name: typeof X402 = X402;
  readonly #chains: ReadonlyMap<string, Chain>;
  readonly #options: X402Options;
  readonly #ledger: LedgerStore;
  readonly #facilitator: FacilitatorClient;
  readonly #signIn: WalletSignIn;
  /** The payments that this process is settling, by the numbers of their entries. */
  readonly #settling = new Set<number>();

  constructor(options: X402Options, facilitator: FacilitatorClient) {
    this.#chains = chainsOf(options.chains);
    this.#options = options;
    this.#ledger = options.store.part(SELLING);
    this.#facilitator = facilitator;
    this.#signIn = new WalletSignIn(options.receipts, this.#chains);
  }

  offers(item: PricedItem): readonly Offer[] {
    return this.#offersOf(item).map((offer) => ({
      provider: X402,
      price: priceOf(offer),
      terms: { ...requirementOf(offer), extra: { name: offer.name, version: offer.version } },
    }));
  }

  /** The whole PaymentRequired object for an item; null when it is not sold this way. @param error says why, for people */
  paymentRequired(item: PricedItem, resource: OfferedResource, error: string): PaymentRequiredObject | null {
    const offers = this.#offersOf(item);
    if (offers.length === 0) return null;
    return paymentRequired(offers, resource, error, this.#signIn.extension(resource.url, this.#now()));
  }

  /** The same without an offer: signing in is all there is to do. */
  challenge(resource: OfferedResource, error: string): PaymentRequiredObject | null {
    return paymentRequired([], resource, error, this.#signIn.extension(resource.url, this.#now()));
  }

  /**
   * What somebody bought before, by a receipt or a signed-in address.
   *
   * @returns null when nothing was bought, or not yet
   * @throws GazetteError `invalid_receipt`, also for a receipt of another record; `invalid_sign_in`
   */
  async recall({ receipt, signIn, resource }: BuyerProof, recordId: string): Promise<Purchase | null> {
    const { receipts } = this.#options;
    if (receipt !== null) {
      const { payer, item } = receipts.open(receipt);
      if (item.recordId === recordId) return this.#ledger.purchase(payer, item);
      throw new GazetteError('invalid_receipt', 'the receipt opens another record');
    }
    if (signIn === null) return null;
    const payer = await this.#signIn.signedIn(signIn, resource, this.#now());
    const newest = (await this.#ledger.owned(payer, [recordId])).at(-1);
    return newest === undefined ? null : this.#ledger.purchase(payer, newest);
  }

  /** @throws GazetteError `invalid_payment`, `payment_refused`, `payment_replayed`, `idempotency_mismatch`, `payment_unavailable` */
  async authorize(request: PurchaseRequest, item: PricedItem): Promise<X402Authorization | null> {
    const presented = presentedIn(request);
    if (presented === null) return null;
    const { payment, payer, digest } = presented;

    // Asked before the facilitator is: a hold that is there now may be settled, and then all of the payment is public.
    const known = await this.#ledger.hold(payment.key);
    if (known !== null) return presentedAgain(known, payment, item.recordId, digest);
    const checked = { payment, payer, item, digest, resource: request.resource };
    return this.#newPayment(checked).catch(async (error: unknown) => {
      // The same payment may have been presented twice at once, and the other one was quicker: then this one is its repeat.
      const begun = await this.#ledger.hold(payment.key);
      if (begun === null) throw error;
      return presentedAgain(begun, payment, item.recordId, digest);
    });
  }

  /** @throws GazetteError `invalid_payment`, `payment_refused`, `payment_replayed` */
  async resume(request: PurchaseRequest, recordId: string): Promise<X402Authorization | null> {
    const presented = presentedIn(request);
    if (presented === null) return null;
    const { payment, digest } = presented;
    const known = await this.#ledger.hold(payment.key);
    return known === null ? null : presentedAgain(known, payment, recordId, digest);
  }

  /** Checks a payment that nobody presented before. */
  async #newPayment({ payment, payer, item, digest, resource }: NewPayment): Promise<X402Authorization> {
    await this.#checkIdentifier(payment, digest, item);

    const offer = acceptedOffer(payment.accepted, this.#offersOf(item));
    const named = payment.payload.resource?.url;
    if (named !== undefined && named !== resource) {
      throw refused('wrong_resource', 'the payment names another URL than the one it came to');
    }
    checkTerms(payment, offer, this.#now());
    const requirements = requirementOf(offer);
    const [verdict, head] = await Promise.all([
      verify(this.#facilitator, payment.payload, requirements),
      this.#chain(offer.network).block('latest'),
    ]);
    if (!verdict.isValid) throw refusedBy(verdict.reason);
    const { feedId, recordId, contentVersion } = item;
    const priced = { feedId, recordId, contentVersion, price: priceOf(offer) };
    return {
      provider: X402,
      payer,
      item: priced,
      payment,
      hold: {
        ...payment.key,
        provider: X402,
        payer,
        item: priced,
        payload: asJson(payment.payload),
        requirements: storedRequirements(requirements, head?.number ?? 0),
        identifier: digest,
      },
      isProven: true,
    };
  }

  async settle(authorization: X402Authorization): Promise<Settlement> {
    const { hold: begun, isProven } = authorization;
    if (!isProven) return pending(begun, null);
    const until = performance.now() + this.#waitMs();
    if ('state' in begun) {
      if (begun.state !== 'open') return this.#ended(begun);
      return this.#settling.has(begun.number) ? this.#awaited(begun, until) : this.#pay(begun, authorization);
    }
    do {
      const result = await this.#ledger.openHold(begun);
      if (result.kind === 'owned') return this.#settled(result.purchase);
      if (result.kind === 'bound') return failed(begun, boundElsewhere());
      if (result.kind === 'opened') return this.#pay(result.hold, authorization);
      const ended = await this.#ending(result.hold, until);
      // Only the same payment ends with this one's outcome. After another payment, the payer owns the item, or pays now.
      if (ended !== null && result.kind === 'known') return this.#ended(ended);
    } while (performance.now() < until);
    return this.#pending(begun);
  }

  async #pay(hold: Hold, { payment }: X402Authorization): Promise<Settlement> {
    this.#settling.add(hold.number);
    try {
      // Looked at last of all: nobody is told to take the money for a record that nobody may read. The hold stays open until
      // the authorization has ended, because the facilitator knows it by now and could settle it all the same.
      if (!(await this.#ledger.isHeldRecordLive(hold))) throw withdrawn(hold);
      const claim = await settle(this.#facilitator, payment.payload, termsOf(hold).requirements);
      const finding = await this.#look(hold, claim.kind === 'settled');
      if (finding.kind === 'paid' && claim.kind === 'settled') {
        const reference = referenceOf(hold, finding.transaction);
        // The block may be lost again: the reconciler looks once more.
        return this.#settled(await this.#ledger.settleHold(hold, { reference, mayVanish: true }));
      }
      if (claim.kind !== 'failed') return this.#pending(hold);
      // It failed because another process has settled it, or somebody else: the other one charges it, or the reconciler.
      if (finding.kind === 'paid') return await this.#awaited(hold, performance.now() + this.#waitMs());
      const error = `the facilitator could not settle the payment: ${claim.reason}`;
      return failed(hold, new GazetteError('payment_failed', error, { details: { reason: claim.reason } }));
    } finally {
      this.#settling.delete(hold.number);
    }
  }

  /** The outcome of a payment that somebody else is making. */
  async #awaited(hold: Hold, until: number): Promise<Settlement> {
    const ended = await this.#ending(hold, until);
    return ended === null ? this.#pending(hold) : this.#ended(ended);
  }

  /** What the chain shows of a payment. @param expected whether it should show it: then it is waited for */
  async #look(hold: Hold, expected: boolean): Promise<ChainFinding> {
    const { terms, fromBlock } = termsOf(hold);
    const until = performance.now() + (expected ? this.#waitMs() : 0);
    for (;;) {
      const finding = await this.#chain(hold.network)
        .find(terms, fromBlock, 'latest')
        // Nobody knows then: the reconciler will.
        .catch((): ChainFinding => ({ kind: 'nothing' }));
      if (finding.kind !== 'nothing' || performance.now() >= until) return finding;
      await sleep(this.#options.pollMs ?? DEFAULT_POLL_MS);
    }
  }

  /** The payment once it has ended; null when it has not by then. */
  async #ending(hold: Hold, until: number): Promise<Hold | null> {
    for (;;) {
      const now = await this.#ledger.hold(hold);
      if (now !== null && now.state !== 'open') return now;
      if (performance.now() >= until) return null;
      await sleep(this.#options.pollMs ?? DEFAULT_POLL_MS);
    }
  }

  async #ended(hold: Hold): Promise<Settlement> {
    const isCharged = hold.state === 'charged' || hold.state === 'settled';
    const purchase = isCharged ? await this.#ledger.purchase(hold.payer, hold.item) : null;
    if (purchase !== null) return this.#settled(purchase);
    return failed(hold, endedUnpaid(hold));
  }

  #pending(hold: NewHold): Settlement {
    return pending(hold, this.#receiptFor(hold.payer, hold.item));
  }

  #settled(purchase: Purchase): Settlement {
    return settled(purchase, this.#receiptFor(purchase.payer, purchase.item));
  }

  #receiptFor(payer: Payer, { recordId, contentVersion }: Purchase['item']): string {
    return this.#options.receipts.issue({ payer, item: { recordId, contentVersion } });
  }

  /** The extension's rule: the same identifier with another payment is a conflict, while the first may have paid. */
  async #checkIdentifier({ identifier }: Payment, digest: string | null, { recordId }: Item): Promise<void> {
    if (identifier === null || digest === null) return;
    const earlier = await this.#ledger.holdByIdentifier(digest, recordId);
    if (earlier === null || earlier.state === 'released' || earlier.state === 'reversed') return;
    throw new GazetteError(
      'idempotency_mismatch',
      'the payment-identifier came with another payment before: present that payment again, or sign in with SIGN-IN-WITH-X',
    );
  }

  /** The item's prices on chains that can be read. */
  #offersOf({ onChain = [] }: PricedItem): readonly ChainPrice[] {
    return onChain.filter((price) => this.#chains.has(price.network) && isPayable(price));
  }

  #chain(network: string): Chain {
    const chain = this.#chains.get(network);
    if (chain !== undefined) return chain;
    throw new GazetteError('payment_unavailable', `no node of ${network} is configured`);
  }

  #waitMs(): number {
    return this.#options.waitMs ?? DEFAULT_WAIT_MS;
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

/** The chains by their networks. @throws GazetteError `invalid_option` for one that is named twice */
export function chainsOf(options: readonly ChainOptions[]): ReadonlyMap<string, Chain> {
  const chains = new Map(options.map((chain) => [chain.network, new Chain(chain.network, chain)]));
  if (chains.size === options.length) return chains;
  throw new GazetteError('invalid_option', 'a network has more than one address of a node');
}
