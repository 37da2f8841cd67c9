// Purchases by the protocol's own client (@x402/fetch), its own facilitator (@x402/evm), and a real chain (anvil).
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/adapters/server.ts';
import { keyAt, SECRET } from '../../world.ts';
import { loadJudge } from '../tools.ts';
import { BUYER_KEY, type Market, NETWORK, type Wallet } from './market.ts';
import { openStall, type PayingClient, PRICE, SELLER, type Stall } from './stall.ts';
import { TOKEN } from './token.ts';

describe('the x402 client', () => {
  let stall: Stall;
  let market: Market;
  let server: RunningServer;
  let wrap: (send: typeof fetch, client: PayingClient) => typeof fetch;
  let paying: typeof fetch;

  beforeAll(async () => {
    stall = await openStall();
    ({ market, server } = stall);
    ({ wrapFetchWithPayment: wrap } = await loadJudge<{ wrapFetchWithPayment: typeof wrap }>('@x402/fetch'));
    paying = wrap(fetch, stall.client);
  });
  afterAll(() => stall.close());

  const urlOf = (index: number): string => `${server.url}/api/v1/records/permits:${keyAt(index)}/full`;
  const decoded = (response: Response, name: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(response.headers.get(name) ?? 'e30=', 'base64').toString()) as Record<string, unknown>;
  /** What a client would send, changed before it is sent. */
  const signedFor = async (index: number, change: (accepts: Record<string, unknown>) => object): Promise<string> => {
    const required = decoded(await fetch(urlOf(index)), 'payment-required') as { accepts: Record<string, unknown>[] };
    const accepts = required.accepts.map((one) => ({ ...one, ...change(one) }));
    const payment = await stall.client.createPaymentPayload({ ...required, accepts });
    return Buffer.from(JSON.stringify(payment)).toString('base64');
  };
  const send = (index: number, payment: string): Promise<Response> =>
    fetch(urlOf(index), { headers: { 'payment-signature': payment } });

  it('buys a record, and reads it again with the receipt', async () => {
    const before = await market.balance(market.buyer.address);
    const response = await paying(urlOf(1));
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(SECRET);
    const paid = decoded(response, 'payment-response');
    expect(paid).toMatchObject({ success: true, network: NETWORK, amount: String(PRICE) });
    const receipt = await market.ask('eth_getTransactionReceipt', [paid.transaction]);
    expect(receipt).toMatchObject({ status: '0x1' });
    expect(before - (await market.balance(market.buyer.address))).toBe(PRICE);
    const { extensions } = paid as { extensions: { 'gazette-receipt': { info: { receipt: string } } } };
    const authorization = `Bearer ${extensions['gazette-receipt'].info.receipt}`;
    const again = await fetch(urlOf(1), { headers: { authorization } });
    expect(again.status).toBe(200);
  });

  it('pays once for one record, however often it asks at once', async () => {
    const [balance, before] = [await market.balance(market.buyer.address), await stall.charges()];
    const responses = await Promise.all(Array.from({ length: 16 }, () => paying(urlOf(2))));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await stall.charges()) - before).toBe(1);
    expect(balance - (await market.balance(market.buyer.address))).toBe(PRICE);
  });

  /** Asks for a record as an address that signs in. */
  const signedIn = async (index: number, wallet: Wallet): Promise<Response> => {
    const { extensions } = decoded(await fetch(urlOf(index)), 'payment-required') as {
      extensions: { 'sign-in-with-x': { info: Record<string, string> } };
    };
    const { info } = extensions['sign-in-with-x'];
    const { createSiweMessage } = await loadJudge<{ createSiweMessage: (given: object) => string }>('viem/siwe');
    const message = createSiweMessage({
      ...{ ...info, address: wallet.address, chainId: TOKEN.chainId },
      issuedAt: new Date(info.issuedAt ?? ''),
      expirationTime: new Date(info.expirationTime ?? ''),
    });
    const signature = await wallet.signMessage({ message });
    const answer = { ...info, address: wallet.address, chainId: NETWORK, type: 'eip191', signature };
    const header = Buffer.from(JSON.stringify(answer)).toString('base64');
    return fetch(urlOf(index), { headers: { 'sign-in-with-x': header } });
  };

  it('opens again for the address that paid, signed by its wallet', async () => {
    expect((await signedIn(3, market.buyer)).status).toBe(402);
    expect((await paying(urlOf(3))).status).toBe(200);
    const opened = await signedIn(3, market.buyer);
    expect([opened.status, (await opened.text()).includes(SECRET)]).toEqual([200, true]);
  });

  it('sells to a wallet that is a contract, and opens again for it (ERC-1271)', async () => {
    const before = await market.balance(market.contract.address);
    expect((await signedIn(9, market.contract)).status).toBe(402);
    const paid = await wrap(fetch, stall.contractClient)(urlOf(9));
    expect([paid.status, (await paid.text()).includes(SECRET)]).toEqual([200, true]);
    expect(before - (await market.balance(market.contract.address))).toBe(PRICE);
    expect((await signedIn(9, market.contract)).status).toBe(200);
    // Its owner is another address, and a signature by another key is not the contract's.
    expect((await signedIn(9, market.buyer)).status).toBe(402);
    const forger = { ...market.contract, signMessage: () => Promise.resolve(`0x${'11'.repeat(66)}`) };
    expect((await signedIn(9, forger)).status).toBe(400);
  });

  it.each<[string, (accepts: Record<string, unknown>) => object, RegExp]>([
    ['too little', () => ({ amount: '9999' }), /accepts amount "9999", which this record is not offered for/],
    ['another payee', () => ({ payTo: TOKEN.address }), /accepts payTo "0x7007/],
    ['another asset', () => ({ asset: SELLER }), /accepts asset "0x5050/],
    ['a token of another name', () => ({ extra: { name: 'Other', version: '2' } }), /invalid_exact_evm/],
  ])('gains nothing by paying %s, and is told why', async (_, change, reason) => {
    const balance = await market.balance(market.buyer.address);
    const response = await send(4, await signedFor(4, change));
    expect(response.status).toBe(402);
    expect(decoded(response, 'payment-required').error).toMatch(reason);
    expect(await response.json()).toMatchObject({ code: 'payment_refused' });
    expect(await market.balance(market.buyer.address)).toBe(balance);
  });

  it('gains nothing by a payment that is forged, replayed, expired or for another record', async () => {
    const payment = await signedFor(5, () => ({}));
    const changed = (change: (authorization: Record<string, string>) => object): string => {
      const object = JSON.parse(Buffer.from(payment, 'base64').toString()) as {
        payload: { authorization: Record<string, string> };
      };
      const { authorization } = object.payload;
      const payload = { ...object.payload, authorization: { ...authorization, ...change(authorization) } };
      return Buffer.from(JSON.stringify({ ...object, payload })).toString('base64');
    };
    const statusAndCode = async (response: Promise<Response>): Promise<unknown> => {
      const answer = await response;
      return [answer.status, ((await answer.json()) as { code: string }).code];
    };
    const forged = changed(() => ({ nonce: `0x${'01'.repeat(32)}` }));
    expect(await statusAndCode(send(5, forged))).toEqual([402, 'payment_refused']);
    expect(
      await statusAndCode(
        send(
          5,
          changed(() => ({ validBefore: '1' })),
        ),
      ),
    ).toEqual([402, 'payment_refused']);
    expect(await statusAndCode(send(6, payment))).toEqual([402, 'payment_refused']);
    expect((await send(5, payment)).status).toBe(200);
    expect(await statusAndCode(send(5, payment))).toEqual([402, 'payment_replayed']);
    expect(await stall.reconciler.run()).toMatchObject({ released: 0, reversed: 0, failed: 0 });
  });

  it('is an example that runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-buyer-'));
    try {
      await copyFile(join(import.meta.dirname, '../../../examples/buy-with-x402.js'), join(folder, 'buy.mjs'));
      await symlink(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'));
      const env = { ...process.env, WALLET_KEY: BUYER_KEY };
      const args = [join(folder, 'buy.mjs'), server.url, `permits:${keyAt(7)}`];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      expect(stdout).toMatch(
        /^preview: .+\nbought: .+, for 10000, in transaction 0x[0-9a-f]{64}\nreceipt: gzr_[\w-]+\n$/,
      );
      const poor = promisify(execFile)(process.execPath, args.with(2, `permits:${keyAt(8)}`), {
        env: { ...env, MOST: '9999' },
      });
      await expect(poor).rejects.toThrow(/filtered|policies|requirements/i);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
