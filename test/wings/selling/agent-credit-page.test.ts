// An agent whose money is not enough has its user open a page, where the client can (elicitation, mode `url`): the page asks for
// sign-in, and shows the account of the key to its owner alone.
import { beforeEach, expect, it } from 'vitest';
import { BASE_URL } from '../../world.ts';
import { at } from '../../contracts/store-register.ts';
import { modern, MODERN_META, post, type RpcBody, rpc } from '../../mcp/agent.ts';
import { Browser } from '../../pages/account/browser.ts';
import { BUYER, openShop, type Shop, signedIn } from './shop.ts';
import { ledgerOf } from './ledger-of.ts';

const PAGE = `${BASE_URL}/account/credit/${BUYER}`;
const DECLARED = { elicitation: { url: {} } };

let shop: Shop;
beforeEach(async () => {
  shop = await openShop({
    records: 12,
    budget: 100,
    keysUrl: 'https://example.org/top-up',
  });
});

/** Reads a record that costs more than the key may spend. */
async function read(capabilities: object, more: object = {}): Promise<NonNullable<RpcBody['result']>> {
  const [body, headers] = modern('tools/call', {
    name: 'read_record',
    arguments: { record_id: 'permits:001', expected_price: '2.00 EUR' },
    ...more,
  });
  const _meta = { ...MODERN_META, 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const { params } = body as { readonly params: object };
  const sent = { ...body, params: { ...params, _meta } };
  return (await post(shop, sent, { ...headers, authorization: `Bearer ${shop.spender}` })).body!.result!;
}

it('a client that opens pages is sent to that of the account, and told why', async () => {
  const asked = await read(DECLARED);
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { credit: { method: 'elicitation/create', params: { mode: 'url', url: PAGE } } },
  });
  expect(asked).not.toHaveProperty('content');
  expect(JSON.stringify(asked)).toContain('You can spend 1.00 EUR, which is too little');
  // Whoever comes back from the page is told what happened, and is not sent there again.
  const after = await read(DECLARED, { inputResponses: { credit: { action: 'accept' } } });
  expect(after).toMatchObject({ resultType: 'complete', isError: true });
  const { id } = (await shop.store.accounts.keys(BUYER)).find(({ budget }) => budget !== undefined)!;
  await shop.store.accounts.updateKey({ id, accountId: BUYER, product: 'registers' }, { budget: { budget: 1000 } });
  expect(await read(DECLARED)).toMatchObject({ resultType: 'complete', isError: false });
});

it('no other client is', async () => {
  for (const capabilities of [{}, { elicitation: {} }, { elicitation: { form: {} } }, { elicitation: true }]) {
    expect(await read(capabilities)).toMatchObject({ resultType: 'complete', isError: true });
  }
  // Without a session nobody knows what a client of the handshake era can do.
  const call = rpc('tools/call', {
    ...{ name: 'read_record', arguments: { record_id: 'permits:001' } },
    _meta: { 'io.modelcontextprotocol/clientCapabilities': DECLARED },
  });
  const { body } = await post(shop, call, { authorization: `Bearer ${shop.spender}` });
  expect(body!.result).toMatchObject({ isError: true });
  expect(body!.result).not.toHaveProperty('resultType');
});

it('the page asks for sign-in, and shows an account to its owner alone', async () => {
  const stranger = await new Browser((request) => shop.fetch(request)).open(PAGE);
  expect(stranger.url).toBe(`${BASE_URL}/sign-in`);
  const own = await (await signedIn(shop)).open(PAGE);
  expect(own.html).toContain('50.00 EUR');
  expect(own.links).toEqual(expect.arrayContaining(['https://example.org/top-up', `${BASE_URL}/account/keys`]));
  expect(own.headers.get('cache-control')).toBe('private, no-store');
  const german = await (await signedIn(shop, BUYER, { language: 'de' })).open(PAGE);
  expect(german.html).toContain('50,00 EUR');
  await shop.store.accounts.createAccount({ id: 'other', accessUntil: null, createdAt: at(0) });
  const price = { amount: 1, currency: 'EUR' };
  await ledgerOf(shop.store).grantCredit({ accountId: 'other', price, reference: null, reason: null });
  const other = await (await signedIn(shop, 'other')).open(PAGE);
  expect([other.status, other.html.includes('EUR')]).toEqual([404, false]);
});

it('the list of tools says nothing of it', async () => {
  const [body, headers] = modern('tools/list');
  const { text } = await post(shop, body, headers);
  expect(text).not.toContain('elicitation');
  // A service that sells says of prices what it must, and no more.
  expect(text.length).toBeLessThan(23_500);
});
