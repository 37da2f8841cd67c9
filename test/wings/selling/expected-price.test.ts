// What a buyer agreed to pay bounds what is charged, on every way to buy: in the body of a purchase, on a GET of a key that was
// made to spend, in a call of an agent, in the form of a page.
import { beforeEach, describe, expect, it } from 'vitest';
import { BASE_URL, keyAt, type ProblemBody, SECRET } from '../../world.ts';
import { at } from '../../contracts/store-register.ts';
import { callTool } from '../../mcp/agent.ts';
import { BUYER, CREDIT, openShop, type Shop, signedIn } from './shop.ts';
import { ledgerOf } from './ledger-of.ts';

const OLD = `permits:${keyAt(1)}`;
const FULL = `/records/${OLD}/full`;
const BUY = `/records/${OLD}/purchase`;

let shop: Shop;
beforeEach(async () => {
  shop = await openShop({ records: 12 });
});

const left = async (): Promise<number> => (await shop.store.accounts.account(BUYER))!.balance!.left;

async function setPrice(cents: number, currency = 'EUR'): Promise<void> {
  const { definition } = (await shop.store.register('permits'))!;
  const recordedAt = at(0);
  await shop.store.updateRegister({ ...definition, prices: { currency, per_record: cents } }, { recordedAt });
}

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const response = await shop.fetch(
    new Request(`${BASE_URL}/api/v1${BUY}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.asker}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

describe('POST /records/{id}/purchase', () => {
  it('is refused without the price that is expected, and with a member that there is not', async () => {
    for (const [body, status, code] of [
      ['', 400, 'expected_price_required'],
      [{}, 400, 'expected_price_required'],
      [{ max_price: '2.00 EUR' }, 400, 'invalid_body'],
      [{ expected_price: '2.00 EUR', max_price: '2.00 EUR' }, 400, 'invalid_body'],
      [{ expected_price: 200 }, 400, 'invalid_body'],
      [{ expected_price: '2.00' }, 400, 'invalid_body'],
      [{ expected_price: '2.001 EUR' }, 400, 'invalid_body'],
      ['{', 400, 'invalid_body'],
      [[], 400, 'invalid_body'],
    ] as const) {
      const refused = await post(body);
      expect([body, refused.status, refused.body.code]).toEqual([body, status, code]);
    }
    expect((await post({ expected_price: '2.00 EUR' }, { 'content-type': 'text/plain' })).status).toBe(415);
    expect(await left()).toBe(CREDIT);
  });

  it('charges no more than that, and says what the price is', async () => {
    await setPrice(1500);
    const refused = await post({ expected_price: '2.00 EUR' });
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'price_changed', price: { amount: 1500, currency: 'EUR' }, buy_url: `${BASE_URL}/api/v1${FULL}` },
    });
    expect(JSON.stringify(refused)).not.toContain(SECRET);
    expect((await post({ expected_price: '15.00 USD' })).body.code).toBe('price_changed');
    expect(await left()).toBe(CREDIT);
    await setPrice(150);
    expect((await post({ expected_price: '2 EUR' })).body).toMatchObject({ purchase: { price: { amount: 150 } } });
    expect(await left()).toBe(CREDIT - 150);
  });

  it('is charged what the register names when it is charged, not what was read before', async () => {
    const ledger = ledgerOf(shop.store);
    const buy = ledger.buy.bind(ledger);
    Object.assign(ledger, {
      buy: async (purchase: Parameters<typeof buy>[0]) => {
        await setPrice(1500);
        return buy(purchase);
      },
    });
    expect((await post({ expected_price: '2.00 EUR' })).status).toBe(409);
    expect(await left()).toBe(CREDIT);
  });
});

describe('GET /records/{id}/full', () => {
  const get = async (headers: Readonly<Record<string, string>> = {}, key = shop.spender): Promise<Response> =>
    shop.get(FULL, { key, headers });

  it('is bounded by Gazette-Expected-Price', async () => {
    await setPrice(1500);
    const refused = await get({ 'gazette-expected-price': '2.00 EUR' });
    expect(refused.status).toBe(409);
    expect((await refused.json()) as ProblemBody).toMatchObject({ code: 'price_changed', price: { amount: 1500 } });
    for (const wrong of ['2', '2.00', 'EUR 2.00', '2.00 eur', '']) {
      const malformed = await get({ 'gazette-expected-price': wrong });
      expect([wrong, malformed.status]).toEqual([wrong, 400]);
    }
    expect(await left()).toBe(CREDIT);
    await setPrice(200);
    expect((await get({ 'gazette-expected-price': '2.00 EUR' })).status).toBe(200);
    expect(await left()).toBe(CREDIT - 200);
  });

  it('may be sent with it by pages of other sites', async () => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
    const allowed = await shop.get(FULL, { method: 'OPTIONS', headers });
    expect(allowed.headers.get('access-control-allow-headers')).toContain('Gazette-Expected-Price');
  });

  it('is bounded by the key, whose bound no key made by it exceeds', async () => {
    const keys = `${BASE_URL}/api/v1/account/keys`;
    const make = async (by: string, body: object): Promise<Answer> => {
      const headers = { authorization: `Bearer ${by}`, 'content-type': 'application/json' };
      const response = await shop.fetch(new Request(keys, { method: 'POST', headers, body: JSON.stringify(body) }));
      return { status: response.status, body: (await response.json()) as Answer['body'] };
    };
    const scopes = ['read', 'account'];
    const made = await make(shop.asker, { scopes, budget: 2000, max_price: '2.50 EUR' });
    expect(made.body).toMatchObject({ budget: { amount: 2000, max_price: '2.50 EUR' } });
    const key = String(made.body.key);
    await setPrice(251);
    expect((await get({}, key)).status).toBe(409);
    expect((await get({ 'gazette-expected-price': '9.00 EUR' }, key)).status).toBe(409);
    await setPrice(250);
    expect((await get({ 'gazette-expected-price': '2.49 EUR' }, key)).status).toBe(409);
    expect(await left()).toBe(CREDIT);
    for (const max_price of [null, '2.51 EUR', '2.50 USD']) {
      const refused = await make(key, { budget: 10, max_price });
      expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_scope']);
    }
    expect((await make(key, { budget: 10 })).body).toMatchObject({ budget: { max_price: '2.50 EUR' } });
    expect((await make(key, { budget: 10, max_price: '1.00 EUR' })).body).toMatchObject({
      budget: { max_price: '1.00 EUR' },
    });
    for (const body of [
      { budget: 10, max_price: '2' },
      { max_price: '1.00 EUR' },
      { budget: null, max_price: '1.00 EUR' },
    ]) {
      const refused = await make(shop.asker, body);
      expect([body, refused.status, refused.body.code]).toEqual([body, 400, 'invalid_body']);
    }
    expect((await get({}, key)).status).toBe(200);
    expect(await left()).toBe(CREDIT - 250);
  });
});

describe('an agent', () => {
  it('is told which price to expect, and buys for no more', async () => {
    const read = (given: object, key = shop.spender): ReturnType<typeof callTool> =>
      callTool(shop, 'read_record', { record_id: OLD, ...given }, key);
    for (const key of [shop.spender, shop.asker]) {
      const refused = await read({ purchase_id: 'a-1' }, key);
      expect(refused.isError).toBe(true);
      expect(refused.content[0]!.text).toContain('call again with expected_price "2.00 EUR"');
    }
    expect((await read({ expected_price: '2' })).content[0]!.text).toContain('a price such as 2.00 EUR');
    await setPrice(400);
    const changed = await read({ expected_price: '2.00 EUR' });
    expect(changed.isError).toBe(true);
    expect(changed.content[0]!.text).toContain('the record costs 4.00 EUR');
    expect(JSON.stringify(changed)).not.toContain(SECRET);
    expect(await left()).toBe(CREDIT);
    expect(await read({ expected_price: '4.00 EUR' })).toMatchObject({ isError: false });
    expect(await left()).toBe(CREDIT - 400);
  });
});

describe('an owner', () => {
  it('buys for no more than the page showed', async () => {
    const own = await signedIn(shop);
    const page = await own.open(`${BASE_URL}/records/${OLD}`);
    await setPrice(1500);
    expect((await own.submit(page, 'buy')).html).not.toContain(SECRET);
    expect(await left()).toBe(CREDIT);
    await setPrice(200);
    expect((await own.submit(page, 'buy')).html).toContain(SECRET);
    expect(await left()).toBe(CREDIT - 200);
  });

  it('bounds what a key pays for one record, and sees it', async () => {
    const own = await signedIn(shop);
    await own.submit(await own.open(`${BASE_URL}/account/keys`), 'new-key', {
      ...{ name: 'agent', budget: '10', max_price: '2.50' },
    });
    const [entry] = await shop.store.accounts.keys(BUYER);
    expect(entry!.budget).toMatchObject({ budget: 1000, maxPrice: { amount: 250, currency: 'EUR' } });
    const address = `${BASE_URL}/account/keys/${entry!.id}`;
    const page = await own.open(address);
    expect(page.html).toContain('at most 2.50 EUR for a record');
    await own.submit(page, 'key', { name: 'other' });
    expect((await shop.store.accounts.keys(BUYER))[0]!.budget).toMatchObject({ maxPrice: { amount: 250 } });
    await own.submit(page, 'key', { max_price: '' });
    expect((await shop.store.accounts.keys(BUYER))[0]!.budget).toMatchObject({ budget: 1000, maxPrice: null });
  });
});
