// A shop of the tests: a store with a register, payments by x402 over the local chain, and clients that pay.
import { randomBytes } from 'node:crypto';
import { isGazetteError } from '../../../../src/errors.ts';
import { Receipts } from '../../../../src/wings/selling/purchases/receipts.ts';
import { connectFacilitator } from '../../../../src/wings/selling/purchases/x402/facilitator.ts';
import {
  Reconciler,
  type ReconcilerReport,
  type X402Options,
} from '../../../../src/wings/selling/purchases/x402/index.ts';
import { openX402 } from '../../../../src/wings/selling/purchases/x402/provider.ts';
import type { ChainPrice } from '../../../../src/register/record.ts';
import type { Provider, Settlement } from '../../../../src/wings/selling/purchases/provider.ts';
import type {
  Item,
  LedgerStore,
  PaymentKey,
  PricedItem,
} from '../../../../src/wings/selling/stores/contract/ledger.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import type { OpenServiceStore } from '../../../world.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { ASSET, authorization, LocalChain, NETWORK, SHOP, type Signed, signatureOf } from './local-chain.ts';
import { ledgerOf } from '../ledger-of.ts';

export const RECEIPT_KEY: string = 'c1'.repeat(32);
export const OFFER: ChainPrice = {
  network: NETWORK,
  asset: ASSET,
  amount: '10000',
  pay_to: SHOP,
  name: 'Token',
  version: '2',
};

/** How a payment is presented. */
export interface Presented {
  readonly record?: string;
  readonly signed?: Signed;
  readonly signature?: string;
  readonly identifier?: string;
  readonly idempotencyKey?: string;
  readonly accepted?: Readonly<Record<string, unknown>>;
  readonly url?: string;
}

/** What a client got: the settlement, or the error's code and its reason. */
export type Got = Settlement | { readonly state: 'refused'; readonly code: string; readonly reason: unknown };

export class Shop {
  readonly chain: LocalChain;
  readonly store: ServiceStore;
  readonly provider: Required<Provider>;
  /** What every record costs on chain. */
  offer: ChainPrice = OFFER;
  readonly #reconciler: Reconciler;
  readonly #dispose: () => Promise<void>;

  private constructor(
    chain: LocalChain,
    { store, dispose }: Awaited<ReturnType<OpenServiceStore>>,
    provider: Required<Provider>,
    reconciler: Reconciler,
  ) {
    this.chain = chain;
    this.store = store;
    this.provider = provider;
    this.#reconciler = reconciler;
    this.#dispose = dispose;
  }

  /** @param given.settleWithinMs how long the facilitator may take to settle. Default: as long as with its address */
  static async open(
    openStore: OpenServiceStore,
    { settleWithinMs, ...given }: Partial<X402Options> & { readonly settleWithinMs?: number } = {},
  ): Promise<Shop> {
    const chain = await new LocalChain().start();
    const opened = await openStore();
    const { store } = opened;
    await store.createRegister(permits());
    await store.apply('permits', [say('a'), say('b')], { recordedAt: at(0) });
    const chains = [{ network: NETWORK, url: chain.url, confirmations: 2, logRange: 5 }];
    const [patient, hasty] = [await connectFacilitator(chain.url), await connectFacilitator(chain.url, settleWithinMs)];
    const provider = await openX402({
      ...{ chains, store, receipts: Receipts.fromHex(RECEIPT_KEY) },
      facilitator: {
        verify: (payload, requirements) => patient.verify(payload, requirements),
        settle: (payload, requirements) => hasty.settle(payload, requirements),
        getSupported: () => patient.getSupported(),
      },
      ...{ waitMs: 20_000, pollMs: 5, now: () => chain.time * 1000 },
      ...given,
    });
    return new Shop(chain, opened, provider, new Reconciler({ store, chains }));
  }

  async close(): Promise<void> {
    await this.chain.stop();
    await this.#dispose();
  }

  get ledger(): LedgerStore {
    return ledgerOf(this.store);
  }

  /** How the ledger knows a payment. */
  keyOf({ from, nonce }: Signed): PaymentKey {
    return { network: NETWORK, asset: ASSET, from, nonce };
  }

  /** A record as it is now. */
  async item(key = 'a'): Promise<PricedItem> {
    const items = await this.ledger.items([`permits:${key}`]);
    const item: Item | undefined = items.get(`permits:${key}`);
    if (item === undefined) throw new Error(`no record ${key}`);
    return { ...item, price: { amount: 2, currency: 'EUR' }, onChain: [this.offer] };
  }

  /** An authorization that pays for a record now. */
  sign(given: Partial<Signed> = {}): Signed {
    return authorization(this.chain.time, given);
  }

  /** Presents a payment. */
  async pay(presented: Presented = {}): Promise<Got> {
    const { record = 'a', identifier, idempotencyKey = null } = presented;
    const item = await this.item(record);
    const request = {
      ...{ resource: urlOf(record), account: null, mayCharge: false, expected: null, idempotencyKey },
      payment: Buffer.from(JSON.stringify(paymentOf(presented, this.sign()))).toString('base64'),
    };
    try {
      const authorized = await this.provider.authorize(request, item);
      if (authorized === null) throw new Error(`nothing came along (${String(identifier)})`);
      return await this.provider.settle(authorized);
    } catch (error) {
      if (!isGazetteError(error)) throw error;
      return { state: 'refused', code: error.code, reason: error.details.reason ?? null };
    }
  }

  reconcile(): Promise<ReconcilerReport> {
    return this.#reconciler.run();
  }

  /** The kinds of the ledger's entries, oldest first. */
  async kinds(): Promise<string[]> {
    return (await this.ledger.entries({ limit: 100 })).map(({ kind }) => kind).reverse();
  }
}

export function urlOf(record: string): string {
  return `https://register.example/api/v1/records/permits:${record}/full`;
}

/** A payment's object, as a client sends it. */
export function paymentOf(presented: Presented, fresh: Signed): object {
  const { record = 'a', signed = fresh, signature = signatureOf(signed), identifier, accepted = {} } = presented;
  const { network, asset, pay_to: payTo, name, version } = OFFER;
  return {
    x402Version: 2,
    resource: { url: presented.url ?? urlOf(record) },
    accepted: {
      ...{ scheme: 'exact', network, asset, amount: '10000', payTo, maxTimeoutSeconds: 120, extra: { name, version } },
      ...accepted,
    },
    payload: { signature, authorization: signed },
    extensions:
      identifier === undefined
        ? {}
        : { 'payment-identifier': { info: { required: false, id: identifier }, schema: {} } },
  };
}

export function identifier(): string {
  return `pay_${randomBytes(16).toString('hex')}`;
}

/** The receipt in an answer, or undefined. */
export function receiptOf(got: Got): string | undefined {
  const { response } = got as { response?: { extensions?: { 'gazette-receipt'?: { info: { receipt: string } } } } };
  return response?.extensions?.['gazette-receipt']?.info.receipt;
}
