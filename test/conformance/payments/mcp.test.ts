// Purchases by agents on a real chain (anvil): the official MCP clients carry what the protocol's own client signs, in
// `_meta["x402/payment"]`, and check every result against the tool's schema, errors too.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keyAt, SECRET } from '../../world.ts';
import { loadJudge } from '../tools.ts';
import { NETWORK } from './market.ts';
import { openStall, PRICE, type Stall } from './stall.ts';

interface ToolResult {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly _meta?: Readonly<Record<string, { readonly success: boolean; readonly transaction: string }>>;
}
interface Client {
  connect(transport: unknown): Promise<void>;
  listTools(): Promise<unknown>;
  callTool(call: object): Promise<ToolResult>;
  close(): Promise<void>;
}
interface Sdk {
  readonly Client: new (info: object) => Client;
  readonly StreamableHTTPClientTransport: new (url: URL) => unknown;
}

const SDKS: readonly (readonly [string, () => Promise<Sdk>])[] = [
  ['@modelcontextprotocol/client', () => loadJudge<Sdk>('@modelcontextprotocol/client')],
  [
    '@modelcontextprotocol/sdk',
    async () => ({
      ...(await loadJudge<Sdk>('@modelcontextprotocol/sdk/client/index.js')),
      ...(await loadJudge<Sdk>('@modelcontextprotocol/sdk/client/streamableHttp.js')),
    }),
  ],
];

let stall: Stall;
beforeAll(async () => {
  stall = await openStall();
});
afterAll(() => stall.close());

describe.each(SDKS)('an agent with a wallet and %s', (name, load) => {
  let client: Client;
  beforeAll(async () => {
    const sdk = await load();
    client = new sdk.Client({ name: 'buyer', version: '1' });
    await client.connect(new sdk.StreamableHTTPClientTransport(new URL(`${stall.server.url}/api/v1/mcp`)));
    // The schemas by which results are checked.
    await client.listTools();
  });
  afterAll(() => client.close());

  /** Records that no other agent buys. */
  const idOf = (index: number): string => `permits:${keyAt(index + (name === SDKS[0]![0] ? 0 : 10))}`;
  const read = (id: string, payment?: object): Promise<ToolResult> =>
    client.callTool({
      ...{ name: 'read_record', arguments: { record_id: id } },
      ...(payment === undefined ? {} : { _meta: { 'x402/payment': payment } }),
    });
  /** What the protocol's client signs for what a result asks. */
  const signedFor = async (id: string): Promise<object> =>
    stall.client.createPaymentPayload((await read(id)).structuredContent);

  it('is told what to sign, pays it, and has the record', async () => {
    const asked = await read(idOf(1));
    expect(asked.isError).toBe(true);
    expect(asked.structuredContent).toMatchObject({ x402Version: 2, accepts: [{ network: NETWORK }] });
    expect(asked.content[0]!.text).toBe(JSON.stringify(asked.structuredContent));
    const before = await stall.market.balance(stall.market.buyer.address);
    const bought = await read(idOf(1), await stall.client.createPaymentPayload(asked.structuredContent));
    expect(bought.isError ?? false).toBe(false);
    expect(JSON.stringify(bought.structuredContent)).toContain(SECRET);
    expect(bought.structuredContent).toMatchObject({ purchase: { charged: true } });
    const { success, transaction } = bought._meta!['x402/payment-response']!;
    expect(success).toBe(true);
    const settled = await stall.market.ask('eth_getTransactionReceipt', [transaction]);
    expect(settled).toMatchObject({ status: '0x1' });
    expect(before - (await stall.market.balance(stall.market.buyer.address))).toBe(PRICE);
  });

  it('gets nothing for a payment that is shown again, and the record with the identifier that came with it', async () => {
    const [id, charges] = [idOf(2), await stall.charges()];
    const payment = await signedFor(id);
    const named = {
      ...payment,
      extensions: { 'payment-identifier': { info: { required: false, id: randomUUID() }, schema: {} } },
    };
    expect((await read(id, named)).isError ?? false).toBe(false);
    const replayed = await read(id, payment);
    expect(replayed.isError).toBe(true);
    expect(JSON.stringify(replayed)).not.toContain(SECRET);
    expect(String(replayed.structuredContent?.error)).toContain('payment-identifier');
    const again = await read(id, named);
    expect(again.structuredContent).toMatchObject({ purchase: { charged: false } });
    expect((await stall.charges()) - charges).toBe(1);
  });

  it('gets nothing for the payment of another record, or for a forged one', async () => {
    const [charges, balance] = [await stall.charges(), await stall.market.balance(stall.market.buyer.address)];
    const elsewhere = await read(idOf(4), await signedFor(idOf(3)));
    const payment = await stall.client.createPaymentPayload((await read(idOf(4))).structuredContent);
    const { authorization } = payment.payload;
    const changed = { ...payment.payload, authorization: { ...authorization, nonce: `0x${'01'.repeat(32)}` } };
    for (const refused of [elsewhere, await read(idOf(4), { ...payment, payload: changed })]) {
      expect(refused.isError).toBe(true);
      expect(refused.structuredContent).toMatchObject({ x402Version: 2 });
      expect(JSON.stringify(refused)).not.toContain(SECRET);
    }
    expect([await stall.charges(), await stall.market.balance(stall.market.buyer.address)]).toEqual([charges, balance]);
  });
});
