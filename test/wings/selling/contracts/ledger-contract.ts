// What every store promises of purchases: credit, purchases from it, what is owned, payments on chain, refunds.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiKeyEntry, BudgetChange, KeyBudget, ServiceStore } from '../../../../src/stores/contract/accounts.ts';
import { x402Payer } from '../../../../src/wings/selling/purchases/x402/options.ts';
import type { Money } from '../../../../src/money.ts';
import type { RegisterDefinition } from '../../../../src/register/record.ts';
import type { NewHold, PricedItem, Purchase } from '../../../../src/wings/selling/stores/contract/ledger.ts';
import { accountNamed, keyOfAccount } from '../../../contracts/accounts.ts';
import type { OpenServiceStore } from '../../../world.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { ledgerOf } from '../ledger-of.ts';

const ADDRESS = '0x00000000000000000000000000000000000000aa';
const NETWORK = 'eip155:84532';
const PAYER = x402Payer(NETWORK, ADDRESS);
const USDC = `${NETWORK}/erc20:0x036cbd53842c5426634e7929541ec2318f3dcf7e`;

/** The register `permits`, each record of which costs so many cents. */
export function sold(cents = 2, currency = 'EUR'): RegisterDefinition {
  return { ...permits(), prices: { currency, per_record: cents } };
}

/** An item of the register `permits` at 2 cents. */
export function itemOf(key: string, contentVersion = 1, amount = 2): PricedItem {
  return { feedId: 'permits', recordId: `permits:${key}`, contentVersion, price: { amount, currency: 'EUR' } };
}

/** An account with credit in euro cents, and its key `key_a`. @param budget that of the key; absent: none */
export async function accountWithCredit(
  store: ServiceStore,
  amount: number,
  budget?: { readonly budget: number; readonly perDay: number | null; readonly maxPrice?: Money | null },
): Promise<void> {
  await store.accounts.createAccount({ ...accountNamed('acme'), accessUntil: null });
  const price = { amount, currency: 'EUR' };
  await ledgerOf(store).grantCredit({ accountId: 'acme', price, reference: null, reason: null });
  await store.accounts.createKey({
    ...keyOfAccount('acme', 'a'),
    lastFour: 'aaaa',
    ...(budget === undefined ? {} : { budget }),
  });
}

/** Buys with the key `key_a`. */
export async function buy(
  store: ServiceStore,
  item: PricedItem,
  given: { readonly idempotencyKey?: string; readonly keyId?: string | null; readonly expected?: Money } = {},
): Promise<Purchase> {
  return ledgerOf(store).buy({
    accountId: 'acme',
    keyId: 'key_a',
    idempotencyKey: null,
    expected: null,
    item,
    ...given,
  });
}

/** A payment on chain. */
export function holdWith(nonce: string, item: PricedItem = itemOf('a')): NewHold {
  return {
    ...{ provider: 'x402', payer: PAYER, network: NETWORK, asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e' },
    ...{ from: ADDRESS, nonce, payload: { signature: '0x1' }, requirements: { scheme: 'exact' }, identifier: null },
    item: { ...item, price: { amount: '20000', currency: USDC } },
  };
}

/** Expects a key's day to be that of the database's clock. @param setDay writes the day of `key_a`, below the store */
export async function expectDays(store: ServiceStore, setDay: (day: string) => Promise<unknown>): Promise<void> {
  await store.createRegister(sold());
  await store.apply('permits', [say('a'), say('b'), say('c')], { recordedAt: at(0) });
  await accountWithCredit(store, 1000, { budget: 100, perDay: 2 });
  const before = new Date().toISOString();
  await buy(store, itemOf('a'));
  const exhausted = { code: 'day_budget_exhausted' };
  await expect(buy(store, itemOf('b'))).rejects.toMatchObject(exhausted);
  const [key] = await store.accounts.keys('acme');
  expect([before.slice(0, 10), new Date().toISOString().slice(0, 10)]).toContain(key?.budget?.day);
  // As it lies there on a later day.
  await setDay('2026-01-01');
  await buy(store, itemOf('b'));
  const [later] = await store.accounts.keys('acme');
  expect(later?.budget).toMatchObject({ spent: 4, spentOnDay: 2 });
  // A clock that is set back does not begin a day again.
  await setDay('2999-01-01');
  await expect(buy(store, itemOf('c'))).rejects.toMatchObject(exhausted);
}

/** Registers the suite for one database. */
export function ledgerContract(name: string, open: OpenServiceStore): void {
  describe(`the ledger of ${name}`, () => {
    let store: ServiceStore;
    let dispose: () => Promise<void>;

    beforeEach(async () => {
      ({ store, dispose } = await open());
      await store.createRegister(sold());
      await store.apply('permits', [say('a'), say('b'), say('c')], { recordedAt: at(0) });
    });
    afterEach(() => dispose());

    const left = async (): Promise<number | undefined> => (await store.accounts.account('acme'))?.balance?.left;
    const kinds = async (): Promise<string[]> => {
      const entries = await ledgerOf(store).entries({ limit: 100 });
      return entries.map(({ kind, payer, price }) => `${kind} ${payer} ${price.amount}`).reverse();
    };
    const change = (key: string, title: string, cause?: 'extraction_correction'): Promise<unknown> => {
      return store.apply('permits', [say(key, { title })], {
        recordedAt: at(1),
        ...(cause === undefined ? {} : { cause }),
      });
    };

    describe('and where contents return', () => {
      const account = async (id: string): Promise<void> => {
        await store.accounts.createAccount({ ...accountNamed(id), accessUntil: null });
        const price = { amount: 100, currency: 'EUR' };
        await ledgerOf(store).grantCredit({ accountId: id, price, reference: null, reason: null });
      };
      /** Buys `a` as it is now. @returns the content version, and whether it was charged */
      const buyNow = async (accountId: string): Promise<readonly [contentVersion: number, isNew: boolean]> => {
        const item = (await ledgerOf(store).items(['permits:a'])).get('permits:a')!;
        const given = { keyId: null, idempotencyKey: null, expected: null };
        const { isNew } = await ledgerOf(store).buy({ accountId, item, ...given });
        return [item.contentVersion, isNew];
      };
      const owns = async (id: string): Promise<boolean> => {
        const isCurrent = (await ledgerOf(store).owned(id, ['permits:a'])).some((owned) => owned.isCurrent);
        const range = { feedId: 'permits', from: 9, to: 0, limit: 9 };
        expect((await ledgerOf(store).ownedWithin(id, range)).length).toBe(Number(isCurrent));
        return isCurrent;
      };
      const says = (title: string, cause: 'source_change' | 'extraction_correction' = 'source_change') =>
        store.apply('permits', [say('a', { title })], { recordedAt: at(1), cause });

      it('asks nobody twice for one: before an import, between, and after it was taken back', async () => {
        for (const id of ['before', 'between', 'both', 'after', 'none']) await account(id);
        expect([await buyNow('before'), await buyNow('both')]).toEqual([[1, true], [1, true]]); // prettier-ignore
        await says('Wrong');
        expect([await owns('before'), await owns('both')]).toEqual([false, false]);
        expect([await buyNow('between'), await buyNow('both')]).toEqual([[2, true], [2, true]]); // prettier-ignore
        await says('Permit a', 'extraction_correction');
        for (const id of ['before', 'between', 'both']) {
          expect([id, await owns(id)]).toEqual([id, true]);
          expect(await buyNow(id)).toEqual([1, false]);
        }
        expect([await owns('after'), await owns('none')]).toEqual([false, false]);
        expect(await buyNow('after')).toEqual([1, true]);
        // The undo is taken back, too.
        await says('Wrong', 'extraction_correction');
        expect([await owns('between'), await owns('both'), await owns('none')]).toEqual([true, true, false]);
        expect(await buyNow('both')).toEqual([2, false]);
        await says('Third');
        for (const id of ['before', 'between', 'both', 'after']) expect([id, await owns(id)]).toEqual([id, false]);
      });

      it('and knows what was bought of records that an import withdraws, or its undo withdrew', async () => {
        await account('before');
        expect(await buyNow('before')).toEqual([1, true]);
        const begun = {
          kind: 'undo',
          undoes: 7,
          file: 'a.csv',
          cause: 'source_change',
          who: null,
          begunAt: at(1),
        } as const;
        const { number } = await store.imports.begin('permits', begun, { key: new Uint8Array(32) });
        const records = ['permits:a', 'permits:b'].map((id) => ({ id, record: null }));
        await store.imports.proposals.keep(number, records);
        expect(await store.imports.soldOf(number)).toBe(1);
        expect(await ledgerOf(store).chargesOfWithdrawn(7, { limit: 9 })).toEqual([]);
        await store.withdraw('permits', ['permits:a'], { recordedAt: at(1), import: number });
        for (const asked of [7, number]) {
          const [charge, ...none] = await ledgerOf(store).chargesOfWithdrawn(asked, { limit: 9 });
          expect([charge?.payer, charge?.item?.recordId, none]).toEqual(['before', 'permits:a', []]);
          expect(await ledgerOf(store).chargesOfWithdrawn(asked, { above: charge!.number, limit: 9 })).toEqual([]);
        }
      });

      it('also where it is a corrected one that returns, and where its source says it again', async () => {
        for (const id of ['first', 'corrected']) await account(id);
        expect(await buyNow('first')).toEqual([1, true]);
        await says('Corrected', 'extraction_correction');
        expect([await buyNow('first'), await buyNow('corrected')]).toEqual([[1, false], [1, true]]); // prettier-ignore
        await says('Wrong');
        expect(await owns('first')).toBe(false);
        await says('Corrected');
        expect([await buyNow('first'), await buyNow('corrected')]).toEqual([[1, false], [1, false]]); // prettier-ignore
        await store.withdraw('permits', ['permits:a'], { recordedAt: at(2) });
        await says('Wrong');
        expect(await owns('first')).toBe(false);
        await says('Permit a', 'extraction_correction');
        expect(await buyNow('first')).toEqual([1, false]);
      });
    });

    it('gives credit once per reference, in one currency', async () => {
      await store.accounts.createAccount(accountNamed('acme'));
      await store.accounts.createAccount(accountNamed('other'));
      expect((await store.accounts.account('acme'))?.balance).toBeUndefined();
      const credit = { accountId: 'acme', price: { amount: 500, currency: 'EUR' }, reference: 'INV-1', reason: 'paid' };
      const { entry, isNew } = await ledgerOf(store).grantCredit(credit);
      expect(isNew).toBe(true);
      expect(entry).toMatchObject({
        kind: 'credit',
        payer: 'acme',
        price: credit.price,
        item: null,
        reference: 'INV-1',
      });
      expect(await ledgerOf(store).grantCredit(credit)).toEqual({ entry, isNew: false });
      await ledgerOf(store).grantCredit({ ...credit, reference: null });
      const balance = { currency: 'EUR', credit: 1000, charged: 0, left: 1000 };
      expect((await store.accounts.account('acme'))?.balance).toEqual(balance);
      const refused = (given: object): Promise<unknown> => ledgerOf(store).grantCredit({ ...credit, ...given });
      const mismatch = { code: 'idempotency_mismatch' };
      await expect(refused({ accountId: 'other' })).rejects.toMatchObject(mismatch);
      await expect(refused({ price: { amount: 501, currency: 'EUR' } })).rejects.toMatchObject(mismatch);
      await expect(refused({ accountId: 'nobody' })).rejects.toMatchObject({ code: 'unknown_account' });
      for (const price of [
        ...[0, -1, 1.5, Number.MAX_SAFE_INTEGER + 1, Number.NaN].map((amount) => ({ amount, currency: 'EUR' })),
        ...['eur', '', 'EURO', 'USD', USDC].map((currency) => ({ amount: 1, currency })),
        { amount: Number.MAX_SAFE_INTEGER, currency: 'EUR' },
      ]) {
        await expect(refused({ price, reference: null })).rejects.toMatchObject({ code: 'invalid_option' });
      }
      expect((await store.accounts.account('acme'))?.balance).toEqual(balance);
    });

    it('charges an item once, and keeps count in the account and the key', async () => {
      await accountWithCredit(store, 5, { budget: 100, perDay: null });
      expect(await ledgerOf(store).hasSold()).toBe(false);
      const bought = await buy(store, itemOf('a'));
      expect(bought).toMatchObject({ payer: 'acme', isNew: true, item: { recordId: 'permits:a', contentVersion: 1 } });
      expect(await ledgerOf(store).hasSold()).toBe(true);
      expect(bought.charge).toMatchObject({
        kind: 'charge',
        provider: 'prepaid',
        keyId: 'key_a',
        price: { amount: 2 },
      });
      expect(await buy(store, itemOf('a'))).toEqual({ ...bought, isNew: false });
      expect(await buy(store, itemOf('a'), { keyId: null })).toEqual({ ...bought, isNew: false });
      expect(await ledgerOf(store).purchase('acme', itemOf('a'))).toEqual({ ...bought, isNew: false });
      expect(await left()).toBe(3);
      const [key] = await store.accounts.keys('acme');
      expect(key?.budget).toMatchObject({ budget: 100, perDay: null, spent: 2, spentOnDay: 2 });
      await buy(store, itemOf('b'));
      await expect(buy(store, itemOf('c'))).rejects.toMatchObject({
        code: 'insufficient_credit',
        details: { left: 1 },
      });
      expect(await kinds()).toEqual(['credit acme 5', 'charge acme 2', 'charge acme 2']);
      expect((await store.accounts.keys('acme'))[0]?.budget?.spent).toBe(4);
    });

    it('refuses what a key may not spend, and what the account has in another currency', async () => {
      await accountWithCredit(store, 1000, { budget: 3, perDay: 5 });
      await store.updateRegister(sold(2, 'USD'), { recordedAt: at(1) });
      await expect(buy(store, itemOf('a'))).rejects.toMatchObject({ code: 'insufficient_credit' });
      await store.updateRegister(sold(), { recordedAt: at(2) });
      await buy(store, itemOf('a'));
      await expect(buy(store, itemOf('b'))).rejects.toMatchObject({ code: 'budget_exhausted', details: { left: 1 } });
      await store.accounts.createKey({ ...keyOfAccount('acme', 'b'), budget: { budget: 100, perDay: 3 } });
      await buy(store, itemOf('b'), { keyId: 'key_b' });
      const daily = { code: 'day_budget_exhausted', details: { left: 1 } };
      await expect(buy(store, itemOf('c'), { keyId: 'key_b' })).rejects.toMatchObject(daily);
      await expect(buy(store, itemOf('c'), { keyId: 'key_x' })).rejects.toMatchObject({ code: 'unknown_key' });
      await store.accounts.revokeKey('key_b', { revokedAt: at(1) });
      await expect(buy(store, itemOf('c'), { keyId: 'key_b' })).rejects.toMatchObject({ code: 'unknown_key' });
      await store.accounts.updateAccount('acme', { isSuspended: true });
      await expect(buy(store, itemOf('c'))).rejects.toMatchObject({ code: 'account_suspended' });
      expect(await left()).toBe(996);
    });

    it('charges what the register names in that moment, and never more than the buyer expects or the key pays', async () => {
      const cents = (amount: number, currency = 'EUR'): Money => ({ amount, currency });
      await accountWithCredit(store, 1000, { budget: 100, perDay: null, maxPrice: cents(5) });
      // The price was 2 when the item was looked at.
      await store.updateRegister(sold(3), { recordedAt: at(1) });
      const changed = { code: 'price_changed', details: cents(3) };
      for (const expected of [cents(2), cents(3, 'USD'), cents(0)]) {
        for (const keyId of ['key_a', null]) {
          await expect(buy(store, itemOf('a'), { expected, keyId })).rejects.toMatchObject(changed);
        }
      }
      expect((await buy(store, itemOf('a'), { expected: cents(4) })).charge.price).toEqual(cents(3));
      await store.updateRegister(sold(6), { recordedAt: at(2) });
      for (const given of [{}, { expected: cents(6) }]) {
        await expect(buy(store, itemOf('b'), given)).rejects.toMatchObject({
          code: 'price_changed',
          details: cents(6),
        });
      }
      expect((await buy(store, itemOf('b'), { keyId: null, expected: cents(6) })).charge.price).toEqual(cents(6));
      // Who owns an item pays nothing, whatever it costs by now.
      expect(await buy(store, itemOf('a'), { expected: cents(1) })).toMatchObject({ isNew: false });
      await store.updateRegister(permits(), { recordedAt: at(3) });
      await expect(buy(store, itemOf('c'))).rejects.toMatchObject({ code: 'price_changed' });
      expect(await left()).toBe(991);
    });

    it('has a key give no other key a higher price', async () => {
      const cents = (amount: number, currency = 'EUR'): Money => ({ amount, currency });
      await accountWithCredit(store, 1000, { budget: 100, perDay: null, maxPrice: cents(5) });
      let count = 0;
      const make = (maxPrice: Money | null): Promise<ApiKeyEntry> =>
        store.accounts.createKey(
          { ...keyOfAccount('acme', `c${count++}`), budget: { budget: 10, maxPrice } },
          { by: 'key_a' },
        );
      const refusal = { code: 'insufficient_scope', details: { option: 'max_price' } };
      for (const maxPrice of [null, cents(6), cents(5, 'USD')])
        await expect(make(maxPrice)).rejects.toMatchObject(refusal);
      const { id, budget } = await make(cents(4));
      expect(budget).toMatchObject({ budget: 10, maxPrice: cents(4) });
      const change = (given: BudgetChange): Promise<ApiKeyEntry> =>
        store.accounts.updateKey({ ...keyOfAccount('acme', 'a'), id }, { budget: given }, { by: 'key_a' });
      await expect(change({ maxPrice: null })).rejects.toMatchObject(refusal);
      expect((await change({ maxPrice: cents(3) })).budget).toMatchObject({ maxPrice: cents(3) });
      const invalid = { code: 'invalid_option', details: { option: 'max_price' } };
      for (const wrong of [cents(0), cents(1.5), cents(1, 'euro')]) {
        const own = store.accounts.updateKey(
          { ...keyOfAccount('acme', 'a'), id: 'key_a' },
          { budget: { maxPrice: wrong } },
        );
        await expect(own).rejects.toMatchObject(invalid);
      }
      // A successor pays what the key paid.
      const successor = await store.accounts.rotateKey('key_a', keyOfAccount('acme', 'b'), { endsAt: at(60) });
      expect(successor.budget).toMatchObject({ maxPrice: cents(5) });
    });

    it('moves what is left of a budget to the successor of a key', async () => {
      await accountWithCredit(store, 1000, { budget: 5, perDay: 4 });
      await buy(store, itemOf('a'));
      await store.accounts.rotateKey('key_a', keyOfAccount('acme', 'b'), { endsAt: at(60) });
      const [successor, before] = await store.accounts.keys('acme');
      expect(successor?.budget).toMatchObject({ budget: 3, perDay: 4, spent: 0, spentOnDay: 2 });
      expect(before?.budget).toMatchObject({ budget: 2, spent: 2 });
      await expect(buy(store, itemOf('b'))).rejects.toMatchObject({ code: 'budget_exhausted' });
      await buy(store, itemOf('b'), { keyId: 'key_b' });
    });

    it('has a key give away no more than it has left, and takes it from the key', async () => {
      await accountWithCredit(store, 1000, { budget: 9, perDay: 5 });
      await buy(store, itemOf('a'));
      let count = 0;
      const make = (budget: BudgetChange | null): Promise<ApiKeyEntry> =>
        store.accounts.createKey({ ...keyOfAccount('acme', `c${count++}`), budget }, { by: 'key_a' });
      const refusal = { code: 'insufficient_scope', details: { option: 'budget' } };
      for (const budget of [null, { budget: 8, perDay: 5 }, { budget: 1, perDay: null }, { budget: 1, perDay: 6 }]) {
        await expect(make(budget)).rejects.toMatchObject(refusal);
      }
      const { id } = await make({ budget: 4, perDay: 3 });
      const own = async (): Promise<KeyBudget> => (await store.accounts.keys('acme')).at(-1)!.budget!;
      expect(await own()).toMatchObject({ budget: 5, perDay: 2, spent: 2 });
      await expect(make({ budget: 4, perDay: 1 })).rejects.toMatchObject(refusal);
      // The day has no more for both than it had for the one.
      const daily = { code: 'day_budget_exhausted', details: { left: 1 } };
      await expect(buy(store, itemOf('b'), { keyId: id })).rejects.toMatchObject(daily);
      // Nor does it give another key, or itself, more than that has: less it may.
      const change = (keyId: string, budget: BudgetChange | null): Promise<ApiKeyEntry> =>
        store.accounts.updateKey({ ...keyOfAccount('acme', 'a'), id: keyId }, { budget }, { by: 'key_a' });
      for (const keyId of ['key_a', id]) {
        for (const budget of [null, { budget: 100 }, { perDay: null }, { perDay: 4 }]) {
          await expect(change(keyId, budget)).rejects.toMatchObject(refusal);
        }
      }
      expect((await change(id, { budget: 1, perDay: 1 })).budget).toMatchObject({ budget: 1, perDay: 1 });
      // The owner may.
      const name = { ...keyOfAccount('acme', 'a'), id: 'key_a' };
      await store.accounts.updateKey(name, { budget: { budget: 100, perDay: null } });
      expect(await own()).toMatchObject({ budget: 100, perDay: null, spent: 2 });
      const below = store.accounts.updateKey(name, { budget: { budget: 1 } });
      await expect(below).rejects.toMatchObject({ code: 'invalid_option', details: { option: 'budget' } });
      await store.accounts.updateKey(name, { budget: null });
      expect((await store.accounts.keys('acme')).at(-1)).not.toHaveProperty('budget');
      await expect(store.accounts.updateKey(name, { budget: { perDay: 1 } })).rejects.toMatchObject({
        ...{ code: 'invalid_option', details: { option: 'budget' } },
      });
      await expect(store.accounts.updateKey(name, { budget: { budget: 1 } })).rejects.toMatchObject({
        ...{ code: 'invalid_option', details: { option: 'budget' } },
      });
    });

    it('has a key with a budget replace no other key, whose money its successor would have', async () => {
      await accountWithCredit(store, 1000, { budget: 5, perDay: 4 });
      await store.accounts.createKey(keyOfAccount('acme', 'b'));
      await store.accounts.createKey({ ...keyOfAccount('acme', 'c'), budget: { budget: 2 } });
      const replace = (id: string, successor: string): Promise<ApiKeyEntry> =>
        store.accounts.rotateKey(id, keyOfAccount('acme', successor), { endsAt: at(60), by: 'key_a' });
      const refusal = { code: 'insufficient_scope', details: { option: 'budget' } };
      await expect(replace('key_b', 'd')).rejects.toMatchObject(refusal);
      await expect(replace('key_c', 'd')).rejects.toMatchObject(refusal);
      expect((await replace('key_a', 'd')).budget).toMatchObject({ budget: 5, perDay: 4 });
    });

    it('answers a repeated request with its purchase, even when the record has changed since', async () => {
      await accountWithCredit(store, 100);
      const first = await buy(store, itemOf('a'), { idempotencyKey: 'k1' });
      await change('a', 'Changed');
      expect(await buy(store, itemOf('a', 2), { idempotencyKey: 'k1' })).toEqual({ ...first, isNew: false });
      const mismatch = { code: 'idempotency_mismatch' };
      await expect(buy(store, itemOf('b'), { idempotencyKey: 'k1' })).rejects.toMatchObject(mismatch);
      expect(await buy(store, itemOf('a', 2), { idempotencyKey: 'k2' })).toMatchObject({ isNew: true });
      await ledgerOf(store).refund(first.charge.number, { reason: 'by mistake' });
      await expect(buy(store, itemOf('a'), { idempotencyKey: 'k1' })).rejects.toMatchObject(mismatch);
      await expect(buy(store, itemOf('b'), { idempotencyKey: '' })).rejects.toMatchObject({ code: 'invalid_option' });
      expect(await left()).toBe(98);
    });

    it('sells a source change as another item, and a correction, a withdrawal and a return as the same', async () => {
      await accountWithCredit(store, 100);
      await buy(store, itemOf('a'));
      const state = async (): Promise<unknown> => {
        const items = await ledgerOf(store).items(['permits:a', 'permits:none']);
        const owned = await ledgerOf(store).owned('acme', ['permits:a', 'permits:b']);
        const kept = owned.map(({ contentVersion, isCurrent }) => [contentVersion, isCurrent]);
        const within = await ledgerOf(store).ownedWithin('acme', { feedId: 'permits', from: 9, to: 1, limit: 10 });
        expect(within.map(({ recordId }) => recordId)).toEqual(
          owned.filter(({ isCurrent }) => isCurrent).map(({ recordId }) => recordId),
        );
        return [[...items.values()].map(({ contentVersion }) => contentVersion), kept];
      };
      expect(await state()).toEqual([[1], [[1, true]]]);
      await change('a', 'Read again', 'extraction_correction');
      await change('a', 'Read once more', 'extraction_correction');
      expect(await state()).toEqual([[1], [[1, true]]]);
      expect(await buy(store, itemOf('a'))).toMatchObject({ isNew: false });
      await store.withdraw('permits', ['permits:a'], { recordedAt: at(2) });
      expect(await state()).toEqual([[], [[1, false]]]);
      await expect(buy(store, itemOf('a'), { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'item_changed' });
      await change('a', 'Read once more');
      expect(await state()).toEqual([[1], [[1, true]]]);
      await change('a', 'Changed');
      expect(await state()).toEqual([[6], [[1, false]]]);
      await expect(buy(store, itemOf('a'))).rejects.toMatchObject({
        ...{ code: 'item_changed', details: { record: 'permits:a', contentVersion: 6 } },
      });
      await buy(store, itemOf('a', 6));
      await change('a', 'Corrected', 'extraction_correction');
      expect(await state()).toEqual([[6], [[1, false], [6, true]]]); // prettier-ignore
      await store.redact('permits:a', { recordedAt: at(3) });
      expect(await state()).toEqual([[], [[1, false], [6, false]]]); // prettier-ignore
      await expect(buy(store, itemOf('a', 6), { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'item_changed' });
      await store.lift('permits:a');
      await change('a', 'Taken in again');
      expect(await state()).toEqual([[9], [[1, false], [6, false]]]); // prettier-ignore
      expect(await left()).toBe(96);
    });

    it('tells what is owned between two positions, newest first', async () => {
      await accountWithCredit(store, 100);
      const keys = ['r1', 'r2', 'r3', 'r4'];
      await store.apply('permits', keys.map((key) => say(key)), { recordedAt: at(1) }); // prettier-ignore
      for (const key of ['r4', 'r1', 'r3']) await buy(store, itemOf(key));
      const within = async (from: number, to: number, limit: number, feedId = 'permits'): Promise<unknown> =>
        (await ledgerOf(store).ownedWithin('acme', { feedId, from, to, limit })).map(({ recordId }) =>
          recordId.slice(-2),
        );
      const { position } = (await store.record('permits:r4'))!;
      expect(await within(position, 1, 10)).toEqual(['r4', 'r3', 'r1']);
      expect(await within(position, 1, 2)).toEqual(['r4', 'r3']);
      expect(await within(position - 1, position - 1, 10)).toEqual(['r3']);
      expect([await within(position - 1, position, 10), await within(9, 1, 10, 'none')]).toEqual([[], []]);
      expect(
        await ledgerOf(store).ownedWithin('acme', { feedId: 'permits', from: position, to: position, limit: 1 }),
      ).toEqual([{ recordId: 'permits:r4', position, key: null }]);
    });

    it('owns nothing of a register that was removed and made again', async () => {
      await accountWithCredit(store, 100);
      await buy(store, itemOf('a'));
      await store.removeRegister('permits');
      await store.createRegister(sold());
      await store.apply('permits', [say('a')], { recordedAt: at(1) });
      expect(await ledgerOf(store).owned('acme', ['permits:a'])).toEqual([]);
      expect(await ledgerOf(store).purchase('acme', itemOf('a'))).toBeNull();
      expect(await buy(store, itemOf('a'))).toMatchObject({ isNew: true });
    });

    it('charges 64 that buy the same item at once one time, and ten of 64 items from a budget of ten', async () => {
      await accountWithCredit(store, 1000, { budget: 20, perDay: null });
      const same = await Promise.all(Array.from({ length: 64 }, () => buy(store, itemOf('a'))));
      expect(same.filter(({ isNew }) => isNew)).toHaveLength(1);
      expect(new Set(same.map(({ charge }) => charge.number)).size).toBe(1);
      const keys = Array.from({ length: 64 }, (_, n) => `r${n}`);
      await store.apply('permits', keys.map((key) => say(key)), { recordedAt: at(1) }); // prettier-ignore
      const all = await Promise.allSettled(keys.map((key) => buy(store, itemOf(key))));
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(9);
      expect((await kinds()).filter((text) => text === 'charge acme 2')).toHaveLength(10);
      expect(await left()).toBe(980);
      const owned = await ledgerOf(store).owned('acme', keys.map((key) => `permits:${key}`)); // prettier-ignore
      expect(owned.filter(({ isCurrent }) => isCurrent)).toHaveLength(9);
    });

    it('takes a charge back once, and the item with it', async () => {
      await accountWithCredit(store, 100, { budget: 2, perDay: null });
      const { charge } = await buy(store, itemOf('a'));
      const { entry: refund, isNew } = await ledgerOf(store).refund(charge.number, { reason: 'by mistake' });
      expect(isNew).toBe(true);
      expect(refund).toMatchObject({ kind: 'refund', reverses: charge.number, price: charge.price, payer: 'acme' });
      expect(await ledgerOf(store).refund(charge.number, { reason: 'again' })).toEqual({ entry: refund, isNew: false });
      expect(await ledgerOf(store).owned('acme', ['permits:a'])).toEqual([]);
      expect(await left()).toBe(100);
      expect(await buy(store, itemOf('a'))).toMatchObject({ isNew: true });
      for (const number of [refund.number, 1, 99]) {
        await expect(ledgerOf(store).refund(number, { reason: 'x' })).rejects.toMatchObject({ code: 'unknown_entry' });
      }
    });

    it('keeps the ledger of an account that is gone, and gives its id to nobody', async () => {
      await accountWithCredit(store, 100);
      const { charge } = await buy(store, itemOf('a'));
      await store.accounts.removeAccount('acme', { at: at(1) });
      expect(await kinds()).toEqual(['credit acme 100', 'charge acme 2']);
      await expect(store.accounts.createAccount(accountNamed('acme'))).rejects.toMatchObject({
        ...{ code: 'account_exists', message: expect.stringContaining('was removed') as unknown },
      });
      expect(await ledgerOf(store).refund(charge.number, { reason: 'gone' })).toMatchObject({
        entry: { kind: 'refund' },
        isNew: true,
      });
    });

    it('binds an authorization to its item, and lets one payment for an item be open', async () => {
      const opened = await ledgerOf(store).openHold(holdWith('0xA1'));
      expect(opened).toMatchObject({ kind: 'opened', hold: { nonce: '0xa1', state: 'open', endedAt: null } });
      const { hold } = opened as Extract<typeof opened, { kind: 'opened' }>;
      expect(await ledgerOf(store).hold({ ...hold, nonce: '0xA1' })).toEqual(hold);
      expect(await ledgerOf(store).hasSold()).toBe(true);
      expect(await ledgerOf(store).openHold(holdWith('0xa1'))).toEqual({ kind: 'known', hold });
      expect(await ledgerOf(store).openHold(holdWith('0xa1', itemOf('b')))).toEqual({ kind: 'bound', hold });
      expect(await ledgerOf(store).openHold(holdWith('0xa2'))).toEqual({ kind: 'waiting', hold });
      expect(await ledgerOf(store).openHold(holdWith('0xa3', itemOf('b')))).toMatchObject({ kind: 'opened' });
      const stale = ledgerOf(store).openHold(holdWith('0xa4', itemOf('c', 2)));
      await expect(stale).rejects.toMatchObject({ code: 'item_changed' });
      expect((await ledgerOf(store).openHolds({ limit: 9 })).map(({ nonce }) => nonce)).toEqual(['0xa1', '0xa3']);
      expect((await ledgerOf(store).openHolds({ limit: 9, above: hold.number })).map(({ nonce }) => nonce)).toEqual([
        '0xa3',
      ]);
      expect(await kinds()).toEqual([`hold ${PAYER} 20000`, `hold ${PAYER} 20000`]);
    });

    it('holds every digit of what a token can pay, and neither numbers nor money of accounts', async () => {
      const amount = String(2n ** 256n - 1n);
      const paid = (price: object): NewHold => ({ ...holdWith('0xa1'), item: { ...itemOf('a'), price } as never });
      const wrong = [20_000, 1e18, '', '0', '007', '-1', '1.5', '1e18', String(2n ** 256n)];
      const prices = wrong.map((wrongAmount) => ({ amount: wrongAmount, currency: USDC }));
      for (const price of [
        ...prices,
        { amount: '1', currency: 'EUR' },
        { amount: '1', currency: USDC.toUpperCase() },
      ]) {
        await expect(ledgerOf(store).openHold(paid(price))).rejects.toMatchObject({ code: 'invalid_option' });
      }
      const price = { amount, currency: USDC };
      await ledgerOf(store).openHold(paid(price));
      const { charge } = await ledgerOf(store).settleHold(holdWith('0xa1'), { reference: 'tx' });
      const { entry } = await ledgerOf(store).refund(charge.number, { reason: 'by mistake' });
      for (const one of [charge, entry, (await ledgerOf(store).hold(holdWith('0xa1')))!.item]) {
        expect(one.price).toEqual(price);
      }
      expect(await kinds()).toEqual(['hold', 'charge', 'refund'].map((kind) => `${kind} ${PAYER} ${amount}`));
    });

    it('knows whether the record that a payment was begun for is live', async () => {
      const key = holdWith('0xa1');
      const isLive = (): Promise<boolean> => ledgerOf(store).isHeldRecordLive(key);
      expect(await isLive()).toBe(false);
      await ledgerOf(store).openHold(key);
      expect(await isLive()).toBe(true);
      await change('a', 'Changed');
      expect(await isLive()).toBe(true);
      await store.withdraw('permits', ['permits:a'], { recordedAt: at(3) });
      expect(await isLive()).toBe(false);
      await store.apply('permits', [say('a')], { recordedAt: at(4) });
      expect(await isLive()).toBe(true);
      await store.redact('permits:a', { recordedAt: at(5) });
      expect(await isLive()).toBe(false);
      await store.removeRegister('permits');
      await store.createRegister(sold());
      await store.apply('permits', [say('a')], { recordedAt: at(6) });
      expect(await isLive()).toBe(false);
    });

    it('settles a payment once, and then sells the item to its payer no more', async () => {
      const key = holdWith('0xa1');
      await ledgerOf(store).openHold({ ...key, identifier: 'pid' });
      expect(await ledgerOf(store).purchase(PAYER, itemOf('a'))).toBeNull();
      // The money was taken: what happens to the record meanwhile changes nothing.
      await change('a', 'Changed');
      const settled = await ledgerOf(store).settleHold(key, { reference: 'tx 1' });
      expect(settled).toMatchObject({ payer: PAYER, isNew: true, charge: { provider: 'x402', reference: 'tx 1' } });
      expect(await ledgerOf(store).settleHold(key, { reference: 'tx 2' })).toEqual({ ...settled, isNew: false });
      expect(await ledgerOf(store).owned(PAYER, ['permits:a'])).toMatchObject([
        { contentVersion: 1, isCurrent: false },
      ]);
      expect(await ledgerOf(store).openHold(key)).toMatchObject({ kind: 'known', hold: { state: 'settled' } });
      await ledgerOf(store).openHold(holdWith('0xa2', itemOf('a', 2)));
      const same = ledgerOf(store).settleHold(holdWith('0xa2'), { reference: 'tx 1' });
      await expect(same).rejects.toMatchObject({ code: 'idempotency_mismatch' });
      await ledgerOf(store).settleHold(holdWith('0xa2'), { reference: 'tx 2' });
      expect(await ledgerOf(store).openHold(holdWith('0xa3', itemOf('a', 2)))).toMatchObject({ kind: 'owned' });
      await expect(ledgerOf(store).releaseHold(key, { reason: 'x' })).rejects.toMatchObject({ code: 'hold_ended' });
      expect(await ledgerOf(store).holdByIdentifier('pid', 'permits:a')).toMatchObject({
        nonce: '0xa1',
        state: 'settled',
      });
      expect(await ledgerOf(store).holdByIdentifier('pid', 'permits:b')).toBeNull();
      const unknown = ledgerOf(store).settleHold(holdWith('0xff'), { reference: 'tx 3' });
      await expect(unknown).rejects.toMatchObject({ code: 'unknown_hold' });
    });

    it('releases a payment that was never made, and keeps its nonce bound', async () => {
      const key = holdWith('0xa1');
      await ledgerOf(store).openHold(key);
      const released = await ledgerOf(store).releaseHold(key, { reason: 'expired' });
      expect(released).toMatchObject({ state: 'released' });
      expect(await ledgerOf(store).releaseHold(key, { reason: 'again' })).toEqual(released);
      await expect(ledgerOf(store).settleHold(key, { reference: 'tx' })).rejects.toMatchObject({ code: 'hold_ended' });
      expect(await ledgerOf(store).openHold(key)).toEqual({ kind: 'known', hold: released });
      expect(await ledgerOf(store).openHold(holdWith('0xa2'))).toMatchObject({ kind: 'opened' });
      expect(await kinds()).toEqual(['hold', 'release', 'hold'].map((kind) => `${kind} ${PAYER} 20000`));
    });

    it('keeps a charge that may vanish unended, until it is settled for good', async () => {
      const key = holdWith('0xa1');
      await ledgerOf(store).openHold(key);
      const charged = await ledgerOf(store).settleHold(key, { reference: 'tx 1', mayVanish: true });
      expect(charged).toMatchObject({ isNew: true, charge: { reference: 'tx 1' } });
      const hold = await ledgerOf(store).hold(key);
      expect(hold).toMatchObject({ state: 'charged', endedAt: null });
      expect(await ledgerOf(store).openHolds({ limit: 9 })).toEqual([hold]);
      expect(await ledgerOf(store).openHold(holdWith('0xa2'))).toMatchObject({ kind: 'owned' });
      const again = { ...charged, isNew: false };
      expect(await ledgerOf(store).settleHold(key, { reference: 'tx 2', mayVanish: true })).toEqual(again);
      expect(await ledgerOf(store).hold(key)).toEqual(hold);
      expect(await ledgerOf(store).settleHold(key, { reference: 'tx 2' })).toEqual(again);
      expect(await ledgerOf(store).hold(key)).toMatchObject({
        state: 'settled',
        endedAt: expect.any(String) as string,
      });
      expect(await ledgerOf(store).settleHold(key, { reference: 'tx 2', mayVanish: true })).toEqual(again);
      expect(await ledgerOf(store).openHolds({ limit: 9 })).toEqual([]);
      expect(await kinds()).toEqual(['hold', 'charge'].map((kind) => `${kind} ${PAYER} 20000`));
    });

    it('reverses a charge that vanished, once, and sells its item again', async () => {
      const key = holdWith('0xa1');
      await ledgerOf(store).openHold(key);
      const { charge } = await ledgerOf(store).settleHold(key, { reference: 'tx 1', mayVanish: true });
      const reversed = await ledgerOf(store).releaseHold(key, { reason: 'vanished' });
      expect(reversed).toMatchObject({ state: 'reversed', endedAt: expect.any(String) as string });
      expect((await ledgerOf(store).entries({ limit: 1 }))[0]).toMatchObject({
        ...{ kind: 'reversed', price: charge.price, item: charge.item, reason: 'vanished', reverses: charge.number },
      });
      expect(await ledgerOf(store).purchase(PAYER, itemOf('a'))).toBeNull();
      expect(await ledgerOf(store).releaseHold(key, { reason: 'again' })).toEqual(reversed);
      for (const mayVanish of [true, false]) {
        const late = ledgerOf(store).settleHold(key, { reference: 'tx 1', mayVanish });
        await expect(late).rejects.toMatchObject({ code: 'hold_ended' });
      }
      expect(await ledgerOf(store).openHold(key)).toEqual({ kind: 'known', hold: reversed });
      await ledgerOf(store).openHold(holdWith('0xa2'));
      await ledgerOf(store).settleHold(holdWith('0xa2'), { reference: 'tx 2', mayVanish: true });
      expect(await kinds()).toEqual(
        ['hold', 'charge', 'reversed', 'hold', 'charge'].map((kind) => `${kind} ${PAYER} 20000`),
      );
    });

    it('reverses no charge that was refunded, and nothing of what was bought since', async () => {
      const key = holdWith('0xa1');
      await ledgerOf(store).openHold(key);
      const { charge } = await ledgerOf(store).settleHold(key, { reference: 'tx 1', mayVanish: true });
      await ledgerOf(store).refund(charge.number, { reason: 'returned' });
      await ledgerOf(store).openHold(holdWith('0xa2'));
      await ledgerOf(store).settleHold(holdWith('0xa2'), { reference: 'tx 2' });
      expect(await ledgerOf(store).releaseHold(key, { reason: 'vanished' })).toMatchObject({ state: 'settled' });
      expect(await ledgerOf(store).purchase(PAYER, itemOf('a'))).toMatchObject({ charge: { reference: 'tx 2' } });
      expect(await kinds()).not.toContain(`reversed ${PAYER} 20000`);
    });

    it('opens one of 64 payments for an item that begin at once', async () => {
      const all = await Promise.all(Array.from({ length: 64 }, (_, n) => ledgerOf(store).openHold(holdWith(`0x${n}`))));
      expect(all.filter(({ kind }) => kind === 'opened')).toHaveLength(1);
      expect(all.filter(({ kind }) => kind === 'waiting')).toHaveLength(63);
      const same = await Promise.all(
        Array.from({ length: 64 }, () => ledgerOf(store).openHold(holdWith('0xb', itemOf('b')))),
      );
      expect(same.filter(({ kind }) => kind === 'opened')).toHaveLength(1);
      expect(same.filter(({ kind }) => kind === 'known')).toHaveLength(63);
    });

    it('lists entries newest first, by payer and in parts', async () => {
      await accountWithCredit(store, 100);
      await buy(store, itemOf('a'));
      await ledgerOf(store).openHold(holdWith('0xa1'));
      const numbers = async (range: object): Promise<readonly number[]> => {
        return (await ledgerOf(store).entries({ limit: 2, ...range })).map(({ number }) => number);
      };
      expect(await numbers({})).toEqual([3, 2]);
      expect(await numbers({ below: 2 })).toEqual([1]);
      expect(await numbers({ payer: 'acme' })).toEqual([2, 1]);
      expect(await numbers({ payer: PAYER })).toEqual([3]);
      for (const limit of [0, 1001, 1.5]) {
        await expect(ledgerOf(store).entries({ limit })).rejects.toMatchObject({ code: 'invalid_option' });
      }
    });
  });
}
