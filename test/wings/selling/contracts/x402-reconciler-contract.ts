// Payments that went wrong on their way: a facilitator that lies, is away or late, and what the chain shows afterwards.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Chain } from '../../../../src/wings/selling/purchases/x402/chain.ts';
import { Reconciler } from '../../../../src/wings/selling/purchases/x402/index.ts';
import { type Behaviour, NETWORK } from '../x402/local-chain.ts';
import { identifier, receiptOf, Shop, urlOf } from '../x402/shop.ts';
import { until } from '../../../until.ts';
import type { OpenServiceStore } from '../../../world.ts';

const DAY = 86_400;

/** Registers the suite for stores of one kind. */
export function x402ReconcilerContract(name: string, openStore: OpenServiceStore): void {
  describe(`the reconciler over ${name}`, () => {
    let shop: Shop;
    beforeEach(async () => {
      shop = await Shop.open(openStore, { waitMs: 30 });
    });
    afterEach(() => shop.close());

    /** Whether a receipt opens the record. */
    const opens = async (receipt: string | undefined): Promise<boolean> => {
      const proof = { receipt: receipt ?? '', signIn: null, resource: urlOf('a') };
      return (await shop.provider.recall(proof, 'permits:a')) !== null;
    };

    it('charges what was paid when the facilitator’s answer is lost', async () => {
      shop.chain.settling = 'settles and is lost';
      const got = await shop.pay();
      expect(got).toMatchObject({ state: 'pending', response: { success: false, errorReason: 'settlement_pending' } });
      expect(await opens(receiptOf(got))).toBe(false);
      expect(await shop.reconcile()).toEqual({ open: 1, settled: 0, released: 0, reversed: 0, failed: 0 });
      shop.chain.mine(2);
      expect(await shop.reconcile()).toEqual({ open: 1, settled: 1, released: 0, reversed: 0, failed: 0 });
      expect(await opens(receiptOf(got))).toBe(true);
      const [charge] = await shop.ledger.entries({ limit: 1 });
      expect(charge).toMatchObject({ kind: 'charge', reason: 'found on the chain' });
      expect(await shop.reconcile()).toEqual({ open: 0, settled: 0, released: 0, reversed: 0, failed: 0 });
    });

    it.each<Behaviour>(['away', 'garbled', 'lies', 'pending'])(
      'releases what was never paid when the facilitator settles as "%s"',
      async (settling) => {
        shop.chain.settling = settling;
        const got = await shop.pay();
        expect(got).toMatchObject({ state: 'pending' });
        // Until the authorization has ended, at the depth asked for, nobody can know.
        shop.chain.mine(5, 110);
        expect(await shop.reconcile()).toMatchObject({ open: 1, released: 0 });
        shop.chain.mine(1, 30);
        expect(await shop.reconcile()).toMatchObject({ open: 1, released: 0 });
        shop.chain.mine(2);
        expect(await shop.reconcile()).toMatchObject({ open: 1, released: 1 });
        expect(await shop.kinds()).toEqual(['hold', 'release']);
        expect(await opens(receiptOf(got))).toBe(false);
        shop.chain.settling = 'honest';
        expect(await shop.pay()).toMatchObject({ state: 'settled' });
      },
    );

    it('charges nothing while the facilitator cannot check, or the chain cannot be read', async () => {
      const unavailable = { state: 'refused', code: 'payment_unavailable', reason: null };
      for (const verifying of ['away', 'garbled'] as const) {
        shop.chain.verifying = verifying;
        expect(await shop.pay()).toEqual(unavailable);
      }
      shop.chain.verifying = 'honest';
      shop.chain.isUp = false;
      expect(await shop.pay()).toEqual(unavailable);
      expect(await shop.kinds()).toEqual([]);
      expect(shop.chain.asked).not.toContain('settle');
    });

    it('gives nothing for a forged payment that a lying facilitator accepts and settles', async () => {
      shop.chain.verifying = 'lies';
      shop.chain.settling = 'lies';
      const got = await shop.pay({ signature: `0x${'00'.repeat(65)}` });
      expect(got).toMatchObject({ state: 'pending' });
      expect(await opens(receiptOf(got))).toBe(false);
      shop.chain.mine(10, 200);
      expect(await shop.reconcile()).toMatchObject({ released: 1 });
      expect(await opens(receiptOf(got))).toBe(false);
    });

    it('charges a settled payment that the facilitator denies, and asks for no second one meanwhile', async () => {
      shop.chain.settling = 'denies';
      expect(await shop.pay()).toMatchObject({ state: 'pending' });
      shop.chain.settling = 'honest';
      expect(await shop.pay()).toMatchObject({ state: 'pending' });
      shop.chain.mine(2);
      await shop.reconcile();
      expect(await shop.pay()).toMatchObject({ state: 'settled', purchase: { isNew: false } });
      expect(await shop.kinds()).toEqual(['hold', 'charge']);
      expect(shop.chain.asked.filter((what) => what === 'settle')).toHaveLength(1);
    });

    it('charges what a facilitator settles that takes longer than it may, and asks it only once', async () => {
      const slow = await Shop.open(openStore, { waitMs: 30, settleWithinMs: 50 });
      const { promise: late, resolve: settleNow } = Promise.withResolvers<undefined>();
      slow.chain.onAsked = async (what) => {
        if (what === 'settle') await late;
      };
      const id = identifier();
      expect(await slow.pay({ identifier: id })).toMatchObject({ state: 'pending' });
      // Others wait for it, and pay nothing meanwhile.
      expect(await slow.pay({ identifier: identifier() })).toMatchObject({ state: 'pending' });
      settleNow(undefined);
      await until('the payment to reach the chain', () => slow.chain.blocks.length > 1);
      slow.chain.mine(2);
      expect(await slow.reconcile()).toMatchObject({ open: 1, settled: 1 });
      expect(await slow.kinds()).toEqual(['hold', 'charge']);
      expect(slow.chain.asked.filter((what) => what === 'settle')).toHaveLength(1);
      await slow.close();
    });

    it('says why when the facilitator does not settle', async () => {
      const signed = shop.sign();
      // The authorization ends between the two questions.
      shop.chain.onAsked = (what) => {
        if (what === 'settle') shop.chain.mine(1, 121);
      };
      const failure = await shop.pay({ signed });
      const reason = 'invalid_exact_evm_payload_authorization_valid_before';
      expect(failure).toMatchObject({ state: 'failed', response: { success: false, errorReason: reason } });
      expect(failure).toMatchObject({ error: { code: 'payment_failed', details: { reason } } });
      shop.chain.mine(3);
      expect(await shop.reconcile()).toMatchObject({ released: 1 });
    });

    it('charges a payment that is settled late, after the client has gone', async () => {
      shop.chain.settling = 'away';
      const signed = shop.sign();
      const id = identifier();
      await shop.pay({ signed, identifier: id });
      shop.chain.mine(10, 60);
      await shop.reconcile();
      shop.chain.transfer(signed);
      shop.chain.mine(10, DAY);
      expect(await shop.reconcile()).toMatchObject({ settled: 1 });
      expect(await shop.pay({ signed, identifier: id })).toMatchObject({ state: 'settled' });
    });

    it('charges what was paid in blocks whose logs the node found later than the blocks', async () => {
      shop.chain.settling = 'settles and is lost';
      await shop.pay();
      shop.chain.areLogsLate = true;
      for (const seconds of [5, 200, 5]) {
        shop.chain.mine(5, seconds);
        expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 0, released: 0 });
      }
      shop.chain.areLogsLate = false;
      expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 1 });
    });

    it('charges a transfer that somebody else submitted first', async () => {
      const signed = shop.sign();
      shop.chain.onAsked = (what) => {
        if (what === 'settle') shop.chain.transfer(signed);
      };
      expect(await shop.pay({ signed })).toMatchObject({ state: 'pending' });
      shop.chain.mine(2);
      expect(await shop.reconcile()).toMatchObject({ settled: 1 });
      expect(await shop.kinds()).toEqual(['hold', 'charge']);
    });

    it('releases an authorization that was cancelled on the chain', async () => {
      const signed = shop.sign();
      shop.chain.onAsked = (what) => {
        if (what === 'settle') shop.chain.cancel(signed);
      };
      expect(await shop.pay({ signed })).toMatchObject({ state: 'failed' });
      expect(await shop.reconcile()).toMatchObject({ open: 1, released: 0 });
      shop.chain.mine(2);
      expect(await shop.reconcile()).toMatchObject({ released: 1 });
      expect((await shop.ledger.entries({ limit: 1 }))[0]).toMatchObject({ reason: 'authorization_canceled' });
      shop.chain.onAsked = () => undefined;
      const expired = { state: 'refused', code: 'payment_replayed', reason: 'replayed' };
      expect(await shop.pay({ signed })).toEqual(expired);
    });

    it('takes one transfer for one payment, whatever else is in its transaction', async () => {
      shop.chain.settling = 'pending';
      const [first, second] = [shop.sign(), shop.sign()];
      await shop.pay({ signed: first });
      await shop.pay({ signed: second, record: 'b' });
      // The payer uses the nonce of the second payment for a transfer to himself.
      shop.chain.transfer(first, { ...second, to: second.from });
      shop.chain.mine(3);
      expect(await shop.reconcile()).toEqual({ open: 2, settled: 1, released: 0, reversed: 0, failed: 0 });
      const [charge] = await shop.ledger.entries({ limit: 1 });
      expect(charge).toMatchObject({ kind: 'charge', item: { recordId: 'permits:a' }, reason: 'found on the chain' });
    });

    it('takes no smaller transfer for the price', async () => {
      shop.chain.settling = 'pending';
      const signed = shop.sign();
      await shop.pay({ signed });
      shop.chain.transfer({ ...signed, value: '9999' });
      shop.chain.mine(3);
      expect(await shop.reconcile()).toMatchObject({ settled: 0, released: 0 });
    });

    it('ends each payment once when several look at it at the same time', async () => {
      shop.chain.settling = 'settles and is lost';
      await shop.pay();
      shop.chain.settling = 'away';
      await shop.pay({ record: 'b' });
      shop.chain.mine(1, 130);
      shop.chain.mine(3);
      const chains = [{ network: NETWORK, url: shop.chain.url, confirmations: 2 }];
      const several = Array.from({ length: 6 }, () => new Reconciler({ store: shop.store, chains }));
      const reports = await Promise.all(several.map((reconciler) => reconciler.run()));
      expect(reports.map(({ failed }) => failed)).toEqual(reports.map(() => 0));
      expect((await shop.kinds()).sort()).toEqual(['charge', 'hold', 'hold', 'release']);
    });

    it('goes on after a payment that cannot be looked at, and where it stopped', async () => {
      shop.chain.settling = 'away';
      await shop.pay();
      shop.chain.isUp = false;
      expect(await shop.reconcile()).toEqual({ open: 1, settled: 0, released: 0, reversed: 0, failed: 1 });
      shop.chain.isUp = true;
      shop.chain.mine(1200, 60);
      // A pass asks for a hundred ranges of five blocks, and the next one goes on.
      const passes = [];
      while ((await shop.kinds()).at(-1) === 'hold' && passes.length < 9) {
        if (passes.length === 1) shop.chain.mine(3, 300);
        passes.push(await shop.reconcile());
      }
      expect(passes.map(({ released }) => released)).toEqual([0, 0, 1]);
      expect(shop.chain.asked.filter((what) => what === 'eth_getLogs').length).toBeLessThan(260);
    });

    it('stops at the end of the authorization, however late it comes', async () => {
      shop.chain.settling = 'away';
      await shop.pay();
      shop.chain.mine(60, 120);
      shop.chain.mine(2000, DAY);
      expect(await shop.reconcile()).toMatchObject({ released: 1 });
      expect(shop.chain.asked.filter((what) => what === 'eth_getLogs').length).toBeLessThan(20);
    });

    it('knows a node of another chain', async () => {
      const isRight = (network: string): Promise<boolean> => new Chain(network, { url: shop.chain.url }).isRight();
      expect(await Promise.all([isRight('eip155:31337'), isRight('eip155:1')])).toEqual([true, false]);
    });
  });
}
