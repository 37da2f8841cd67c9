// Budgets of keys over HTTP and on the pages: what is described is enforced, what is left is shown, and nothing of it is there
// where nothing is sold.
import { beforeEach, expect, it } from 'vitest';
import type { ApiKeyEntry } from '../../../src/stores/contract/accounts.ts';
import { type World, world, keyAt } from '../../world.ts';
import { BUYER, openShop, type Shop, signedIn } from './shop.ts';
import { ledgerOf } from './ledger-of.ts';

let shop: Shop;
beforeEach(async () => {
  shop = await openShop({ records: 12 });
});

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(
  key: string,
  method: string,
  path: string,
  body: object,
  fetch: World['fetch'] = shop.fetch,
): Promise<Answer> {
  const response = await fetch(
    new Request(`https://registers.example.org/api/v1/account/keys${path}`, {
      ...{ method, body: JSON.stringify(body) },
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    }),
  );
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

it('openapi.json describes the bounds of a budget, and each is enforced', async () => {
  const { components } = (await (await shop.get('/openapi.json')).json()) as {
    readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> };
  };
  const whole = { type: ['integer', 'null'], minimum: 1 };
  for (const name of ['NewKey', 'KeyChange']) {
    for (const member of ['budget', 'per_day'] as const) {
      const { properties } = components.schemas[name]!;
      expect(properties).toMatchObject({ [member]: whole });
    }
  }
  const { body } = await send(shop.asker, 'POST', '', { budget: 1, per_day: 1 });
  expect(body).toMatchObject({ budget: { amount: 1, per_day: 1, spent: 0 } });
  for (const wish of [{ budget: 0 }, { budget: 1.5 }, { budget: '5' }, { budget: 1e17 }, { budget: 5, per_day: 0 }]) {
    for (const [method, path] of [
      ['POST', ''],
      ['PATCH', `/${String(body.id)}`],
    ] as const) {
      const refused = await send(shop.asker, method, path, wish);
      expect([wish, refused.status, refused.body.code]).toEqual([wish, 400, 'invalid_body']);
    }
  }
});

it('a program with a budget gives keys a part of its own, and no more', async () => {
  const { body: agent } = await send(shop.asker, 'POST', '', { scopes: ['read', 'account'], budget: 500 });
  const key = String(agent.key);
  for (const wish of [{}, { budget: 501 }]) {
    const refused = await send(key, 'POST', '', wish);
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
  }
  expect((await send(key, 'POST', '', { budget: 300 })).body).toMatchObject({ budget: { amount: 300 } });
  expect((await send(key, 'POST', '', { budget: 201 })).status).toBe(403);
  expect((await send(key, 'PATCH', `/${String(agent.id)}`, { budget: 500 })).status).toBe(403);
  expect((await send(key, 'PATCH', `/${String(agent.id)}`, { budget: 200, per_day: 50 })).status).toBe(200);
});

it('an owner sees what is left of a budget, altogether and today, in her language', async () => {
  const own = await signedIn(shop);
  await own.submit(await own.open('https://registers.example.org/account/keys'), 'new-key', {
    ...{ name: 'agent', budget: '10', per_day: '2.50' },
  });
  const newest = async (): Promise<ApiKeyEntry> => (await shop.store.accounts.keys(BUYER))[0]!;
  const { id } = await newest();
  const item = (await ledgerOf(shop.store).items([`permits:${keyAt(1)}`])).values().next().value!;
  await ledgerOf(shop.store).buy({ accountId: BUYER, keyId: id, item, expected: null, idempotencyKey: null });
  // The day of a budget is the database's.
  shop.clock.now = Date.parse(`${(await newest()).budget!.day}T12:00:00Z`);
  const german = await signedIn(shop, BUYER, { language: 'de' });
  const { html } = await german.open(`https://registers.example.org/account/keys/${id}`);
  expect(html).toContain('noch 8,00 EUR von 10,00 EUR');
  expect(html).toContain('heute noch 0,50 EUR von 2,50 EUR');
});

it('an owner who changes something else of a key leaves its budget as it is by then', async () => {
  const { body: agent } = await send(shop.asker, 'POST', '', { scopes: ['read', 'account'], budget: 500, per_day: 50 });
  const own = await signedIn(shop);
  const address = `https://registers.example.org/account/keys/${String(agent.id)}`;
  const budget = async (): Promise<unknown> =>
    (await shop.store.accounts.keys(BUYER)).find(({ id }) => id === agent.id)!.budget;
  const page = await own.open(address);
  // The key gives a part of its budget away, and then all that is left.
  await send(String(agent.key), 'POST', '', { budget: 300, per_day: 20 });
  await own.submit(page, 'key', { name: 'one' });
  expect(await budget()).toMatchObject({ budget: 200, perDay: 30 });
  await send(String(agent.key), 'POST', '', { budget: 200, per_day: 30 });
  await own.submit(await own.open(address), 'key', { name: 'other' });
  expect(await budget()).toMatchObject({ budget: 0, perDay: 0 });
  await own.submit(await own.open(address), 'key', { budget: '7' });
  expect(await budget()).toMatchObject({ budget: 700, perDay: 0 });
  await own.submit(await own.open(address), 'key', { per_day: '' });
  expect(await budget()).toMatchObject({ budget: 700, perDay: null });
  await own.submit(await own.open(address), 'key', { budget: '' });
  expect(await budget()).toBeUndefined();
  const keys = await shop.store.accounts.keys(BUYER);
  expect(keys.find(({ id }) => id === agent.id)!.name).toBe('other');
});

it('there is no budget where nothing is sold, nor for an account without credit', async () => {
  const plain = await world({ records: 1 });
  for (const wish of [{ budget: 5 }, { per_day: 5 }, { budget: null }]) {
    const refused = await send(plain.key, 'POST', '', wish, plain.fetch);
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_body']);
    expect(String(refused.body.detail)).toContain('Unrecognized key');
  }
  const own = await signedIn(plain, plain.accountId);
  expect((await own.open('https://registers.example.org/account/keys')).html).not.toContain('udget');
});
