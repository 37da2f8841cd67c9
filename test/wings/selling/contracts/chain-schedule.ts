// Random schedules of a shop whose records are sold on chain: prices change, payers ask for offers and pay by them, now and then
// late, twice, or with what they have spent already; a facilitator lies, loses answers and is away; the chain grows, and loses
// blocks, of which some transactions come back and some never do. What must come of it is known from the chain alone.
import { isGazetteError } from '../../../../src/errors.ts';
import { Receipts } from '../../../../src/wings/selling/purchases/receipts.ts';
import type { Provider } from '../../../../src/wings/selling/purchases/provider.ts';
import { Reconciler } from '../../../../src/wings/selling/purchases/x402/index.ts';
import { openX402 } from '../../../../src/wings/selling/purchases/x402/provider.ts';
import { x402Payer } from '../../../../src/wings/selling/purchases/x402/options.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import type { HoldState, LedgerEntry, PricedItem } from '../../../../src/wings/selling/stores/contract/ledger.ts';
import { ASSET, authorization, type Behaviour, LocalChain, NETWORK, type Signed } from '../x402/local-chain.ts';
import { identifier, OFFER, paymentOf, RECEIPT_KEY, urlOf } from '../x402/shop.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { ledgerOf } from '../ledger-of.ts';

const RECORDS = ['a', 'b', 'c', 'd'];
const PAYERS = ['b1', 'b2', 'b3'].map((byte) => `0x${byte.repeat(20)}`);
const AMOUNTS = ['10000', '20000', '1000000000000000000', '1000000000000000001', String(2n ** 64n)];
const CONFIRMATIONS = 6;

const SETTLING: readonly Behaviour[] = [
  ...(['honest', 'honest', 'honest', 'honest', 'honest', 'honest', 'settles and is lost', 'away'] as const),
  ...(['garbled', 'pending', 'lies', 'denies'] as const),
];

/** What payers must expect. */
const EXPECTED: ReadonlySet<string> = new Set([
  ...[
    'payment_refused',
    'payment_replayed',
    'payment_unavailable',
    'idempotency_mismatch',
    'item_changed',
    'record_withdrawn',
  ],
]);

/** A price that a payer was told. */
interface Offered {
  readonly from: string;
  readonly record: string;
  readonly amount: string;
}

/** A payment that was presented. */
interface Presented {
  readonly record: string;
  readonly signed: Signed;
  readonly identifier: string;
}

/** What a schedule came to. */
export interface Outcome {
  /** Transfers whose payer does not own what they paid for. */
  readonly paidWithoutAccess: number;
  /** Items that are owned, and that no transfer paid for. */
  readonly accessUnpaid: number;
  /** Payers whose charges, less those reversed, are not what they have paid. */
  readonly wrongSums: number;
  /** How many payments ended in which state. */
  readonly states: Readonly<Partial<Record<HoldState, number>>>;
}

/** One schedule. */
export class ChainSchedule {
  readonly #store: ServiceStore;
  readonly #random: () => number;
  readonly #chain: LocalChain;
  readonly #reconciler: Reconciler;
  readonly #provider: Required<Provider>;
  readonly #offered: Offered[] = [];
  readonly #presented: Presented[] = [];
  /** What was in lost blocks, and waits to come into others. */
  readonly #waiting: Signed[] = [];
  /** What was in lost blocks, and comes into no other by itself. */
  readonly #forgotten: Signed[] = [];
  /** The blocks from here down are never lost: as many as the shop was told follow them once. */
  #firm = 0;
  #amount = AMOUNTS[0]!;
  #minute = 1;

  private constructor(store: ServiceStore, provider: Required<Provider>, chain: LocalChain, random: () => number) {
    this.#store = store;
    this.#provider = provider;
    this.#chain = chain;
    this.#random = random;
    this.#reconciler = new Reconciler({
      store,
      chains: chainsOf(chain),
      onError: (error) => {
        // A node that is away now is back for the next pass.
        if (!isGazetteError(error, 'payment_unavailable')) throw error;
      },
    });
  }

  /** Begins it in an empty store. @param random numbers from 0 to below 1 */
  static async begin(store: ServiceStore, random: () => number): Promise<ChainSchedule> {
    const chain = new LocalChain().begin();
    chain.mine(100, 200);
    await store.createRegister(permits());
    await store.apply('permits', RECORDS.map((key) => say(key)), { recordedAt: at(0) }); // prettier-ignore
    const provider = await openX402({
      ...{ facilitator: chain.facilitator, chains: chainsOf(chain), store, waitMs: 0, pollMs: 1 },
      ...{ receipts: Receipts.fromHex(RECEIPT_KEY), now: () => chain.time * 1000 },
    });
    return new ChainSchedule(store, provider, chain, random);
  }

  /** One step, whichever it is. */
  async step(): Promise<void> {
    const steps: readonly (readonly [weight: number, act: () => void | Promise<void>])[] = [
      [1, this.#price],
      [1, this.#changeRecord],
      [4, this.#offer],
      [6, this.#payment],
      [6, this.#block],
      [3, this.#reorganisation],
      [2, this.#spend],
      [3, this.#reconcile],
    ];
    let left = this.#random() * steps.reduce((sum, [weight]) => sum + weight, 0);
    const chosen = steps.find(([weight]) => (left -= weight) < 0)!;
    await chosen[1].call(this);
  }

  /** The last confirmation comes, and what came of the schedule is compared with the chain. */
  async end(): Promise<Outcome> {
    this.#chain.isUp = true;
    this.#chain.mine(CONFIRMATIONS, 7200);
    this.#chain.mine(CONFIRMATIONS);
    await this.#reconciler.run();
    const ledger = ledgerOf(this.#store);
    const states: Partial<Record<HoldState, number>> = {};
    const paidFor = new Set<string>();
    const paid = new Map<string, bigint>();
    let paidWithoutAccess = 0;
    for (const { signed } of this.#presented) {
      const hold = await ledger.hold({ network: NETWORK, asset: ASSET, from: signed.from, nonce: signed.nonce });
      if (hold === null) continue;
      states[hold.state] = (states[hold.state] ?? 0) + 1;
      if (!this.#chain.hasPaid(signed)) continue;
      paid.set(hold.payer, (paid.get(hold.payer) ?? 0n) + BigInt(signed.value));
      paidFor.add(`${hold.payer} ${hold.item.recordId} ${hold.item.contentVersion}`);
      const isOwned = (await ledger.purchase(hold.payer, hold.item)) !== null;
      if (!isOwned || hold.state !== 'settled') paidWithoutAccess += 1;
    }
    let [accessUnpaid, wrongSums] = [0, 0];
    const entries = await this.#entries();
    for (const from of PAYERS) {
      const payer = x402Payer(NETWORK, from);
      for (const { recordId, contentVersion } of await ledger.owned(
        payer,
        RECORDS.map((key) => `permits:${key}`),
      ))
        // prettier-ignore
        if (!paidFor.has(`${payer} ${recordId} ${contentVersion}`)) accessUnpaid += 1;
      const own = entries.filter((entry) => entry.payer === payer);
      const sumOf = (kind: LedgerEntry['kind']): bigint =>
        own.filter((entry) => entry.kind === kind).reduce((sum, { price }) => sum + BigInt(price.amount), 0n);
      if (sumOf('charge') - sumOf('reversed') !== (paid.get(payer) ?? 0n)) wrongSums += 1;
    }
    return { paidWithoutAccess, accessUnpaid, wrongSums, states };
  }

  async #entries(): Promise<readonly LedgerEntry[]> {
    return ledgerOf(this.#store).entries({ limit: 1000 });
  }

  #price(): void {
    this.#amount = this.#one(AMOUNTS);
  }

  #offer(): void {
    this.#offered.push({ from: this.#one(PAYERS), record: this.#one(RECORDS), amount: this.#amount });
  }

  async #changeRecord(): Promise<void> {
    const changed = say(this.#one(RECORDS), { content: `Text ${this.#minute}` });
    await this.#store.apply('permits', [changed], { recordedAt: at(this.#minute++) });
  }

  /** Somebody pays by an offer, or presents again what was presented before. */
  async #payment(): Promise<void> {
    this.#chain.settling = this.#one(SETTLING);
    this.#chain.verifying = this.#one<Behaviour>(['honest', 'honest', 'honest', 'honest', 'honest', 'lies', 'away']);
    this.#chain.isUp = this.#random() > 0.05;
    // Blocks may be lost between the check and the settlement.
    this.#chain.onAsked = (what) => {
      if (what === 'settle' && this.#random() < 0.15) this.#reorganisation();
    };
    const again = this.#presented.length > 0 && this.#random() < 0.25;
    await this.#present(again ? this.#one(this.#presented) : this.#signed());
    this.#chain.onAsked = () => undefined;
    this.#chain.isUp = true;
  }

  #signed(): Presented {
    const isKnown = this.#offered.length > 0 && this.#random() < 0.9;
    const { from, record, amount } = isKnown
      ? this.#one(this.#offered)
      : { from: this.#one(PAYERS), record: this.#one(RECORDS), amount: this.#amount };
    const signed = authorization(this.#chain.time, { from, value: amount });
    const presented = { record, signed, identifier: identifier() };
    this.#presented.push(presented);
    // Some bring it to the chain themselves, before they show it or after.
    if (this.#random() < 0.05) this.#chain.transfer(signed);
    return presented;
  }

  async #present({ record, signed, identifier: id }: Presented): Promise<void> {
    const [item] = (await ledgerOf(this.#store).items([`permits:${record}`])).values();
    const priced: PricedItem = {
      ...item!,
      ...{ price: { amount: 2, currency: 'EUR' }, onChain: [{ ...OFFER, amount: this.#amount }] },
    };
    const payment = paymentOf({ record, signed, identifier: id, accepted: { amount: signed.value } }, signed);
    const request = {
      ...{ resource: urlOf(record), account: null, mayCharge: false, expected: null, idempotencyKey: null },
      payment: Buffer.from(JSON.stringify(payment)).toString('base64'),
    };
    try {
      const authorized = await this.#provider.authorize(request, priced);
      await this.#provider.settle(authorized!);
    } catch (error) {
      if (!isGazetteError(error) || !EXPECTED.has(error.code)) throw error;
    }
  }

  #block(): void {
    this.#chain.mine(1 + this.#below(4), 1 + this.#below(40));
    while (this.#waiting.length > 0 && this.#random() < 0.6) {
      this.#chain.transfer(this.#waiting.splice(this.#below(this.#waiting.length), 1)[0]!);
    }
    this.#firm = Math.max(this.#firm, this.#chain.blocks.length - 1 - CONFIRMATIONS);
  }

  /** The newest blocks are lost. What was paid in them waits, or is forgotten. */
  #reorganisation(): void {
    this.#firm = Math.max(this.#firm, this.#chain.blocks.length - 1 - CONFIRMATIONS);
    const losable = this.#chain.blocks.length - 1 - this.#firm;
    if (losable === 0) return;
    const lost = this.#chain.lose(1 + this.#below(losable));
    for (const signed of lost) (this.#random() < 0.5 ? this.#waiting : this.#forgotten).push(signed);
  }

  /** A payer uses an authorization for something else, or takes it back. */
  #spend(): void {
    if (this.#presented.length === 0) return;
    const isLost = this.#forgotten.length > 0 && this.#random() < 0.7;
    const signed = isLost ? this.#forgotten.pop()! : this.#one(this.#presented).signed;
    if (this.#random() < 0.5) this.#chain.cancel(signed);
    else this.#chain.transfer({ ...signed, to: signed.from });
  }

  async #reconcile(): Promise<void> {
    this.#chain.isUp = this.#random() > 0.1;
    await this.#reconciler.run();
    this.#chain.isUp = true;
  }

  #one<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!;
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }
}

function chainsOf(chain: LocalChain): { network: string; url: string; confirmations: number; fetch: typeof fetch }[] {
  return [{ network: NETWORK, url: 'http://chain.example', confirmations: CONFIRMATIONS, fetch: chain.fetch }];
}
