// What owners see of their money: over HTTP as JSON and CSV, each account its own alone.
import { beforeEach, expect, it } from 'vitest';
import { BASE_URL, world, keyAt } from '../../world.ts';
import { type OpenApi, OpenApiJudge } from '../../contracts/openapi-judge.ts';
import { BUYER, CREDIT, openShop, PRICE, type Shop } from './shop.ts';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop({ records: 12 });
  for (const index of [1, 2]) await shop.get(`/records/permits:${keyAt(index)}/full`, { key: shop.spender });
});

it('an account sees its credit and what it was spent on, newest first, in pages', async () => {
  const account = await (await shop.get('/account', { key: shop.asker })).json();
  const left = CREDIT - 2 * PRICE.amount;
  expect(account).toMatchObject({ balance: { currency: 'EUR', credit: CREDIT, charged: 2 * PRICE.amount, left } });
  const { keys } = (await (await shop.get('/account/keys', { key: shop.asker })).json()) as { keys: object[] };
  expect(keys).toContainEqual(expect.objectContaining({ budget: expect.objectContaining({ spent: 400 }) as object }));
  const page = async (query: string): Promise<{ entries: { number: number; kind: string; record_id: string }[] }> =>
    (await (await shop.get(`/account/ledger${query}`, { key: shop.asker })).json()) as never;
  const { entries } = await page('?limit=2');
  expect(entries.map(({ kind, record_id: id }) => [kind, id])).toEqual([
    ['charge', 'permits:002'],
    ['charge', 'permits:001'],
  ]);
  expect((await page(`?before=${entries[1]!.number}`)).entries).toMatchObject([
    { kind: 'credit', amount: CREDIT, payer: BUYER },
  ]);
});

it('it is a CSV too, and nobody else’s', async () => {
  const response = await shop.get('/account/ledger.csv', { key: shop.asker });
  expect(response.headers.get('cache-control')).toBe('private, no-store');
  const lines = (await response.text()).split('\r\n');
  expect(lines[0]).toMatch(/^number,kind,at,payer,amount,currency,record_id/);
  expect(lines).toHaveLength(5);
  const others = (await (await shop.pro('/account/ledger')).json()) as { entries: unknown[] };
  expect(others.entries).toEqual([]);
  const refusals: readonly (readonly [string | undefined, number])[] = [
    [undefined, 401],
    [shop.spender, 403],
  ];
  for (const [key, status] of refusals) {
    expect((await shop.get('/account/ledger', key === undefined ? {} : { key })).status).toBe(status);
  }
});

it('openapi.json describes it where something is sold, and there is no such address where nothing is', async () => {
  const judge = new OpenApiJudge((await (await shop.get('/openapi.json')).json()) as OpenApi);
  for (const path of ['/account', '/account/keys', '/account/ledger', '/account/ledger.csv']) {
    const response = await shop.get(path, { key: shop.asker });
    expect(await judge.complaints({ method: 'GET', url: `${BASE_URL}/api/v1${path}` }, response)).toEqual([]);
  }
  const plain = await world({ records: 1 });
  for (const path of ['/account/ledger', '/account/ledger.csv']) {
    expect((await plain.problem(path, { key: plain.key })).code).toBe('not_found');
  }
  expect(await (await plain.get('/openapi.json')).text()).not.toContain('/account/ledger');
});
