// Records paid for from an account's credit: charged in one transaction of the store, at once or not at all.
import { type GazetteError, isGazetteError } from '../../../errors.ts';
import type { LedgerStore } from '../stores/contract/ledger.ts';
import type { Money } from '../../../money.ts';
import type { Authorization, Offer, Provider, PurchaseRequest, Settlement } from './provider.ts';
import type { PricedItem } from '../stores/contract/ledger.ts';

/** The account that pays, and through which key. */
interface PrepaidAuthorization extends Authorization {
  readonly keyId: string | null;
  readonly expected: Money | null;
  readonly idempotencyKey: string | null;
}

/** The ways in which credit does not do. */
const REFUSALS = ['insufficient_credit', 'budget_exhausted', 'day_budget_exhausted'] as const;

/** Prepaid credit. */
export class PrepaidCredit implements Provider {
  readonly name = 'prepaid';
  readonly #ledger: Pick<LedgerStore, 'buy'>;

  constructor(ledger: Pick<LedgerStore, 'buy'>) {
    this.#ledger = ledger;
  }

  /** Always one: whether an account has credit is not known yet. */
  offers({ price }: PricedItem): readonly Offer[] {
    return [{ provider: this.name, price, terms: null }];
  }

  /** The account of the request, where it may be charged. Whether its credit does, settling shows. */
  async authorize(request: PurchaseRequest, item: PricedItem): Promise<PrepaidAuthorization | null> {
    const { account, mayCharge, expected, idempotencyKey } = request;
    if (account === null || !mayCharge) return null;
    return { provider: this.name, payer: account.id, item, keyId: account.keyId, expected, idempotencyKey };
  }

  /** Charges and grants. @throws GazetteError `price_changed`, `item_changed`, `idempotency_mismatch`, and what a store throws */
  async settle({ payer, keyId, item, expected, idempotencyKey }: PrepaidAuthorization): Promise<Settlement> {
    try {
      const purchase = await this.#ledger.buy({ accountId: payer, keyId, item, expected, idempotencyKey });
      return { state: 'settled', purchase, response: null };
    } catch (error) {
      if (!REFUSALS.some((code) => isGazetteError(error, code))) throw error;
      return { state: 'failed', error: error as GazetteError, response: null };
    }
  }
}
