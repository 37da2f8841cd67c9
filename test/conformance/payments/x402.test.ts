// Purchases by the protocol's own client (@x402/fetch), its own facilitator (@x402/evm), and a real chain (anvil).
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../../src/adapters/server.ts';
import { Receipts } from '../../../src/purchases/receipts.ts';
import { createX402, Reconciler } from '../../../src/purchases/x402/index.ts';
import { createGazette, type Gazette } from '../../../src/service/create-gazette.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { deploy, keyAt, PRODUCT, SECRET } from '../../contracts/deployment.ts';
import { at } from '../../contracts/store-register.ts';
import { loadJudge } from '../tools.ts';
import { BUYER_KEY, type Market, NETWORK, openMarket } from './market.ts';
import { TOKEN } from './token.ts';

const SELLER = '0x5050505050505050505050505050505050505050';
const PRICE = 10_000;
const OFFER = {
  ...{ network: NETWORK, asset: TOKEN.address, amount: PRICE, pay_to: SELLER },
  ...{ name: TOKEN.name, version: TOKEN.version },
};

interface Client {
  setSpendControls(controls: false): Client;
  register(network: string, scheme: unknown): Client;
  createPaymentPayload(required: unknown): Promise<{ payload: { authorization: Record<string, string> } }>;
}
interface FetchModule {
  readonly x402Client: new () => Client;
  wrapFetchWithPayment(send: typeof fetch, client: Client): typeof fetch;
}

describe('the x402 client', () => {
  let market: Market;
  let store: SqliteStore;
  let gazette: Gazette;
  let server: RunningServer;
  let client: Client;
  let paying: typeof fetch;
  let reconciler: Reconciler;

  beforeAll(async () => {
    market = await openMarket();
    store = SqliteStore.open(':memory:');
    await deploy(store, { count: 40 });
    const { definition } = (await store.register('permits'))!;
    const prices = { currency: 'EUR', per_record: 2, x402: [OFFER] };
    await store.updateRegister({ ...definition, prices }, { recordedAt: at(0) });
    const chains = [{ network: NETWORK, url: market.rpc, confirmations: 1 }];
    const receipts = Receipts.fromHex('c1'.repeat(32));
    const { facilitator } = market;
    const provider = await createX402({ facilitator, chains, ledger: store.ledger, receipts });
    reconciler = new Reconciler({ ledger: store.ledger, chains });
    gazette = createGazette({ store, product: PRODUCT, limits: null, providers: [provider] });
    server = await startServer((request, info) => gazette.fetch(request, info), { port: 0, host: '127.0.0.1' });
    const module = await loadJudge<FetchModule>('@x402/fetch');
    const { ExactEvmScheme } = await loadJudge<{ ExactEvmScheme: new (signer: unknown) => unknown }>('@x402/evm');
    client = new module.x402Client().setSpendControls(false).register(NETWORK, new ExactEvmScheme(market.buyer));
    paying = module.wrapFetchWithPayment(fetch, client);
  });
  afterAll(async () => {
    await server.stop(0);
    await gazette.close();
    await store.close();
    await market.close();
  });

  const urlOf = (index: number): string => `${server.url}/api/v1/records/permits:${keyAt(index)}/full`;
  const decoded = (response: Response, name: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(response.headers.get(name) ?? 'e30=', 'base64').toString()) as Record<string, unknown>;
  const charges = async (): Promise<number> =>
    (await store.ledger.entries({ limit: 1000 })).filter(({ kind }) => kind === 'charge').length;
  /** What a client would send, changed before it is sent. */
  const signedFor = async (index: number, change: (accepts: Record<string, unknown>) => object): Promise<string> => {
    const required = decoded(await fetch(urlOf(index)), 'payment-required') as { accepts: Record<string, unknown>[] };
    const accepts = required.accepts.map((one) => ({ ...one, ...change(one) }));
    const payment = await client.createPaymentPayload({ ...required, accepts });
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
    expect((await fetch(urlOf(1), { headers: { authorization } })).status).toBe(200);
  });

  it('pays once for one record, however often it asks at once', async () => {
    const [balance, before] = [await market.balance(market.buyer.address), await charges()];
    const responses = await Promise.all(Array.from({ length: 16 }, () => paying(urlOf(2))));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await charges()) - before).toBe(1);
    expect(balance - (await market.balance(market.buyer.address))).toBe(PRICE);
  });

  it('opens again for the address that paid, signed by its wallet', async () => {
    const { extensions } = decoded(await fetch(urlOf(3)), 'payment-required') as {
      extensions: { 'sign-in-with-x': { info: Record<string, string> } };
    };
    const { info } = extensions['sign-in-with-x'];
    const { createSiweMessage } = await loadJudge<{ createSiweMessage: (given: object) => string }>('viem/siwe');
    const signedIn = async (): Promise<Response> => {
      const message = createSiweMessage({
        ...{ ...info, address: market.buyer.address, chainId: TOKEN.chainId },
        issuedAt: new Date(info.issuedAt ?? ''),
        expirationTime: new Date(info.expirationTime ?? ''),
      });
      const signature = await market.buyer.signMessage({ message });
      const answer = { ...info, address: market.buyer.address, chainId: NETWORK, type: 'eip191', signature };
      return fetch(urlOf(3), { headers: { 'sign-in-with-x': Buffer.from(JSON.stringify(answer)).toString('base64') } });
    };
    expect((await signedIn()).status).toBe(402);
    expect((await paying(urlOf(3))).status).toBe(200);
    const opened = await signedIn();
    expect([opened.status, (await opened.text()).includes(SECRET)]).toEqual([200, true]);
  });

  it.each<[string, (accepts: Record<string, unknown>) => object, string]>([
    ['too little', () => ({ amount: '9999' }), 'wrong_amount'],
    ['another payee', () => ({ payTo: TOKEN.address }), 'wrong_payee'],
    ['another asset', () => ({ asset: SELLER }), 'wrong_asset'],
    ['a token of another name', () => ({ extra: { name: 'Other', version: '2' } }), 'invalid_exact_evm'],
  ])('gains nothing by paying %s', async (_, change, reason) => {
    const balance = await market.balance(market.buyer.address);
    const response = await send(4, await signedFor(4, change));
    expect(response.status).toBe(402);
    expect(String(decoded(response, 'payment-required').error) + (await response.text())).toMatch(
      reason.startsWith('wrong') ? /payment_refused/ : new RegExp(reason),
    );
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
    expect(await reconciler.run()).toMatchObject({ open: 0 });
  });

  it('is an example that runs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gazette-buyer-'));
    try {
      await copyFile(join(import.meta.dirname, '../../../examples/buy-with-x402.js'), join(folder, 'buy.mjs'));
      await symlink(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'));
      const env = { ...process.env, WALLET_KEY: BUYER_KEY };
      const args = [join(folder, 'buy.mjs'), server.url, `permits:${keyAt(7)}`];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env, timeout: 60_000 });
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
