// Sells one record to one caller: asks the providers in turn, and says what is offered where none of them was paid. What is
// sold is an item, a record in one content version; who owns it already pays nothing.
import { GazetteError } from '../errors.ts';
import type { JsonValue } from '../register/canonical-json.ts';
import type { Item, LedgerStore, PricedItem, Purchase } from '../stores/contract/ledger.ts';
import type { Citations } from './citations.ts';
import type { PaymentProvider, PurchaseRequest, Settlement, ShownProof } from './provider.ts';

/** What a seller needs. */
export interface SellerOptions {
  readonly ledger: Pick<LedgerStore, 'items' | 'owned' | 'purchase'>;
  /** Asked in this order. */
  readonly providers: readonly PaymentProvider[];
  /** Signs receipts to cite. Default: nobody does. */
  readonly citations?: Citations | undefined;
}

/** Sells records. */
export class Seller {
  readonly #ledger: SellerOptions['ledger'];
  readonly #providers: readonly PaymentProvider[];
  readonly #citations: Citations | null;

  constructor({ ledger, providers, citations }: SellerOptions) {
    this.#ledger = ledger;
    this.#providers = providers;
    this.#citations = citations ?? null;
  }

  /**
   * What is bought of a record now.
   *
   * @param prices those of its register
   * @throws GazetteError `record_withdrawn` where it is gone meanwhile
   */
  async item(recordId: string, { price, onChain = [] }: Pick<PricedItem, 'price' | 'onChain'>): Promise<PricedItem> {
    const item: Item | undefined = (await this.#ledger.items([recordId])).get(recordId);
    if (item !== undefined) return { ...item, price, onChain };
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
   * What was bought before, by who shows a receipt or signs in; null where nothing is shown, or nothing was bought.
   *
   * @throws GazetteError with the reason for what is shown and does not do
   */
  async recall(shown: ShownProof, recordId: string): Promise<Purchase | null> {
    if (shown.receipt === null && shown.signIn === null) return null;
    for (const provider of this.#providers) {
      const purchase = (await provider.recall?.(shown, recordId)) ?? null;
      if (purchase !== null) return purchase;
    }
    return null;
  }

  /** What an account bought of a record as it is now; null where it bought nothing. */
  async boughtBy(accountId: string, recordId: string): Promise<Purchase | null> {
    const owned = (await this.#ledger.owned(accountId, [recordId])).find(({ isCurrent }) => isCurrent);
    return owned === undefined ? null : this.#ledger.purchase(accountId, owned);
  }

  /** The answer of a payment protocol (x402) to a request that brought no payment that does; null where credit alone does. */
  paymentRequired(item: PricedItem, url: string, error: string): Readonly<Record<string, JsonValue>> | null {
    const resource = { url, description: `The record ${item.recordId}, whole`, mimeType: 'application/json' };
    for (const provider of this.#providers) {
      const required = provider.paymentRequired?.(item, resource, error) ?? null;
      if (required !== null) return required;
    }
    return null;
  }

  /** A receipt to cite for a purchase; null where none are made. @param api the address of the API, which issues it */
  async cite(purchase: Purchase, api: string): Promise<string | null> {
    return (await this.#citations?.of(purchase, api)) ?? null;
  }

  /** The public keys of receipts to cite, a JWK set as text; null where none are made. */
  keySet(): string | null {
    return this.#citations?.keySet() ?? null;
  }
}
