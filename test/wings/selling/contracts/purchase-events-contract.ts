// What happens to a record, its register or its payer while it is bought: a table of the steps of a purchase and the events that
// may come between them, for both ways to pay. Whatever comes when: who is charged can read what he paid for, as long as anybody
// can; nobody reads what was not paid for; no hold stays; the sums add up; and a retry costs nothing.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receipts } from '../../../../src/wings/selling/purchases/receipts.ts';
import { createX402, Reconciler } from '../../../../src/wings/selling/purchases/x402/index.ts';
import type { ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import type { InspectedStore } from '../../../../src/stores/contract/inspection.ts';
import type { StorePart } from '../../../../src/stores/contract/accounts.ts';
import { SELLING } from '../../../../src/wings/selling/stores/plugin.ts';
import type { LedgerEntry, LedgerStore } from '../../../../src/wings/selling/stores/contract/ledger.ts';
import { BUYER, openShop, PRICE, type Shop } from '../shop.ts';
import { authorization, LocalChain, NETWORK, SHOP, type Signed } from '../x402/local-chain.ts';
import { identifier, OFFER, paymentOf, RECEIPT_KEY } from '../x402/shop.ts';
import { type OpenServiceStore, SECRET, BASE_URL, keyAt, statementAt } from '../../../world.ts';
import { inspected } from '../../../contracts/overwrites.ts';
import { at, permits } from '../../../contracts/store-register.ts';
import { ledgerOf } from '../ledger-of.ts';

const KEY = keyAt(1);
const ID = `permits:${KEY}`;
const COUNT = 12;

/** What stands in the record after its source has changed it. */
const CHANGED = 'another text';

/** What the record costs once its price has changed. */
const NEW_PRICE = 300;

const URL_OF_RECORD = `${BASE_URL}/api/v1/records/${ID}/full`;

/** Steps between which something may happen. */
type Step =
  | 'offer and payment'
  | 'check and hold'
  | 'hold and settlement'
  | 'request and answer of the facilitator'
  | 'settlement and charge'
  | 'check and charge'
  | 'charge and answer';

const ON_CHAIN = [
  ...(['offer and payment', 'check and hold', 'hold and settlement', 'request and answer of the facilitator'] as const),
  ...(['settlement and charge', 'charge and answer'] as const),
];
const ON_CREDIT = ['offer and payment', 'check and charge', 'charge and answer'] as const;

const original = statementAt(1, COUNT);
const changed = { ...original, content: CHANGED };

async function price(store: ServiceStore, prices: object | null): Promise<void> {
  const { prices: before, ...definition } = (await store.register('permits'))!.definition;
  expect(before).toBeDefined();
  await store.updateRegister(prices === null ? definition : ({ ...definition, prices } as typeof definition), {
    recordedAt: at(1),
  });
}

/** What may happen. */
const EVENTS = {
  'the price changes': ({ store }) =>
    price(store, { currency: 'EUR', per_record: NEW_PRICE, x402: [{ ...OFFER, amount: '20000' }] }),
  'the prices are removed': ({ store }) => price(store, null),
  'the record is withdrawn': ({ store }) => store.withdraw('permits', [ID], { recordedAt: at(1) }),
  'the record is redacted': ({ store }) => store.redact(ID, { recordedAt: at(1) }),
  'the record is withdrawn and restored': async ({ store }) => {
    await store.withdraw('permits', [ID], { recordedAt: at(1) });
    await store.apply('permits', [original], { recordedAt: at(2) });
  },
  'its source changes the record': ({ store }) => store.apply('permits', [changed], { recordedAt: at(1) }),
  'its source changes the record, and it is withdrawn': async ({ store }) => {
    await store.apply('permits', [changed], { recordedAt: at(1) });
    await store.withdraw('permits', [ID], { recordedAt: at(2) });
  },
  'the register is removed': ({ store }) => store.removeRegister('permits'),
  'another register takes its place': async ({ store }) => {
    await store.removeRegister('permits');
    await store.createRegister({ ...permits(), prices: { currency: 'EUR', per_record: 200, x402: [OFFER] } });
    const others = Array.from({ length: COUNT }, (_, n) => ({ ...statementAt(n + 1, COUNT), content: CHANGED }));
    await store.apply('permits', others, { recordedAt: at(1) });
  },
  'the account is suspended': ({ store }) => store.accounts.updateAccount(BUYER, { isSuspended: true }),
  'the key is revoked': async ({ store }) => {
    for (const { id, budget } of await store.accounts.keys(BUYER)) {
      if (budget !== undefined) await store.accounts.revokeKey(id, { revokedAt: at(60) });
    }
  },
} satisfies Record<string, (shop: Shop) => Promise<unknown>>;

type Event = keyof typeof EVENTS;

/** Events that concern accounts alone: who pays on chain has none. */
type AccountEvent = 'the account is suspended' | 'the key is revoked';

/**
 * The answer to the request that was under way, and whether it was charged. Where it was, and the record did not come: whether
 * the payer reads it later for the same payment, or it is gone for everybody.
 */
type Outcome = '200 charged' | `${number} free` | `${number} charged, ${'read later' | 'gone'}`;

/** By steps, as in {@link ON_CREDIT}. */
const CREDIT_TABLE: Readonly<Record<Event, readonly Outcome[]>> = {
  'the price changes': ['200 charged', '200 charged', '200 charged'],
  'the prices are removed': ['404 free', '409 free', '200 charged'],
  'the record is withdrawn': ['410 free', '409 free', '410 charged, read later'],
  'the record is redacted': ['410 free', '409 free', '410 charged, gone'],
  'the record is withdrawn and restored': ['200 charged', '200 charged', '200 charged'],
  'its source changes the record': ['200 charged', '409 free', '200 charged'],
  'its source changes the record, and it is withdrawn': ['410 free', '409 free', '410 charged, read later'],
  'the register is removed': ['404 free', '409 free', '404 charged, gone'],
  'another register takes its place': ['200 charged', '404 charged, read later', '404 charged, gone'],
  'the account is suspended': ['401 free', '401 free', '200 charged'],
  'the key is revoked': ['401 free', '401 free', '200 charged'],
};

/** By steps, as in {@link ON_CHAIN}. */
const CHAIN_TABLE: Readonly<Record<Exclude<Event, AccountEvent>, readonly Outcome[]>> = {
  'the price changes': ['402 free', '200 charged', '200 charged', '200 charged', '200 charged', '200 charged'],
  'the prices are removed': ['404 free', '200 charged', '200 charged', '200 charged', '200 charged', '200 charged'],
  'the record is withdrawn': [
    '410 free',
    '409 free',
    '410 free',
    '410 charged, read later',
    '410 charged, read later',
    '410 charged, read later',
  ],
  'the record is redacted': [
    '410 free',
    '409 free',
    '410 free',
    '410 charged, gone',
    '410 charged, gone',
    '410 charged, gone',
  ],
  'the record is withdrawn and restored': [
    '200 charged',
    '200 charged',
    '200 charged',
    '200 charged',
    '200 charged',
    '200 charged',
  ],
  'its source changes the record': [
    '200 charged',
    '409 free',
    '200 charged',
    '200 charged',
    '200 charged',
    '200 charged',
  ],
  'its source changes the record, and it is withdrawn': [
    '410 free',
    '409 free',
    '410 free',
    '410 charged, read later',
    '410 charged, read later',
    '410 charged, read later',
  ],
  'the register is removed': [
    '404 free',
    '409 free',
    '410 free',
    '404 charged, gone',
    '404 charged, gone',
    '404 charged, gone',
  ],
  'another register takes its place': [
    '200 charged',
    '404 charged, read later',
    '410 free',
    '404 charged, gone',
    '404 charged, gone',
    '404 charged, gone',
  ],
};

/** A store that has something happen in the middle of a purchase. */
class Interrupted {
  readonly store: ServiceStore;
  #due: { readonly step: Step; readonly act: () => Promise<unknown> } | null = null;

  constructor(store: ServiceStore) {
    const own = ledgerOf(store);
    const ledger: LedgerStore = {
      ...own,
      buy: (purchase) => this.#around('check and charge', () => own.buy(purchase), 'charge and answer'),
      openHold: (hold) => this.#around('check and hold', () => own.openHold(hold), 'hold and settlement'),
      settleHold: (key, settled) =>
        this.#around('settlement and charge', () => own.settleHold(key, settled), 'charge and answer'),
    };
    this.store = new Proxy(store, {
      get(target, name) {
        if (name === 'part') return (plugin: StorePart<unknown>) => (plugin === SELLING ? ledger : target.part(plugin));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  /** Has something happen once, at a step. */
  at(step: Step, act: () => Promise<unknown>): void {
    this.#due = { step, act };
  }

  get isDue(): boolean {
    return this.#due !== null;
  }

  async reach(step: Step): Promise<void> {
    if (this.#due?.step !== step) return;
    const { act } = this.#due;
    this.#due = null;
    await act();
  }

  async #around<T>(before: Step, call: () => Promise<T>, after: Step): Promise<T> {
    await this.reach(before);
    const result = await call();
    await this.reach(after);
    return result;
  }
}

/** Registers the suite for stores of one kind. */
export function purchaseEventsContract(name: string, openStore: OpenServiceStore): void {
  describe(`a purchase in ${name}, while something else happens`, () => {
    let [own, dispose]: [store: ServiceStore, () => Promise<void>] = [undefined!, undefined!];
    let chain: LocalChain;
    let interrupted: Interrupted;
    let shop: Shop;
    let reconciler: Reconciler;

    beforeEach(async () => {
      ({ store: own, dispose } = await openStore());
      chain = new LocalChain().begin();
      interrupted = new Interrupted(own);
      const { store } = interrupted;
      const chains = [{ network: NETWORK, url: 'http://node.example', confirmations: 2, fetch: chain.fetch }];
      const provider = await createX402({
        ...{ facilitator: chain.facilitator, chains, store, receipts: Receipts.fromHex(RECEIPT_KEY) },
        ...{ waitMs: 50, pollMs: 5, now: () => chain.time * 1000 },
      });
      shop = await openShop({ store, records: COUNT, providers: [provider] });
      await price(own, { currency: PRICE.currency, per_record: PRICE.amount, x402: [OFFER] });
      chain.onAsked = (what) =>
        what === 'settle' ? interrupted.reach('request and answer of the facilitator') : undefined;
      reconciler = new Reconciler({ store: own, chains });
    });
    afterEach(async () => {
      await shop.close();
      await dispose();
    });

    /** Has the event happen at a step of a purchase, asks again with the same payment, and says what came of it. */
    async function outcomeOf(step: Step, event: Event, buy: () => Promise<Response>, retry = buy): Promise<Outcome> {
      interrupted.at(step, () => EVENTS[event](shop));
      await interrupted.reach('offer and payment');
      const answer = await read(await buy());
      expect(interrupted.isDue).toBe(false);
      const charges = await expectFair(answer);
      // What has kept the payer from reading ends, as far as it can end.
      if (event === 'the account is suspended') await own.accounts.updateAccount(BUYER, { isSuspended: false });
      if (event.endsWith('is withdrawn')) {
        const now = event === 'the record is withdrawn' ? original : changed;
        await own.apply('permits', [now], { recordedAt: at(3) });
      }
      const again = await read(await retry());
      const chargesNow = await expectFair(again);
      if (charges.length === 0) return `${answer.status} free`;
      expect(chargesNow).toEqual(charges);
      const bought = answer.shows ?? (event === 'another register takes its place' ? 'changed' : 'first');
      expect([again.shows, again.status === 200]).toEqual(again.shows === null ? [null, false] : [bought, true]);
      if (answer.status === 200) expect([answer.shows, again.shows]).toEqual([bought, bought]);
      if (answer.status === 200) return '200 charged';
      return `${answer.status} charged, ${again.shows === null ? 'gone' : 'read later'}`;
    }

    /** Expects that nobody read what was not paid for, nothing stays open, and all sums add up. @returns all charges */
    async function expectFair(answer: Answer): Promise<readonly LedgerEntry[]> {
      // Later than any authorization ends.
      chain.mine(5, 300);
      await reconciler.run();
      expect(await ledgerOf(own).openHolds({ limit: 1 })).toEqual([]);
      expect(await inspected(own as InspectedStore)).toEqual([]);
      const charges = await chargesOf(own);
      // What the chain shows as paid is what the ledger charges.
      const onChain = charges
        .filter(({ provider }) => provider === 'x402')
        .map(({ reference }) => reference!.replace(/\/\d+$/, ''));
      expect(onChain).toEqual(chain.transfersTo(SHOP));
      expect(charges.length).toBeLessThanOrEqual(1);
      if (answer.shows !== null) expect(charges).toHaveLength(1);
      return charges;
    }

    describe.each(Object.keys(CREDIT_TABLE) as Event[])('from credit, when %s', (event) => {
      const table = ON_CREDIT.map((step, n) => [step, CREDIT_TABLE[event][n]] as const);
      it.each(table)('between %s: %s', async (step, expected) => {
        const headers = { 'idempotency-key': identifier() };
        const body = { expected_price: '3.00 EUR' };
        const outcome = await outcomeOf(
          ...([step, event] as const),
          () => shop.get(`/records/${ID}/full`, { key: shop.spender, headers }),
          // The first key may be revoked.
          () => shop.get(`/records/${ID}/purchase`, { key: shop.asker, method: 'POST', headers, body }),
        );
        expect(outcome).toBe(expected);
        const [charge] = await chargesOf(own);
        const isNewPrice = event === 'the price changes' && step !== 'charge and answer';
        if (outcome.includes('charged')) expect(charge!.price.amount).toBe(isNewPrice ? NEW_PRICE : PRICE.amount);
      });
    });

    /** Pays, again and again with the same payment. */
    const payment = (signed: Signed = authorization(chain.time)): (() => Promise<Response>) => {
      const object = paymentOf({ url: URL_OF_RECORD, identifier: identifier(), signed }, signed);
      const headers = { 'payment-signature': Buffer.from(JSON.stringify(object)).toString('base64') };
      return () => shop.get(`/records/${ID}/full`, { headers });
    };

    describe.each(Object.keys(CHAIN_TABLE) as Exclude<Event, AccountEvent>[])('on chain, when %s', (event) => {
      const table = ON_CHAIN.map((step, n) => [step, CHAIN_TABLE[event][n]] as const);
      it.each(table)('between %s: %s', async (step, expected) => {
        expect(await outcomeOf(step, event, payment())).toBe(expected);
      });
    });

    it('takes the same payment for a record that came back before the payment has expired', async () => {
      interrupted.at('hold and settlement', () => EVENTS['the record is withdrawn'](shop));
      const pay = payment();
      expect((await pay()).status).toBe(410);
      expect(chain.asked).not.toContain('settle');
      // Nobody knows yet that it cannot be paid any more.
      expect(await reconciler.run()).toMatchObject({ open: 1, released: 0 });
      await own.apply('permits', [original], { recordedAt: at(3) });
      const answer = await read(await pay());
      expect([answer.status, answer.shows]).toEqual([200, 'first']);
      expect(await expectFair(answer)).toHaveLength(1);
    });

    it('charges a payment that the facilitator settles unasked, and opens what it bought', async () => {
      const signed = authorization(chain.time);
      const pay = payment(signed);
      interrupted.at('hold and settlement', () => EVENTS['the record is withdrawn'](shop));
      expect((await pay()).status).toBe(410);
      expect(chain.transfer(signed)).toBe(true);
      await own.apply('permits', [original], { recordedAt: at(3) });
      chain.mine(5);
      expect(await reconciler.run()).toMatchObject({ settled: 1 });
      const answer = await read(await pay());
      expect([answer.status, answer.shows]).toEqual([200, 'first']);
      expect(await expectFair(answer)).toHaveLength(1);
    });
  });
}

async function chargesOf(store: ServiceStore): Promise<readonly LedgerEntry[]> {
  return (await ledgerOf(store).entries({ limit: 100 })).filter(({ kind }) => kind === 'charge');
}

/** What a client got. */
interface Answer {
  readonly status: number;
  /** Which content of the record it can read. */
  readonly shows: 'first' | 'changed' | null;
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const shows = text.includes(`${SECRET} content`) ? 'first' : text.includes(CHANGED) ? 'changed' : null;
  return { status: response.status, shows };
}
