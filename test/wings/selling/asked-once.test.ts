// How often the ledger is asked what a buyer owns: once for a list, however many records of it are owned.
import { beforeAll, expect, it } from 'vitest';
import { keyAt } from '../../world.ts';
import { callTool } from '../../mcp/agent.ts';
import { BUYER, openShop, PRICE, type Shop, signedIn } from './shop.ts';
import { ledgerOf } from './ledger-of.ts';

const COUNT = 100;

let shop: Shop;
const asked: string[] = [];

beforeAll(async () => {
  shop = await openShop({ records: COUNT });
  const ledger = ledgerOf(shop.store);
  await ledger.grantCredit({
    ...{ accountId: BUYER, price: { ...PRICE, amount: PRICE.amount * COUNT }, reference: null, reason: null },
  });
  const items = await ledger.items(Array.from({ length: COUNT / 2 }, (_, index) => `permits:${keyAt(2 * index + 1)}`));
  for (const item of items.values())
    await ledger.buy({ accountId: BUYER, keyId: null, item, expected: null, idempotencyKey: null });
  for (const name of ['owned', 'ownedWithin', 'items', 'purchase', 'entries'] as const) {
    const ask = ledger[name].bind(ledger) as (...given: readonly unknown[]) => Promise<never>;
    Object.assign(ledger, {
      [name]: (...given: readonly unknown[]) => {
        asked.push(name);
        return ask(...given);
      },
    });
  }
});

const askedBy = async (read: () => Promise<unknown>): Promise<readonly string[]> => {
  asked.length = 0;
  await read();
  return [...asked];
};

it('is once for a list of a hundred records, of which every second is owned', async () => {
  const read = async (): Promise<void> => {
    const list = await shop.get(`/feeds/permits/records?limit=${COUNT}`, { key: shop.asker });
    const { records } = (await list.json()) as { records: readonly { readonly preview?: boolean }[] };
    // Of the latest three, one is owned.
    expect([records.length, records.filter(({ preview }) => preview !== true).length]).toEqual([COUNT, COUNT / 2 + 2]);
  };
  expect(await askedBy(read)).toEqual(['owned']);
});

it('is once for a page of a register and for what an agent reads of it', async () => {
  const browser = await signedIn(shop);
  const page = async (): Promise<void> => {
    expect((await browser.open('https://example.org/feeds/permits')).html).toContain('ermit number 98');
  };
  // Its filters, too, are made of what is seen, and kept until something is bought.
  await page();
  expect(await askedBy(page)).toEqual(['owned']);
  const tool = (): Promise<unknown> => callTool(shop, 'read_register', { feed_id: 'permits', limit: 10 }, shop.asker);
  expect(await askedBy(tool)).toEqual(['owned']);
});

it('is twice for words, of which an index finds previews: what is owned among them, and what of it is still so', async () => {
  const read = (): Promise<unknown> => shop.get(`/feeds/permits/records?q=permit&limit=${COUNT}`, { key: shop.asker });
  expect(await askedBy(read)).toEqual(['ownedWithin', 'owned']);
});
