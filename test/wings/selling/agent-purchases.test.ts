// Agents that buy: prices before anything is bought, a record once for its price, and a result that a model can act on where
// the money does not do.
import { beforeEach, describe, expect, it } from 'vitest';
import type { NewPurchase, Purchase } from '../../../src/wings/selling/stores/contract/ledger.ts';
import { keyAt, SECRET, statementAt } from '../../world.ts';
import { at } from '../../contracts/store-register.ts';
import { callTool, recordsIn, post, rpc } from '../../mcp/agent.ts';
import { BUDGET, BUYER, EXPECTED, openShop, PRICE, type Shop } from './shop.ts';
import { ledgerOf } from './ledger-of.ts';

const COUNT = 12;
const OLD = `permits:${keyAt(1)}`;

let shop: Shop;
beforeEach(async () => {
  shop = await openShop({ records: COUNT, keysUrl: 'https://example.org/top-up' });
});

const charges = async (): Promise<number> =>
  (await ledgerOf(shop.store).entries({ payer: BUYER, limit: 1000 })).filter(({ kind }) => kind === 'charge').length;

describe('an agent with a key that was made to spend', () => {
  it('sees previews of all records with the price and what is left, and finds by what they show', async () => {
    const all = await callTool(shop, 'read_register', { feed_id: 'permits', limit: 100 }, shop.spender);
    expect(all.structuredContent).toMatchObject({
      price: PRICE,
      left: { ...PRICE, amount: BUDGET },
      next_offset: null,
    });
    const records = recordsIn(all.structuredContent);
    expect(records).toHaveLength(COUNT);
    expect(records.filter(({ preview }) => preview === true)).toHaveLength(COUNT - 3);
    expect(JSON.stringify(all)).not.toContain(SECRET);
    const found = await callTool(shop, 'search', { query: '"permit number 4"' }, shop.spender);
    expect(found.structuredContent).toMatchObject({
      results: [{ id: 'permits:004', price: PRICE }],
      left: { amount: BUDGET },
    });
    const hidden = await callTool(shop, 'search', { query: SECRET }, shop.spender);
    expect(hidden.structuredContent).toMatchObject({ results: [] });
    expect(await charges()).toBe(0);
  });

  it('buys a record by reading it, once, and has it whole in every tool', async () => {
    for (const isCharged of [true, false]) {
      const read = await callTool(shop, 'read_record', { record_id: OLD, expected_price: EXPECTED }, shop.spender);
      expect(JSON.stringify(read.structuredContent)).toContain(`${SECRET} content 1`);
      const { purchase, left } = read.structuredContent as { purchase?: object; left?: object };
      expect(purchase).toEqual({ charged: isCharged, price: PRICE, content_version: 1 });
      expect(left).toEqual({ ...PRICE, amount: BUDGET - PRICE.amount });
    }
    const fetched = await callTool(shop, 'fetch', { id: OLD }, shop.spender);
    expect(fetched.structuredContent).toMatchObject({ url: 'https://example.org/permits/001' });
    const found = await callTool(shop, 'search', { query: `"${SECRET} content"` }, shop.asker);
    expect(found.structuredContent).toMatchObject({ results: [{ id: OLD }] });
    expect(await charges()).toBe(1);
  });

  it('is told what it can do when its budget is used up', async () => {
    for (let index = 1; index <= 5; index++) {
      await callTool(
        shop,
        'read_record',
        { record_id: `permits:${keyAt(index)}`, expected_price: EXPECTED },
        shop.spender,
      );
    }
    const refused = await callTool(
      shop,
      'read_record',
      { record_id: 'permits:006', expected_price: EXPECTED },
      shop.spender,
    );
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent).toBeUndefined();
    expect(refused.content[0]!.text).toMatch(
      /You can spend 0\.00 EUR, which is too little: .* add credit at https:\/\/example\.org\/top-up/,
    );
    expect(refused.content[0]!.text).not.toContain(SECRET);
    expect(
      (await callTool(shop, 'read_record', { record_id: OLD, expected_price: EXPECTED }, shop.spender)).isError,
    ).toBe(false);
    expect(await charges()).toBe(5);
  });

  it('is not charged for a resource that its host reads', async () => {
    const { body } = await post(shop, rpc('resources/read', { uri: `gazette://records/${OLD}` }), {
      authorization: `Bearer ${shop.spender}`,
    });
    expect(body?.error?.message).toContain('costs 2.00 EUR');
    expect(await charges()).toBe(0);
  });
});

describe('an agent with another key', () => {
  it('buys only when it asks to, and once for a purchase_id', async () => {
    const refused = await callTool(shop, 'read_record', { record_id: OLD }, shop.asker);
    expect(refused.content[0]!.text).toContain('call again with expected_price "2.00 EUR" and a purchase_id to buy it');
    expect(await charges()).toBe(0);
    for (let time = 0; time < 2; time++) {
      const read = await callTool(
        shop,
        'read_record',
        { record_id: OLD, purchase_id: 'a-1', expected_price: EXPECTED },
        shop.asker,
      );
      expect(read.isError).toBe(false);
    }
    expect(await charges()).toBe(1);
  });

  it('has what it bought, also when its source changes it before the answer', async () => {
    const ledger = ledgerOf(shop.store);
    const buy = ledger.buy.bind(ledger);
    Object.assign(ledger, {
      buy: async (purchase: NewPurchase): Promise<Purchase> => {
        const bought = await buy(purchase);
        const changed = { ...statementAt(1, COUNT), title: 'Another title' };
        await shop.store.apply('permits', [changed], { recordedAt: at(9) });
        return bought;
      },
    });
    const read = await callTool(
      shop,
      'read_record',
      { record_id: OLD, purchase_id: 'a-1', expected_price: EXPECTED },
      shop.asker,
    );
    expect(read.structuredContent).toMatchObject({ record: { version: 1 }, purchase: { charged: true } });
    expect(JSON.stringify(read)).not.toContain('Another title');
  });

  it('is told that the record has changed since, and is charged nothing, when it repeats a purchase', async () => {
    const read = (purchaseId: string): ReturnType<typeof callTool> =>
      callTool(shop, 'read_record', { record_id: OLD, purchase_id: purchaseId, expected_price: EXPECTED }, shop.asker);
    expect((await read('a-1')).isError).toBe(false);
    const changed = { ...statementAt(1, COUNT), title: 'Another title' };
    await shop.store.apply('permits', [changed], { recordedAt: at(9) });
    const repeated = await read('a-1');
    expect(repeated.isError).toBe(true);
    expect(repeated.content[0]!.text).toMatch(/bought content version 1 of permits:001, which has changed since/);
    expect(JSON.stringify(repeated)).not.toContain(SECRET);
    expect(await charges()).toBe(1);
    expect(JSON.stringify(await read('a-2'))).toContain('Another title');
    expect(await charges()).toBe(2);
  });
});

describe('the tools of a service that sells', () => {
  it('show prices to everybody, and say that a call can cost something', async () => {
    const listed = await callTool(shop, 'list_registers', {}, null);
    expect(listed.structuredContent).toMatchObject({
      registers: [{ feed_id: 'notices' }, { feed_id: 'permits', price: PRICE }],
    });
    const { body } = await post(shop, rpc('tools/list'));
    const { tools } = body!.result as { tools: { name: string; inputSchema: object; outputSchema: object }[] };
    for (const name of ['read_record', 'fetch']) {
      const tool = tools.find((one) => one.name === name)!;
      expect(JSON.stringify(tool.inputSchema)).toContain('the same when you retry');
      expect(tool.outputSchema).toMatchObject({
        type: 'object',
        anyOf: [{}, { required: ['x402Version', 'accepts'] }],
      });
    }
    const older = await callTool(shop, 'read_record', { record_id: OLD }, null);
    expect(older.content[0]!.text).toContain('costs 2.00 EUR');
    expect(JSON.stringify(older)).not.toContain(SECRET);
  });
});
