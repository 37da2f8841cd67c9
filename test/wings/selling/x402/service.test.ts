// Payments by x402 over HTTP: what `GET /records/{id}/full` answers to who pays on chain, and to who shows that he did.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isObject } from '../../../../src/checks.ts';
import { Receipts } from '../../../../src/wings/selling/purchases/receipts.ts';
import { parseProof } from '../../../../src/wings/proofs/tlog/index.ts';
import { createX402, Reconciler } from '../../../../src/wings/selling/purchases/x402/index.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { keyAt, SECRET, statementAt } from '../../../world.ts';
import { sign } from '../../proofs/signing.ts';
import { at } from '../../../contracts/store-register.ts';
import { post, rpc, type ToolReply } from '../../../mcp/agent.ts';
import { CREDIT, openShop, type Shop } from '../shop.ts';
import { authorization, LocalChain, NETWORK, type Signed } from './local-chain.ts';
import { identifier, OFFER, paymentOf, type Presented, RECEIPT_KEY } from './shop.ts';
import { ledgerOf } from '../ledger-of.ts';

const ID = `permits:${keyAt(1)}`;

describe('a record that is sold on chain', () => {
  let chain: LocalChain;
  let shop: Shop;
  let reconciler: Reconciler;

  beforeEach(async () => {
    chain = await new LocalChain().start();
    const store = SqliteStore.open(':memory:');
    const chains = [{ network: NETWORK, url: chain.url, confirmations: 2 }];
    const provider = await createX402({
      ...{ facilitator: chain.url, chains, store, receipts: Receipts.fromHex(RECEIPT_KEY) },
      ...{ waitMs: 50, pollMs: 5 },
    });
    shop = await openShop({ store, records: 12, providers: [provider] });
    const { definition } = (await store.register('permits'))!;
    const prices = { currency: 'EUR', per_record: 200, x402: [OFFER] };
    await store.updateRegister({ ...definition, prices }, { recordedAt: at(0) });
    reconciler = new Reconciler({ store, chains });
  });
  afterEach(async () => {
    await shop.close();
    await chain.stop();
  });

  const get = (headers: Record<string, string> = {}): Promise<Response> => shop.get(`/records/${ID}/full`, { headers });
  const header = (response: Response, name: string): Record<string, unknown> => {
    const text = Buffer.from(response.headers.get(name) ?? 'bnVsbA==', 'base64').toString();
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  };
  /** The URL of the offer, which a client repeats. */
  const offered = async (): Promise<string> =>
    (header(await get(), 'payment-required') as { resource: { url: string } }).resource.url;
  const pay = async (presented: Presented): Promise<Response> => {
    const payment = paymentOf({ url: await offered(), ...presented }, authorization(chain.time));
    return get({ 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') });
  };
  const receiptIn = (response: Response): string => {
    const { extensions } = header(response, 'payment-response') as {
      extensions: { 'gazette-receipt': { info: { receipt: string } } };
    };
    return extensions['gazette-receipt'].info.receipt;
  };

  it('says what to sign, and gives the record to who pays', async () => {
    const asked = await get();
    expect([asked.status, asked.headers.get('cache-control')]).toEqual([402, 'no-store']);
    expect(header(asked, 'payment-required')).toMatchObject({ x402Version: 2, accepts: [{ network: NETWORK }] });
    expect(asked.headers.get('payment-required')?.length).toBeLessThan(4096);
    const paid = await pay({});
    expect([paid.status, paid.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
    expect(await paid.text()).toContain(SECRET);
    expect(header(paid, 'payment-response')).toMatchObject({ success: true, amount: '10000' });
    const again = await get({ authorization: `Bearer ${receiptIn(paid)}` });
    expect([again.status, (await again.text()).includes(SECRET)]).toEqual([200, true]);
    const other = await shop.get(`/records/permits:${keyAt(2)}/full`, { key: receiptIn(paid) });
    expect([other.status, (await other.text()).includes(SECRET)]).toEqual([401, false]);
  });

  it('answers with the reason, and 400 only to what is malformed', async () => {
    const forged = await pay({ signature: `0x${'00'.repeat(65)}` });
    expect([forged.status, await forged.json()]).toMatchObject([402, { code: 'payment_refused' }]);
    expect(header(forged, 'payment-required').error).toContain('invalid_exact_evm_signature');
    const malformed = await get({ 'payment-signature': '{}' });
    expect([malformed.status, await malformed.json()]).toMatchObject([400, { code: 'invalid_payment' }]);
    chain.isUp = false;
    const away = await pay({});
    expect([away.status, await away.json()]).toMatchObject([503, { code: 'payment_unavailable' }]);
    expect(away.headers.get('retry-after')).not.toBeNull();
    for (const answer of [forged, malformed, away]) expect(answer.headers.get('payment-response')).toBeNull();
  });

  it('answers 202 while nobody knows, and the record once it is on the chain', async () => {
    chain.settling = 'settles and is lost';
    const pending = await pay({});
    expect([pending.status, pending.headers.get('retry-after')]).toEqual([202, '5']);
    expect(await pending.text()).not.toContain(SECRET);
    expect(pending.headers.get('payment-required')).toBeNull();
    chain.mine(2);
    await reconciler.run();
    const read = await get({ authorization: `Bearer ${receiptIn(pending)}` });
    expect([read.status, (await read.text()).includes(SECRET)]).toEqual([200, true]);
  });

  describe('when its register sells nothing any more', () => {
    const withoutPrices = async (): Promise<void> => {
      const { prices, ...definition } = (await shop.store.register('permits'))!.definition;
      expect(prices).toBeDefined();
      await shop.store.updateRegister(definition, { recordedAt: at(1) });
    };
    const payAgain = async (presented: Presented): Promise<Response> => {
      const payment = paymentOf(presented, presented.signed!);
      return get({ 'payment-signature': Buffer.from(JSON.stringify(payment)).toString('base64') });
    };

    it('opens again by the receipt and by the payment identifier, and asks others to sign in', async () => {
      const given = { signed: authorization(chain.time), identifier: identifier(), url: await offered() };
      const receipt = receiptIn(await pay(given));
      await withoutPrices();
      for (const response of [await get({ authorization: `Bearer ${receipt}` }), await payAgain(given)]) {
        expect([response.status, (await response.text()).includes(SECRET)]).toEqual([200, true]);
      }
      const replayed = await payAgain({ signed: given.signed, url: given.url });
      expect([replayed.status, await replayed.json()]).toMatchObject([402, { code: 'payment_replayed' }]);
      const asked = await get();
      expect([asked.status, (await asked.text()).includes(SECRET)]).toEqual([401, false]);
      expect(header(asked, 'payment-required')).toMatchObject({
        accepts: [],
        extensions: { 'sign-in-with-x': { info: { uri: given.url } } },
      });
    });

    it('is given for a payment that was begun before, and for no other', async () => {
      const given = { signed: authorization(chain.time), identifier: identifier(), url: await offered() };
      chain.settling = 'settles and is lost';
      expect((await pay(given)).status).toBe(202);
      await withoutPrices();
      expect((await payAgain(given)).status).toBe(202);
      chain.mine(2);
      await reconciler.run();
      const read = await payAgain(given);
      expect([read.status, (await read.text()).includes(SECRET)]).toEqual([200, true]);
      const late = await payAgain({ ...given, signed: authorization(chain.time), identifier: identifier() });
      expect(late.status).toBe(401);
      expect((await ledgerOf(shop.store).entries({ limit: 9 })).filter(({ kind }) => kind === 'charge')).toHaveLength(
        1,
      );
    });
  });

  it('gives a replayed payment nothing, and names the ways to open it again', async () => {
    const signed: Signed = authorization(chain.time);
    await pay({ signed });
    const replayed = await pay({ signed });
    const text = await replayed.text();
    expect(replayed.status).toBe(402);
    expect(text).not.toContain(SECRET);
    expect(JSON.parse(text)).toMatchObject({ code: 'payment_replayed' });
    for (const way of ['gzr_', 'payment-identifier', 'SIGN-IN-WITH-X']) expect(text).toContain(way);
  });

  it('gives who shows an old payment again what it bought, and not what the record has become', async () => {
    const given = { signed: authorization(chain.time), identifier: identifier() };
    const bought = (await (await pay(given)).json()) as { title: string };
    const changed = { ...statementAt(1, 12), title: 'Another title' };
    await shop.store.apply('permits', [changed], { recordedAt: at(9) });
    const shown = [await pay(given), await get({ authorization: `Bearer ${receiptIn(await pay(given))}` })];
    for (const response of shown) {
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ title: bought.title });
    }
    expect((await get()).status).toBe(402);
  });

  it('proves what was bought to who shows the receipt, with the salt of that version alone, also once it is withdrawn', async () => {
    const receipt = receiptIn(await pay({}));
    await shop.store.apply('permits', [{ ...statementAt(1, 12), title: 'Another title' }], { recordedAt: at(9) });
    await shop.store.withdraw('permits', [ID], { recordedAt: at(10) });
    await sign(shop.store, 'permits');
    const proved = async (version: number): Promise<Record<string, unknown>> => {
      const answer = await shop.get(`/records/${ID}/proof?version=${version}`, { key: receipt });
      return JSON.parse(Buffer.from(parseProof(await answer.text()).extra!).toString()) as Record<string, unknown>;
    };
    const salt = expect.stringMatching(/^.{44}$/) as string;
    expect(await proved(1)).toMatchObject({ salt, statement: { content: expect.stringContaining(SECRET) as string } });
    for (const version of [2, 3]) {
      const extra = await proved(version);
      expect([version, 'salt' in extra, 'statement' in extra]).toEqual([version, false, false]);
    }
    const other = await shop.get(`/records/permits:${keyAt(2)}/proof`, { key: receipt });
    expect([other.status, await other.json()]).toMatchObject([401, { code: 'invalid_receipt' }]);
  });

  it('takes nothing of the credit of an agent that pays with tokens', async () => {
    const amount = '1000000000000000000';
    const { definition } = (await shop.store.register('permits'))!;
    const prices = { currency: 'EUR', per_record: 200, x402: [{ ...OFFER, amount }] };
    await shop.store.updateRegister({ ...definition, prices }, { recordedAt: at(1) });
    const listed = (await (await shop.get('/feeds/permits', {})).json()) as { definition: { prices: object } };
    expect(listed.definition.prices).toEqual(prices);
    const signed = authorization(chain.time, { value: amount });
    const payment = paymentOf({ url: await offered(), accepted: { amount } }, signed);
    const call = { name: 'read_record', arguments: { record_id: ID }, _meta: { 'x402/payment': payment } };
    const { body } = await post(shop, rpc('tools/call', call), { authorization: `Bearer ${shop.asker}` });
    const { isError, structuredContent } = body!.result as unknown as ToolReply;
    expect([isError, structuredContent]).toMatchObject([
      false,
      { purchase: { charged: true, price: { amount } }, left: { amount: CREDIT, currency: 'EUR' } },
    ]);
  });

  it('tells an agent that shows an old payment again where that opens what it bought', async () => {
    const given = { signed: authorization(chain.time), identifier: identifier() };
    const read = async (): Promise<ToolReply> => {
      const payment = paymentOf({ url: await offered(), ...given }, given.signed);
      const call = { name: 'read_record', arguments: { record_id: ID }, _meta: { 'x402/payment': payment } };
      const { body } = await post(shop, rpc('tools/call', call));
      return body!.result as unknown as ToolReply;
    };
    expect(JSON.stringify(await read())).toContain(SECRET);
    const changed = { ...statementAt(1, 12), title: 'Another title' };
    await shop.store.apply('permits', [changed], { recordedAt: at(9) });
    const again = await read();
    expect(again.isError).toBe(true);
    expect(again.content[0]!.text).toMatch(/bought content version 1 .* still gives it for the same payment/);
    expect(JSON.stringify(again)).not.toContain(SECRET);
    expect(JSON.stringify(again)).not.toContain('Another title');
    // As it says.
    expect(((await (await pay(given)).json()) as { title: string }).title).not.toBe('Another title');
    expect((await ledgerOf(shop.store).entries({ limit: 100 })).filter(({ kind }) => kind === 'hold')).toHaveLength(1);
  });
});
