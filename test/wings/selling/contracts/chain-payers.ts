// Payers on chain of the made-up town: they buy through the provider of x402, over a facilitator that lies, is away, and loses
// answers. Sellers are processes that end at any step, payers try again with the same or with another authorization and
// identifier, cancel, or go away; the reconciler ends what nobody knows the end of, and may be killed too.
import { expect } from 'vitest';
import { GazetteError, isGazetteError } from '../../../../src/errors.ts';
import { Receipts } from '../../../../src/wings/selling/purchases/receipts.ts';
import { Reconciler } from '../../../../src/wings/selling/purchases/x402/index.ts';
import { openX402 } from '../../../../src/wings/selling/purchases/x402/provider.ts';
import type { LedgerEntry, LedgerStore, Purchase } from '../../../../src/wings/selling/stores/contract/ledger.ts';
import { type Behaviour, authorization, LocalChain, NETWORK, SHOP, type Signed } from '../x402/local-chain.ts';
import { identifier, OFFER, paymentOf, RECEIPT_KEY, urlOf } from '../x402/shop.ts';
import { storeWith } from '../ledger-of.ts';

/** A process that ended, or an answer that did not arrive: nobody knows what became of the request. */
export const LOST: GazetteError = new GazetteError('aborted', 'lost');

/** What payers must expect. */
const EXPECTED: ReadonlySet<string> = new Set([
  ...['payment_refused', 'payment_replayed', 'payment_failed', 'payment_unavailable', 'idempotency_mismatch'],
  ...['item_changed', 'hold_ended', 'store_busy'],
]);

const ADDRESSES = ['b1', 'b2', 'b3'].map((byte) => `0x${byte.repeat(20)}`);

/** How facilitators settle, the honest ones most often. */
const BEHAVIOURS: readonly Behaviour[] = [
  ...(['honest', 'honest', 'honest', 'honest', 'honest', 'away', 'garbled'] as const),
  ...(['settles and is lost', 'pending', 'lies', 'denies'] as const),
];

const MOST_TRIES = 5;

/** What payers are run with. */
export interface PayerOptions {
  /** The ledger of a process, which may end at any step by throwing {@link LOST}. */
  readonly process: () => LedgerStore;
  /** The ledger itself. */
  readonly ledger: LedgerStore;
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
  /** Told of everything that a payer was given. */
  readonly onBought: (purchase: Purchase) => void;
}

/** Payers, and everything between them and the ledger. */
export class ChainPayers {
  readonly #chain = new LocalChain().begin();
  readonly #options: PayerOptions;

  constructor(options: PayerOptions) {
    this.#options = options;
  }

  /** Somebody buys a record. */
  async pay(record: string): Promise<void> {
    const { random } = this.#options;
    const from = this.#one(ADDRESSES);
    let signed = this.#signedBy(from);
    let id = random() < 0.5 ? identifier() : undefined;
    for (let left = MOST_TRIES; left > 0; left--) {
      this.#chain.settling = this.#one(BEHAVIOURS);
      this.#chain.verifying = random() < 0.05 ? 'away' : 'honest';
      this.#chain.isUp = random() > 0.03;
      try {
        if (await this.#present(record, signed, id)) return;
      } catch (error) {
        if (error !== LOST && !(isGazetteError(error) && EXPECTED.has(error.code))) throw error;
      }
      if (random() < 0.2) return;
      if (random() < 0.1) this.#chain.cancel(signed);
      if (random() < 0.4) signed = this.#signedBy(from);
      if (random() < 0.3) id = identifier();
    }
  }

  /** Time passes, and the reconciler looks once. */
  async reconcile(): Promise<void> {
    this.#chain.mine(1 + Math.floor(this.#options.random() * 4), Math.floor(this.#options.random() * 60));
    this.#chain.isUp = true;
    await this.#reconciler(this.#options.process()).run();
  }

  /** Until no payment is open. */
  async settleAll(): Promise<void> {
    this.#chain.mine(20, 1000);
    this.#chain.isUp = true;
    expect(await this.#reconciler(this.#options.ledger).run()).toMatchObject({ failed: 0 });
    expect(await this.#options.ledger.openHolds({ limit: 1 })).toEqual([]);
  }

  /** Every payment that reached the shop was charged once, and nothing else was. @param entries all of the ledger's */
  expectTransfers(entries: readonly LedgerEntry[]): void {
    const charged = entries.filter(({ kind, provider }) => kind === 'charge' && provider === 'x402');
    const transactions = charged.map(({ reference }) => reference!.replace(/\/\d+$/, ''));
    expect(transactions.sort()).toEqual(this.#chain.transfersTo(SHOP).sort());
  }

  /** @returns whether the payer got the record */
  async #present(record: string, signed: Signed, id: string | undefined): Promise<boolean> {
    const ledger = this.#options.process();
    const [item] = (await ledger.items([`permits:${record}`])).values();
    if (item === undefined) return true;
    const provider = await openX402({
      ...{
        store: storeWith(ledger),
        facilitator: this.#chain.facilitator,
        chains: this.#chains(),
        waitMs: 0,
        pollMs: 1,
      },
      ...{ receipts: Receipts.fromHex(RECEIPT_KEY), now: () => this.#chain.time * 1000 },
    });
    const payment = paymentOf({ record, signed, ...(id === undefined ? {} : { identifier: id }) }, signed);
    const request = {
      ...{ resource: urlOf(record), account: null, mayCharge: false, expected: null, idempotencyKey: null },
      payment: Buffer.from(JSON.stringify(payment)).toString('base64'),
    };
    const priced = { ...item, price: { amount: 2, currency: 'EUR' }, onChain: [OFFER] };
    const authorized = await provider.authorize(request, priced);
    const settlement = await provider.settle(authorized!);
    if (settlement.state !== 'settled') return false;
    this.#options.onBought(settlement.purchase);
    return true;
  }

  #reconciler(ledger: LedgerStore): Reconciler {
    return new Reconciler({ store: storeWith(ledger), chains: this.#chains() });
  }

  #chains(): { network: string; url: string; confirmations: number; fetch: typeof fetch }[] {
    return [{ network: NETWORK, url: 'http://chain.example', confirmations: 2, fetch: this.#chain.fetch }];
  }

  #signedBy(from: string): Signed {
    return authorization(this.#chain.time, { from });
  }

  #one<T>(list: readonly T[]): T {
    return list[Math.floor(this.#options.random() * list.length)]!;
  }
}
