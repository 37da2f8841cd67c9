// Receipts to cite: which answers have them, what they say, and that anybody can check them with the published keys.
import { createPublicKey, verify } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLogKeys } from '../../src/operate/logs/log-key.ts';
import { LogSigner } from '../../src/operate/logs/signer.ts';
import { Receipts } from '../../src/purchases/receipts.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { BASE_URL, keyAt, statementAt } from '../contracts/deployment.ts';
import { at } from '../contracts/store-register.ts';
import { callTool } from '../mcp/agent.ts';
import { BUYER, openShop, type Shop } from './shop.ts';

const COUNT = 12;
const ID = `permits:${keyAt(1)}`;
const KEYS = ['c1', 'd2'].map((byte) => byte.repeat(32)).join(',');

let shop: Shop;
beforeEach(async () => {
  shop = await openShop(SqliteStore.open(':memory:'), { count: COUNT, receipts: Receipts.fromHex(KEYS) });
});
afterEach(() => shop.close());

const read = (key: string | undefined, headers: Record<string, string> = {}): Promise<Response> =>
  shop.get(`/records/${ID}/full`, { headers, ...(key === undefined ? {} : { key }) });
const receiptOf = (response: Response): string | null => response.headers.get('purchase-receipt');
const buy = async (): Promise<{ purchase: { receipt?: string } }> => {
  const response = await shop.get(`/records/${ID}/purchase`, { method: 'POST', key: shop.asker });
  return (await response.json()) as { purchase: { receipt?: string } };
};

/** What a receipt says, once its signature was checked with the key that the service publishes under its name. */
async function claimsOf(receipt: string | null | undefined): Promise<Record<string, unknown>> {
  const [head = '', claims = '', signature = ''] = (receipt ?? '').split('.');
  const parsed = (part: string): Record<string, unknown> =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const { kid } = parsed(head);
  const response = await shop.get('/receipt-keys');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/jwk-set+json']);
  const { keys } = (await response.json()) as { keys: { kid: string }[] };
  const key = createPublicKey({ key: { ...keys.find((one) => one.kid === kid) }, format: 'jwk' });
  expect(verify(null, Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
  return parsed(claims);
}

describe('a receipt to cite', () => {
  it('comes with what was bought, over HTTP and to agents, the same each time', async () => {
    const first = receiptOf(await read(shop.spender));
    const { at: boughtAt } = (await shop.store.ledger.purchase(BUYER, { recordId: ID, contentVersion: 1 }))!.charge;
    expect(await claimsOf(first)).toEqual({
      ...{ iss: `${BASE_URL}/api/v1`, iat: Math.floor(Date.parse(boughtAt) / 1000), feed_id: 'permits' },
      ...{ record_id: ID, content_version: 1, change: 1 },
    });
    const again = await read(shop.asker);
    const unchanged = await read(shop.asker, { 'if-none-match': again.headers.get('etag') ?? '' });
    expect([again.status, unchanged.status]).toEqual([200, 304]);
    const asked = await callTool(shop, 'read_record', { record_id: ID, purchase_id: 'a-1' }, shop.asker);
    const { purchase } = asked.structuredContent as { purchase: { charged: boolean; receipt: string } };
    expect(purchase.charged).toBe(false);
    expect(new Set([receiptOf(again), receiptOf(unchanged), (await buy()).purchase.receipt, purchase.receipt])).toEqual(
      new Set([first]),
    );
  });

  it('comes with a purchase by a tool', async () => {
    const bought = await callTool(shop, 'fetch', { id: ID }, shop.spender);
    const { purchase } = bought.structuredContent as { purchase: { charged: boolean; receipt: string } };
    expect(purchase.charged).toBe(true);
    expect(await claimsOf(purchase.receipt)).toMatchObject({ record_id: ID, change: 1 });
  });

  it('names the content version that was bought and its change, whatever was recorded since', async () => {
    const source = { ...statementAt(1, COUNT), title: 'Changed at its source' };
    await shop.store.apply('permits', [source], { recordedAt: at(60) });
    const bought = (await buy()).purchase.receipt;
    expect(await claimsOf(bought)).toMatchObject({ content_version: 2, change: COUNT + 1 });
    const corrected = { ...source, content: 'read better' };
    await shop.store.apply('permits', [corrected], { recordedAt: at(61), cause: 'extraction_correction' });
    expect(receiptOf(await read(shop.asker))).toBe(bought);
  });

  it('names the entry of the log that proves the version, once the log is signed', async () => {
    const before = receiptOf(await read(shop.spender));
    const signer = new LogSigner(shop.store.logs, {
      ...{
        keys: readLogKeys('07'.repeat(32)),
        place: 'registers.example',
        state: { last: () => null, remember: () => Promise.resolve() },
      },
      onError: (error) => {
        throw error;
      },
    });
    await signer.signAll();
    const { origin } = await shop.store.logs.of('permits');
    const { log, log_index: index, ...rest } = await claimsOf(receiptOf(await read(shop.asker)));
    expect(rest).toEqual(await claimsOf(before));
    expect([log, index]).toEqual([origin, 0]);
    const [entry] = await shop.store.logs.entries('permits', 0, 1);
    expect(JSON.parse(Buffer.from(entry!).toString())).toMatchObject({
      change: rest.change,
      version: rest.content_version,
    });
  });

  it('comes to nobody who bought nothing', async () => {
    const answers = [await read(undefined), await read(shop.asker), await read(shop.key)];
    const latest = await shop.get(`/records/permits:${keyAt(COUNT)}/full`, { key: shop.asker });
    for (const response of [...answers, latest]) expect(receiptOf(response)).toBeNull();
    await read(shop.spender);
    expect(receiptOf(await read(shop.key))).toBeNull();
    expect(receiptOf(await read(undefined))).toBeNull();
  });

  it('says nothing of who paid', async () => {
    const { purchase } = await buy();
    const [, claims = ''] = (purchase.receipt ?? '').split('.');
    expect(Buffer.from(claims, 'base64url').toString()).not.toMatch(/buyer|payer|key_|amount|EUR/);
  });

  it('does not exist where the service has no key for it', async () => {
    const other = await openShop(SqliteStore.open(':memory:'), { count: COUNT });
    const bought = await other.get(`/records/${ID}/full`, { key: other.spender });
    expect([bought.status, receiptOf(bought)]).toEqual([200, null]);
    expect((await other.get('/receipt-keys')).status).toBe(404);
    expect(await (await other.get('/openapi.json')).text()).not.toContain('/receipt-keys"');
    await other.close();
  });
});
