// Sells one record to one caller: asks the providers in turn, and says what is offered where none of them was paid. What is
// sold is an item, a record in one content version; who owns it already pays nothing.
import { GazetteError } from '../../../errors.ts';
import type { JsonValue } from '../../../register/canonical-json.ts';
import type { Item, LedgerStore, PricedItem, Purchase } from '../stores/contract/ledger.ts';
import type { OfferedResource, Provider, PurchaseRequest, Settlement, BuyerProof } from './provider.ts';

/** What a seller needs. */
export interface SellerOptions {
  readonly ledger: Pick<LedgerStore, 'items' | 'owned' | 'purchase'>;
  /** Asked in this order. */
  readonly providers: readonly Provider[];
}

/** Sells records. */
export class Seller {
  readonly #ledger: SellerOptions['ledger'];
  readonly #providers: readonly Provider[];

  constructor({ ledger, providers }: SellerOptions) {
    this.#ledger = ledger;
    this.#providers = providers;
  }

  /** What is bought of a record now. @throws GazetteError `record_withdrawn` where it is gone meanwhile */
  async item(recordId: string): Promise<Item> {
    const item = (await this.#ledger.items([recordId])).get(recordId);
    if (item !== undefined) return item;
    throw new GazetteError('record_withdrawn', `the record ${recordId} was withdrawn from its register`);
  }

  /**
   * Buys an item with what came with a request; null where nothing did.
   *
   * @throws GazetteError for a payment that is malformed (400), or does not do (402)
   */
  async buy(request: PurchaseRequest, item: PricedItem): Promise<Settlement | null> {
    for (const provider of this.#providers) {
      const authorization = await provider.authorize(request, item);
      if (authorization !== null) return provider.settle(authorization);
    }
    return null;
  }

  /**
   * What becomes of a payment that was begun while its record was sold; null where the request shows none.
   *
   * @throws GazetteError as {@link buy} does
   */
  async resume(request: PurchaseRequest, recordId: string): Promise<Settlement | null> {
    for (const provider of this.#providers) {
      const authorization = (await provider.resume?.(request, recordId)) ?? null;
      if (authorization !== null) return provider.settle(authorization);
    }
    return null;
  }

  /**
   * What was bought before, by who shows a receipt or signs in; null where nothing is shown, or nothing was bought.
   *
   * @throws GazetteError with the reason for what is shown and does not do
   */
  async recall(shown: BuyerProof, recordId: string): Promise<Purchase | null> {
    if (shown.receipt === null && shown.signIn === null) return null;
    for (const provider of this.#providers) {
      const purchase = (await provider.recall?.(shown, recordId)) ?? null;
      if (purchase !== null) return purchase;
    }
    return null;
  }

  /** The purchase of an item, or null. */
  purchase(accountId: string, item: Item): Promise<Purchase | null> {
    return this.#ledger.purchase(accountId, item);
  }

  /** What an account bought of a record as it is now; null where it bought nothing. */
  async boughtBy(accountId: string, recordId: string): Promise<Purchase | null> {
    const owned = (await this.#ledger.owned(accountId, [recordId])).find(({ isCurrent }) => isCurrent);
    return owned === undefined ? null : this.#ledger.purchase(accountId, owned);
  }

  /** The answer of a payment protocol (x402) to a request that brought no payment that does; null where credit alone does. */
  paymentRequired(item: PricedItem, url: string, error: string): Readonly<Record<string, JsonValue>> | null {
    return this.#first((provider) => provider.paymentRequired?.(item, resourceOf(item, url), error));
  }

  /** What a payment protocol asks of who bought an item, where nothing is sold any more; null where it asks nothing. */
  challenge(item: Item, url: string, error: string): Readonly<Record<string, JsonValue>> | null {
    return this.#first((provider) => provider.challenge?.(resourceOf(item, url), error));
  }

  #first<Answer>(ask: (provider: Provider) => Answer | null | undefined): Answer | null {
    for (const provider of this.#providers) {
      const answer = ask(provider) ?? null;
      if (answer !== null) return answer;
    }
    return null;
  }
}

function resourceOf({ recordId }: Item, url: string): OfferedResource {
  return { url, description: `The record ${recordId}, whole`, mimeType: 'application/json' };
}
