// Payments by x402, on any store: what is paid once, what is refused and why, and what opens again what was paid for.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keccak256 } from '../../../../src/wings/selling/purchases/x402/keccak.ts';
import { BUYER, CONTRACT, NETWORK, walletSignature } from '../x402/local-chain.ts';
import { type Got, identifier, OFFER, receiptOf, Shop, urlOf } from '../x402/shop.ts';
import { toEntryAnswer, toLedgerCsv } from '../../../../src/wings/selling/operate/ledger.ts';
import type { InspectedStore } from '../../../../src/stores/contract/inspection.ts';
import type { OpenServiceStore } from '../../../world.ts';
import { inspected } from '../../../contracts/overwrites.ts';
import { at, say } from '../../../contracts/store-register.ts';

const PROOF = { receipt: null, signIn: null, resource: urlOf('a') };

/** Registers the suite for stores of one kind. */
export function x402PaymentContract(name: string, openStore: OpenServiceStore): void {
  describe(`payments by x402 in ${name}`, () => {
    let shop: Shop;
    beforeEach(async () => {
      shop = await Shop.open(openStore);
    });
    afterEach(() => shop.close());

    it('charges and grants what the facilitator and the chain both show', async () => {
      const got = await shop.pay();
      expect(got).toMatchObject({
        state: 'settled',
        purchase: {
          payer: `x402:${NETWORK}:${BUYER}`,
          isNew: true,
          item: { recordId: 'permits:a', contentVersion: 1 },
        },
        response: { success: true, network: NETWORK, payer: BUYER, amount: '10000' },
      });
      expect(await shop.kinds()).toEqual(['hold', 'charge']);
      const [charge] = await shop.ledger.entries({ limit: 1 });
      expect(charge?.price).toEqual({ amount: '10000', currency: `${NETWORK}/erc20:${OFFER.asset}` });
      expect(charge?.reference).toMatch(/^eip155:31337\/0x[0-9a-f]{64}\/1$/);
    });

    it.each([
      ['one whole token of 18 decimals', 10n ** 18n + 1n],
      ['more than 64 bits hold', 2n ** 64n + 1n],
      ['all that a token can have', 2n ** 256n - 1n],
    ])('has every digit of a price on every way: %s', async (_, units) => {
      const amount = String(units);
      const price = { amount, currency: `${NETWORK}/erc20:${OFFER.asset}` };
      shop.offer = { ...OFFER, amount };
      const pay = (record: string, value: string, to = OFFER.pay_to): Promise<Got> =>
        shop.pay({ record, signed: shop.sign({ value, to }), accepted: { amount } });
      expect(shop.provider.offers(await shop.item())).toMatchObject([{ price, terms: { amount } }]);
      expect(shop.provider.paymentRequired(await shop.item(), { url: urlOf('a') }, 'pay')).toMatchObject({
        accepts: [{ amount }],
      });
      // A double would be the same number.
      const refused = { state: 'refused', reason: 'wrong_amount' };
      expect(await pay('a', String(units - 1n))).toMatchObject(refused);
      expect(await shop.pay({ accepted: { amount: String(units - 1n) } })).toMatchObject(refused);
      expect(await pay('a', amount)).toMatchObject({
        ...{ state: 'settled', purchase: { charge: { price } }, response: { success: true, amount } },
      });
      // The chain alone says that this one is paid, and of the next that one unit is missing.
      shop.chain.settling = 'settles and is lost';
      const lost = shop.sign({ value: amount });
      await shop.pay({ record: 'b', signed: lost, accepted: { amount } });
      shop.chain.mine(3);
      expect(await shop.reconcile()).toMatchObject({ settled: 2 });
      expect(await shop.ledger.hold(shop.keyOf(lost))).toMatchObject({ state: 'settled', item: { price } });
      await shop.store.apply('permits', [say('a', { content: 'Changed' })], { recordedAt: at(1) });
      shop.chain.settling = 'away';
      const short = shop.sign({ value: amount });
      await shop.pay({ signed: short, accepted: { amount } });
      shop.chain.transfer({ ...short, value: String(units - 1n) });
      shop.chain.mine(3);
      expect(await shop.reconcile()).toMatchObject({ open: 1, settled: 0 });
      const entries = await shop.ledger.entries({ limit: 100 });
      expect(entries.map(({ kind }) => kind)).toEqual(['hold', 'charge', 'hold', 'charge', 'hold']);
      for (const entry of entries) {
        expect([entry.price, toEntryAnswer(entry)]).toMatchObject([price, price]);
        expect(toLedgerCsv([entry])).toContain(`,${amount},${price.currency},`);
      }
      const { entry } = await shop.ledger.refund(entries.at(-2)!.number, { reason: 'by mistake' });
      expect(entry.price).toEqual(price);
      expect(await inspected(shop.store as InspectedStore)).toEqual([]);
    });

    it('charges once when one item is paid sixty-four times at once, and gives it to all', async () => {
      const payments = Array.from({ length: 64 }, (_, at) => (at < 32 ? {} : { identifier: identifier() }));
      const signed = shop.sign();
      const got = await Promise.all([
        ...payments.map((given) => shop.pay(given)),
        // The same authorization many times: a client that came before it was public gets the record too.
        ...Array.from({ length: 8 }, () => shop.pay({ signed })),
      ]);
      expect(new Set(got.map(({ state }) => state))).toEqual(new Set(['settled']));
      expect((await shop.kinds()).filter((kind) => kind === 'charge')).toHaveLength(1);
      expect(shop.chain.asked.filter((what) => what === 'settle')).toHaveLength(1);
    });

    const refusals: readonly [string, Parameters<Shop['pay']>[0], string, string | null][] = [
      ['a forged signature', { signature: `0x${'00'.repeat(65)}` }, 'payment_refused', 'invalid_exact_evm_signature'],
      ['another scheme', { accepted: { scheme: 'upto' } }, 'payment_refused', 'wrong_scheme'],
      ['another network', { accepted: { network: 'eip155:1' } }, 'payment_refused', 'wrong_network'],
      ['another asset', { accepted: { asset: `0x${'01'.repeat(20)}` } }, 'payment_refused', 'wrong_asset'],
      ['another amount', { accepted: { amount: '9999' } }, 'payment_refused', 'wrong_amount'],
      ['another payee', { accepted: { payTo: BUYER } }, 'payment_refused', 'wrong_payee'],
      ['the URL of another record', { url: urlOf('b') }, 'payment_refused', 'wrong_resource'],
      ['a network without a chain', { accepted: { network: 'mainnet' } }, 'invalid_payment', null],
      ['a signature that is none', { signature: 'yes' }, 'invalid_payment', null],
      ['an identifier that is too short', { identifier: 'short' }, 'invalid_payment', null],
    ];
    it.each(refusals)('refuses %s, with its reason', async (_, presented, code, reason) => {
      expect(await shop.pay(presented)).toEqual({ state: 'refused', code, reason });
      expect(await shop.kinds()).toEqual([]);
      expect(shop.chain.blocks).toHaveLength(1);
    });

    const signings: readonly [string, (time: number) => object, string, string | null][] = [
      ['too little', () => ({ value: '9999' }), 'payment_refused', 'wrong_amount'],
      ['too much', () => ({ value: '10001' }), 'payment_refused', 'wrong_amount'],
      ['somebody else', () => ({ to: BUYER }), 'payment_refused', 'wrong_payee'],
      ['in the past', (time) => ({ validBefore: String(time) }), 'payment_refused', 'expired'],
      ['in the future', (time) => ({ validAfter: String(time + 1) }), 'payment_refused', 'not_yet_valid'],
      ['at any time', () => ({ validBefore: '9'.repeat(60) }), 'payment_refused', 'valid_too_long'],
      ['a fraction', () => ({ value: '10000.5' }), 'invalid_payment', null],
    ];
    it.each(signings)('refuses an authorization that pays %s', async (_, given, code, reason) => {
      expect(await shop.pay({ signed: shop.sign(given(shop.chain.time)) })).toEqual({ state: 'refused', code, reason });
      expect(shop.chain.asked).toEqual([]);
      expect(await shop.kinds()).toEqual([]);
    });

    it('refuses what is no payment at all, and shows no signature', async () => {
      const item = await shop.item();
      const base = { resource: urlOf('a'), account: null, mayCharge: true, expected: null, idempotencyKey: null };
      expect(await shop.provider.authorize({ ...base, payment: null }, item)).toBeNull();
      for (const payment of ['', '!', 'e30', 'x'.repeat(20_000), Buffer.from('[1]').toString('base64'), 7, [], {}]) {
        const asked = shop.provider.authorize({ ...base, payment }, item);
        await expect(asked).rejects.toMatchObject({ code: 'invalid_payment' });
      }
    });

    it('opens nothing for a payment that was settled and is presented alone', async () => {
      const signed = shop.sign();
      await shop.pay({ signed });
      const replayed = await shop.pay({ signed });
      expect(replayed).toEqual({ state: 'refused', code: 'payment_replayed', reason: 'replayed' });
      // Nor with an identifier that did not come with it, nor for another record, nor when our ledger does not know it.
      expect(await shop.pay({ signed, identifier: identifier() })).toMatchObject({ code: 'payment_replayed' });
      expect(await shop.pay({ signed, record: 'b' })).toMatchObject({ reason: 'bound_to_another_record' });
      const elsewhere = shop.sign();
      shop.chain.transfer(elsewhere);
      expect(await shop.pay({ signed: elsewhere })).toMatchObject({ code: 'payment_replayed' });
      expect(await shop.kinds()).toEqual(['hold', 'charge']);
    });

    it('answers 202 to a payment that is under way and is presented alone, and asks for nothing new', async () => {
      shop.chain.settling = 'pending';
      const signed = shop.sign();
      const first = await shop.pay({ signed });
      expect(first).toMatchObject({ state: 'pending', retryAfterSeconds: 5 });
      const again = await shop.pay({ signed });
      expect(again).toMatchObject({ state: 'pending' });
      // Who comes later has shown nothing yet that will not be on the chain.
      expect([receiptOf(first) === undefined, receiptOf(again) === undefined]).toEqual([false, true]);
    });

    it('opens again what was paid for by the payment-identifier', async () => {
      const signed = shop.sign();
      const id = identifier();
      const first = await shop.pay({ signed, identifier: id });
      const again = await shop.pay({ signed, identifier: id });
      expect(again).toEqual({ ...first, purchase: { ...(first as { purchase: object }).purchase, isNew: false } });
      expect(await shop.pay({ identifier: id })).toMatchObject({ code: 'idempotency_mismatch' });
      const [hold] = await shop.ledger.entries({ limit: 1 });
      expect(JSON.stringify(hold)).not.toContain(id);
      expect(await shop.kinds()).toEqual(['hold', 'charge']);
    });

    it('says that what a payment bought was refunded', async () => {
      const payment = { signed: shop.sign(), identifier: identifier() };
      await shop.pay(payment);
      const [charge] = await shop.ledger.entries({ limit: 1 });
      await shop.ledger.refund(charge!.number, { reason: 'withdrawn' });
      expect(await shop.pay(payment)).toMatchObject({
        state: 'failed',
        error: { code: 'payment_refused', details: { reason: 'not_owned' } },
      });
      expect(await shop.kinds()).toEqual(['hold', 'charge', 'refund']);
    });

    it('opens again what was paid for by an Idempotency-Key that nobody guesses', async () => {
      const [guessed, own] = [shop.sign(), shop.sign()];
      await shop.pay({ signed: guessed, idempotencyKey: 'order-1' });
      expect(await shop.pay({ signed: guessed, idempotencyKey: 'order-1' })).toMatchObject({
        code: 'payment_replayed',
      });
      const random = { signed: own, record: 'b', idempotencyKey: identifier() };
      await shop.pay(random);
      expect(await shop.pay(random)).toMatchObject({ state: 'settled', purchase: { isNew: false } });
    });

    it('takes a payment as its repeat when the same one is made while it is checked', async () => {
      const payment = { signed: shop.sign(), identifier: identifier() };
      let first: Got | undefined;
      shop.chain.onAsked = async (what) => {
        if (what !== 'verify') return;
        shop.chain.onAsked = () => undefined;
        first = await shop.pay(payment);
      };
      const second = await shop.pay(payment);
      expect(first).toMatchObject({ state: 'settled' });
      expect(second).toMatchObject({ state: 'settled' });
      expect(shop.chain.asked.filter((what) => what === 'settle')).toHaveLength(1);
    });

    it('opens again by the receipt, and nothing else', async () => {
      const receipt = receiptOf(await shop.pay()) ?? '';
      expect(receipt).toMatch(/^gzr_/);
      expect(await shop.provider.recall({ ...PROOF, receipt }, 'permits:a')).toMatchObject({ isNew: false });
      const invalid = { code: 'invalid_receipt' };
      await expect(shop.provider.recall({ ...PROOF, receipt }, 'permits:b')).rejects.toMatchObject(invalid);
      await expect(shop.provider.recall({ ...PROOF, receipt: `${receipt}A` }, 'permits:a')).rejects.toMatchObject(
        invalid,
      );
      const [charge] = await shop.ledger.entries({ limit: 1 });
      await shop.ledger.refund(charge?.number ?? 0, { reason: 'returned' });
      expect(await shop.provider.recall({ ...PROOF, receipt }, 'permits:a')).toBeNull();
    });

    it('opens again for the address that paid, signed in for this host, this URL and with our nonce', async () => {
      await shop.pay();
      const challenge = async (record = 'a'): Promise<Record<string, string>> => {
        const object = shop.provider.paymentRequired(await shop.item(record), { url: urlOf(record) }, 'pay');
        return { ...(object as unknown as { extensions: Extensions }).extensions['sign-in-with-x'].info };
      };
      const recalled = (answer: object, record = 'a'): Promise<unknown> => {
        const signIn = Buffer.from(JSON.stringify(answer)).toString('base64');
        return shop.provider.recall({ receipt: null, signIn, resource: urlOf(record) }, `permits:${record}`);
      };
      const info = await challenge();
      expect(await recalled(signedIn(info))).toMatchObject({ item: { recordId: 'permits:a', contentVersion: 1 } });
      // Nobody else has bought it, and this address has bought nothing else.
      expect(await recalled(signedIn(info, `0x${'c3'.repeat(20)}`))).toBeNull();
      expect(await recalled(signedIn(await challenge('b')), 'b')).toBeNull();

      const changes: readonly [object, string][] = [
        [{ domain: 'evil.example' }, 'domain'],
        [{ uri: urlOf('b') }, 'uri'],
        [{ nonce: '0'.repeat(32) }, 'nonce'],
        [{ nonce: `${(info.nonce ?? '').slice(0, 31)}g` }, 'nonce'],
        [{ issuedAt: new Date((shop.chain.time - 1) * 1000).toISOString() }, 'nonce'],
        [{ expirationTime: '2099-01-01T00:00:00.000Z' }, 'expirationTime'],
        [{ statement: 'Anything' }, 'statement'],
        [{ chainId: 'eip155:1' }, 'chainId'],
        [{ signature: `0x${'00'.repeat(65)}` }, 'signature'],
        [{ address: `0x${'c3'.repeat(20)}` }, 'signature'],
      ];
      for (const [change, reason] of changes) {
        const asked = recalled({ ...signedIn({ ...info, ...change }), ...change });
        await expect(asked, JSON.stringify(change)).rejects.toMatchObject({
          code: 'invalid_sign_in',
          details: { reason },
        });
      }
      // The signature of another challenge.
      await expect(recalled({ ...info, ...signedIn(await challenge()), nonce: info.nonce })).rejects.toThrow(
        /signature/,
      );
      // Made by a node whose clock is ahead: a little is taken, much is not.
      const madeAhead = async (seconds: number): Promise<Record<string, string>> => {
        shop.chain.mine(1, seconds);
        const made = await challenge();
        shop.chain.blocks.pop();
        return made;
      };
      expect(await recalled(signedIn(await madeAhead(1)))).toMatchObject({ item: { recordId: 'permits:a' } });
      const early = recalled(signedIn(await madeAhead(301)));
      await expect(early).rejects.toMatchObject({ details: { reason: 'expired' } });
      shop.chain.mine(1, 301);
      await expect(recalled(signedIn(info))).rejects.toMatchObject({ details: { reason: 'expired' } });
    });

    it('opens again for a wallet that is a contract and says that it signed (ERC-1271)', async () => {
      await shop.pay({ signed: shop.sign({ from: CONTRACT }) });
      const answer = (change: (signature: string) => string): Promise<unknown> => {
        const object = shop.provider.paymentRequired(item, { url: urlOf('a') }, 'pay');
        const { info } = (object as unknown as { extensions: Extensions }).extensions['sign-in-with-x'];
        const signed = signedIn(info, CONTRACT);
        const signIn = Buffer.from(JSON.stringify({ ...signed, signature: change(signed.signature ?? '') }));
        return shop.provider.recall({ ...PROOF, signIn: signIn.toString('base64') }, 'permits:a');
      };
      const item = await shop.item();
      expect(await answer((signature) => signature)).toMatchObject({ item: { recordId: 'permits:a' } });
      const forged = (signature: string): string => signature.replace(/^0x../, '0x00');
      await expect(answer(forged)).rejects.toMatchObject({ details: { reason: 'signature' } });
      // A wallet that is not there yet says nothing of its signatures.
      const wrapped = (signature: string): string => signature + '6492'.repeat(16);
      const undeployed = { code: 'invalid_sign_in', details: { reason: 'undeployed_wallet' } };
      await expect(answer(wrapped)).rejects.toMatchObject(undeployed);
      shop.chain.isUp = false;
      await expect(answer((signature) => signature)).rejects.toMatchObject({ code: 'payment_unavailable' });
    });

    it('refuses the payment of a wallet that is not deployed (ERC-6492), and says what to do', async () => {
      const signed = shop.sign({ from: CONTRACT });
      const refused = await shop.pay({ signed, signature: `0x${'00'.repeat(65)}${'6492'.repeat(16)}` });
      expect(refused).toEqual({ state: 'refused', code: 'payment_refused', reason: 'undeployed_wallet' });
      expect(shop.chain.asked).toEqual([]);
      expect(await shop.pay({ signed })).toMatchObject({ state: 'settled' });
    });

    it('sells nothing where no price is on a chain that it can read', async () => {
      const { onChain, ...item } = await shop.item();
      const elsewhere = [
        { ...OFFER, network: 'eip155:1' },
        { ...OFFER, network: 'solana:5eykt4' },
        { ...OFFER, asset: 'x' },
      ];
      expect(shop.provider.offers({ ...item, onChain: onChain ?? [] })).toMatchObject([{ price: { amount: '10000' } }]);
      for (const sold of [item, { ...item, onChain: elsewhere }]) {
        expect(shop.provider.offers(sold)).toEqual([]);
        expect(shop.provider.paymentRequired(sold, { url: urlOf('a') }, 'pay')).toBeNull();
      }
    });

    it('gives a payer who owns the item the item, and takes nothing', async () => {
      await shop.pay();
      expect(await shop.pay()).toMatchObject({ state: 'settled', purchase: { isNew: false } });
      expect(await shop.kinds()).toEqual(['hold', 'charge']);
      expect(shop.chain.blocks).toHaveLength(2);
    });

    it('says what to pay in less than 4 KB, whatever is described', async () => {
      const item = await shop.item();
      const size = (url: string, description: string): number => {
        const object = shop.provider.paymentRequired(item, { url, description, mimeType: 'application/json' }, 'pay');
        return Buffer.from(JSON.stringify(object)).toString('base64').length;
      };
      const sizes = [urlOf('a'), `${urlOf('a')}?x=${'x'.repeat(1500)}`].flatMap((url) =>
        Array.from({ length: 834 }, (_, length) => size(url, 'd'.repeat(length * 3))),
      );
      // The lengths around which it becomes too long are among them.
      expect(Math.max(...sizes)).toBeLessThan(4096);
      expect(Math.max(...sizes)).toBeGreaterThan(4060);
      const many = { ...item, onChain: Array.from({ length: 8 }, () => ({ ...OFFER, name: 'ü'.repeat(64) })) };
      const crowded = shop.provider.paymentRequired(many, { url: urlOf('a') }, 'pay');
      expect(Buffer.from(JSON.stringify(crowded)).toString('base64').length).toBeLessThan(4096);
      const object = shop.provider.paymentRequired(item, { url: urlOf('a') }, 'pay');
      expect(object).toMatchObject({
        x402Version: 2,
        accepts: [{ scheme: 'exact', network: NETWORK, amount: '10000', asset: OFFER.asset, payTo: OFFER.pay_to }],
      });
      expect(Object.keys(object?.extensions ?? {})).toEqual(['payment-identifier', 'sign-in-with-x']);
    });

    interface Extensions {
      readonly 'sign-in-with-x': { readonly info: Record<string, string> };
    }

    /** The answer of a wallet to a challenge. */
    function signedIn(info: Record<string, string>, address: string = BUYER): Record<string, string> {
      const { domain, uri, version, nonce, issuedAt, expirationTime, statement } = info;
      const message =
        `${domain} wants you to sign in with your Ethereum account:\n${address}\n\n${statement}\n\nURI: ${uri}\n` +
        `Version: ${version}\nChain ID: 31337\nNonce: ${nonce}\nIssued At: ${issuedAt}\nExpiration Time: ${expirationTime}`;
      const bytes = Buffer.from(`\u0019Ethereum Signed Message:\n${Buffer.byteLength(message)}${message}`);
      const signature = walletSignature(address, Buffer.from(keccak256(bytes)).toString('hex'));
      return { ...info, address, chainId: NETWORK, type: 'eip191', signature };
    }
  });
}
