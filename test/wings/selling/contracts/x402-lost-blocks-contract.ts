// Chains that lose blocks: payments that land below the head seen at their check, transfers that vanish after they were charged,
// and authorizations that are used in blocks whose logs nobody finds.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HoldState } from '../../../../src/wings/selling/stores/contract/ledger.ts';
import type { InspectedStore } from '../../../../src/stores/contract/inspection.ts';
import { receiptOf, Shop, urlOf } from '../x402/shop.ts';
import type { Signed } from '../x402/local-chain.ts';
import type { OpenServiceStore } from '../../../world.ts';
import { inspected } from '../../../contracts/overwrites.ts';

const HOUR = 3600;

/** Registers the suite for stores of one kind. */
export function x402LostBlocksContract(name: string, openStore: OpenServiceStore): void {
  describe(`a chain that loses blocks, over ${name}`, () => {
    let shop: Shop;
    beforeEach(async () => {
      shop = await Shop.open(openStore, { waitMs: 30 });
      shop.chain.mine(10);
    });
    afterEach(async () => {
      expect(await inspected(shop.store as InspectedStore)).toEqual([]);
      await shop.close();
    });

    /** Whether a receipt opens the record. */
    const opens = async (receipt: string | undefined): Promise<boolean> => {
      const proof = { receipt: receipt ?? '', signIn: null, resource: urlOf('a') };
      return (await shop.provider.recall(proof, 'permits:a')) !== null;
    };
    const stateOf = async (signed: Signed): Promise<HoldState | undefined> =>
      (await shop.ledger.hold(shop.keyOf(signed)))?.state;
    /** Loses blocks when the facilitator is told to settle. */
    const losing = (count: number): void => {
      shop.chain.onAsked = (what) => {
        if (what === 'settle') shop.chain.lose(count);
      };
    };

    it.each([1, 4, 10])('charges what lands below the head seen at its check, at once: %i lost', async (count) => {
      losing(count);
      expect(await shop.pay()).toMatchObject({ state: 'settled' });
      expect(await shop.kinds()).toEqual(['hold', 'charge']);
    });

    it.each([1, 4, 10])('charges it when the facilitator’s answer is lost too: %i lost', async (count) => {
      losing(count);
      shop.chain.settling = 'settles and is lost';
      const got = await shop.pay();
      expect(got).toMatchObject({ state: 'pending' });
      shop.chain.mine(3);
      expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 1 });
      expect(await opens(receiptOf(got))).toBe(true);
    });

    it('never releases a payment whose nonce was used, although no log is found', async () => {
      shop.chain.settling = 'settles and is lost';
      const signed = shop.sign();
      await shop.pay({ signed });
      shop.chain.areLogsLate = true;
      for (let day = 0; day < 10; day++) {
        shop.chain.mine(10, 24 * HOUR);
        expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 0, released: 0 });
      }
      shop.chain.areLogsLate = false;
      shop.chain.mine(3, 2 * HOUR);
      expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 1 });
      expect(await stateOf(signed)).toBe('settled');
    });

    it('looks back a day before the check, and no further', async () => {
      const early = shop.sign();
      shop.chain.transfer(early);
      shop.chain.mine(100, 10 * HOUR);
      const late = shop.sign();
      shop.chain.transfer(late);
      shop.chain.mine(200, 20 * HOUR);
      // A facilitator that says that a used authorization is good, and settled.
      shop.chain.verifying = 'lies';
      shop.chain.settling = 'away';
      const validBefore = shop.sign().validBefore;
      const pay = async (signed: Signed, record: string): Promise<Signed> => {
        await shop.pay({ signed: { ...signed, validBefore }, record });
        return signed;
      };
      await pay(early, 'a');
      await pay(late, 'b');
      shop.chain.mine(5, 3 * HOUR);
      expect(await shop.reconcile()).toMatchObject({ open: 2, settled: 1, released: 0 });
      expect([await stateOf(early), await stateOf(late)]).toEqual(['open', 'settled']);
      // Nothing new is to be found: the next pass asks for nothing more than whether the chain has grown.
      shop.chain.asked.length = 0;
      expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 0, released: 0 });
      expect(shop.chain.asked.filter((what) => what === 'eth_getLogs')).toEqual([]);
    });

    it('looks at a young charge once more, and then no longer', async () => {
      const signed = shop.sign();
      await shop.pay({ signed });
      expect(await stateOf(signed)).toBe('charged');
      expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 0, reversed: 0 });
      shop.chain.mine(2);
      expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 1, reversed: 0 });
      expect(await stateOf(signed)).toBe('settled');
      expect(await shop.reconcile()).toMatchObject({ open: 0 });
      expect(await shop.kinds()).toEqual(['hold', 'charge']);
    });

    it('keeps access while a charged transfer is gone, and keeps it when another block has it', async () => {
      const signed = shop.sign();
      const receipt = receiptOf(await shop.pay({ signed }));
      shop.chain.lose(1);
      shop.chain.mine(20, 60);
      expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 0, reversed: 0 });
      expect(await opens(receipt)).toBe(true);
      // Who asks to pay once more owns it.
      expect(await shop.pay()).toMatchObject({ state: 'settled', purchase: { isNew: false } });
      expect(shop.chain.transfer(signed)).toBe(true);
      shop.chain.mine(500, 10 * HOUR);
      expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 1, reversed: 0 });
      expect(await shop.kinds()).toEqual(['hold', 'charge']);
      expect(await opens(receipt)).toBe(true);
    });

    it('reverses a charge whose transfer is gone for good: access and receipt end, and the record can be bought', async () => {
      const signed = shop.sign();
      const receipt = receiptOf(await shop.pay({ signed, identifier: 'pay_0123456789abcdef' }));
      shop.chain.lose(1);
      shop.chain.mine(20, 200);
      expect(await shop.reconcile()).toEqual({ open: 1, settled: 0, released: 0, reversed: 1, failed: 0 });
      expect(await stateOf(signed)).toBe('reversed');
      expect(await shop.kinds()).toEqual(['hold', 'charge', 'reversed']);
      const [reversed, charge] = await shop.ledger.entries({ limit: 2 });
      expect(reversed).toMatchObject({
        reverses: charge!.number,
        price: charge!.price,
        reason: 'authorization_expired',
      });
      expect(await opens(receipt)).toBe(false);
      expect(await shop.ledger.owned(charge!.payer, ['permits:a'])).toEqual([]);
      expect(await shop.pay({ signed, identifier: 'pay_0123456789abcdef' })).toMatchObject({
        state: 'failed',
        error: { code: 'payment_refused', details: { reason: 'reversed' } },
      });
      expect(await shop.pay({ identifier: 'pay_0123456789abcdef' })).toMatchObject({
        state: 'settled',
        purchase: { isNew: true },
      });
      expect(await shop.reconcile()).toMatchObject({ open: 1, reversed: 0 });
    });

    it.each<[string, (signed: Signed) => void, string]>([
      [
        'cancelled',
        (signed) => {
          shop.chain.cancel(signed);
        },
        'authorization_canceled',
      ],
      [
        'used for another transfer',
        (signed) => shop.chain.transfer({ ...signed, to: signed.from }),
        'authorization_spent',
      ],
    ])('reverses a charge whose transfer is gone, and whose authorization was %s', async (_, spoil, reason) => {
      const signed = shop.sign();
      await shop.pay({ signed });
      shop.chain.lose(1);
      spoil(signed);
      shop.chain.mine(2);
      expect(await shop.reconcile()).toMatchObject({ reversed: 1 });
      expect((await shop.ledger.entries({ limit: 1 }))[0]).toMatchObject({ kind: 'reversed', reason });
    });

    it('charges a payment that comes back without the other one of its transaction', async () => {
      const batch = `0x${'ba'.repeat(32)}`;
      const [first, second] = [shop.sign(), shop.sign({ from: `0x${'b2'.repeat(20)}` })];
      shop.chain.settling = 'pending';
      await shop.pay({ signed: second, record: 'b' });
      shop.chain.onAsked = (what) => {
        if (what === 'settle') shop.chain.transferIn(batch, first, second);
      };
      // It says nothing but the truth.
      shop.chain.settling = 'lies';
      expect(await shop.pay({ signed: first })).toMatchObject({ state: 'settled' });
      shop.chain.lose(1);
      // Its first payer has nothing left.
      shop.chain.transferIn(batch, second);
      shop.chain.mine(20, 200);
      expect(await shop.reconcile()).toMatchObject({ open: 2, settled: 1, reversed: 1, failed: 0 });
      expect([await stateOf(first), await stateOf(second)]).toEqual(['reversed', 'settled']);
    });

    it('leaves a refunded charge as it is when its transfer is gone', async () => {
      const signed = shop.sign();
      await shop.pay({ signed });
      const [charge] = await shop.ledger.entries({ limit: 1 });
      await shop.ledger.refund(charge!.number, { reason: 'returned' });
      shop.chain.lose(1);
      shop.chain.mine(20, 200);
      expect(await shop.reconcile()).toMatchObject({ open: 1, released: 0, reversed: 0 });
      expect(await stateOf(signed)).toBe('settled');
      expect(await shop.kinds()).toEqual(['hold', 'charge', 'refund']);
    });
  });
}
