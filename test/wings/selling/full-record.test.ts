// `GET /records/{id}/full` and `POST /records/{id}/purchase`: who gets the record, who is told the price, and who is charged.
import { beforeEach, describe, expect, it } from 'vitest';
import { renumber } from '../../../src/operate/registers/renumber.ts';
import type { NewPurchase, Purchase } from '../../../src/wings/selling/stores/contract/ledger.ts';
import { API, keyAt, type ProblemBody, SECRET, statementAt } from '../../world.ts';
import { at } from '../../contracts/store-register.ts';
import { BUYER, BUYING, CREDIT, openShop, PRICE, type Shop } from './shop.ts';
import { ledgerOf } from './ledger-of.ts';

const COUNT = 12;
const OLD = `/records/permits:${keyAt(1)}/full`;
const LATEST = `/records/permits:${keyAt(COUNT)}/full`;
const BUY = OLD.replace('full', 'purchase');

let shop: Shop;
beforeEach(async () => {
  shop = await openShop({ records: COUNT });
});

const left = async (): Promise<number> => (await shop.store.accounts.account(BUYER))!.balance!.left;
const charges = async (): Promise<number> =>
  (await ledgerOf(shop.store).entries({ payer: BUYER, limit: 1000 })).filter(({ kind }) => kind === 'charge').length;

describe('a record that costs something', () => {
  it('is free for PRO, and for everybody while it is one of the latest', async () => {
    const pro = await shop.pro(OLD);
    expect(pro.status).toBe(200);
    expect(await pro.text()).toContain(SECRET);
    const open = await shop.get(LATEST);
    expect(open.status).toBe(200);
    expect(open.headers.get('cache-control')).toBe('public, max-age=60');
    for (const key of [shop.spender, shop.asker]) expect((await shop.get(LATEST, { key })).status).toBe(200);
    expect(await charges()).toBe(0);
  });

  it('says its price to everybody else, and nothing of its content', async () => {
    for (const ask of [{}, { key: shop.asker }]) {
      const response = await shop.get(OLD, ask);
      expect(response.status).toBe(402);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      const text = await response.text();
      expect(JSON.parse(text)).toMatchObject({ code: 'payment_required', price: PRICE });
      expect(text).toContain('2.00 EUR');
      expect(text).not.toContain(SECRET);
    }
    expect(await left()).toBe(CREDIT);
  });

  it('is bought by reading with a key that was made to spend, once', async () => {
    for (let time = 0; time < 3; time++) {
      const response = await shop.get(OLD, { key: shop.spender });
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('private, no-cache');
      expect(await response.text()).toContain(SECRET);
      expect(await left()).toBe(CREDIT - PRICE.amount);
    }
    // The account owns it: another key of it reads it, and nobody else does.
    expect((await shop.get(OLD, { key: shop.asker })).status).toBe(200);
    expect((await shop.get(OLD)).status).toBe(402);
  });

  it('is charged neither by HEAD nor by OPTIONS nor by a request that may be answered without it', async () => {
    const conditional = [
      { 'if-none-match': '*' },
      { 'if-none-match': '"x"' },
      { 'if-modified-since': 'Sat, 02 May 2026 08:00:00 GMT' },
      { 'if-match': '*' },
    ];
    expect((await shop.get(OLD, { key: shop.spender, method: 'HEAD' })).status).toBe(402);
    expect((await shop.get(OLD, { key: shop.spender, method: 'OPTIONS' })).status).toBe(204);
    for (const headers of conditional) {
      expect((await shop.get(OLD, { key: shop.spender, headers })).status).toBe(402);
    }
    expect(await left()).toBe(CREDIT);
    // Once it is bought, they are answered as ever.
    await shop.get(OLD, { key: shop.spender });
    const etag = (await shop.get(OLD, { key: shop.spender })).headers.get('etag')!;
    expect((await shop.get(OLD, { key: shop.spender, headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await shop.get(OLD, { key: shop.spender, method: 'HEAD' })).status).toBe(200);
    expect((await shop.get(OLD, { headers: { 'if-none-match': etag } })).status).toBe(402);
    expect(await charges()).toBe(1);
  });

  it('is bought on request with any other key, once for an Idempotency-Key and once for an item', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    expect((await shop.get(BUY, { ...BUYING })).status).toBe(401);
    const first = await shop.get(BUY, { key: shop.asker, ...BUYING, headers });
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({
      purchase: { charged: true, price: PRICE },
      record: { id: 'permits:001' },
    });
    const again = await shop.get(BUY, { key: shop.asker, ...BUYING, headers });
    expect(await again.json()).toMatchObject({ purchase: { price: PRICE }, record: { id: 'permits:001' } });
    expect(await charges()).toBe(1);
    const other = BUY.replace('001', '002');
    const reused = await shop.get(other, { key: shop.asker, ...BUYING, headers });
    expect(reused.status).toBe(422);
    expect(await charges()).toBe(1);
  });

  it('is given as it was bought to who repeats the purchase, whatever the record has become', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    const post = async (): Promise<unknown> => (await shop.get(BUY, { key: shop.asker, ...BUYING, headers })).json();
    const { record: bought } = (await post()) as { record: { title: string } };
    const changed = { ...statementAt(1, COUNT), title: 'Another title' };
    await shop.store.apply('permits', [changed], { recordedAt: at(9) });
    expect(await post()).toMatchObject({
      purchase: { content_version: 1, charged: false },
      record: { version: 1, title: bought.title },
    });
    expect(await charges()).toBe(1);
  });

  it('is refused with the reason when the budget is used up, and stays readable where it was bought', async () => {
    for (let index = 1; index <= 5; index++) {
      expect((await shop.get(`/records/permits:${keyAt(index)}/full`, { key: shop.spender })).status).toBe(200);
    }
    const refused = await shop.get(`/records/permits:${keyAt(6)}/full`, { key: shop.spender });
    expect(refused.status).toBe(402);
    expect(((await refused.json()) as ProblemBody).code).toBe('budget_exhausted');
    expect((await shop.get(OLD, { key: shop.spender })).status).toBe(200);
    expect(await charges()).toBe(5);
  });

  it('is given as it was bought when its source changes it before the answer', async () => {
    const ledger = ledgerOf(shop.store);
    const buy = ledger.buy.bind(ledger);
    let changes = 0;
    const changed = { ...statementAt(1, COUNT), title: 'Another title' };
    Object.assign(ledger, {
      buy: async (purchase: NewPurchase): Promise<Purchase> => {
        const bought = await buy(purchase);
        if (changes++ === 0) await shop.store.apply('permits', [changed], { recordedAt: at(61) });
        return bought;
      },
    });
    const first = await shop.get(OLD, { key: shop.spender });
    expect(first.status).toBe(200);
    const text = await first.text();
    expect(text).not.toContain('Another title');
    expect(JSON.parse(text)).toMatchObject({ version: 1 });
    const second = await shop.get(OLD, { key: shop.spender });
    expect(await second.text()).toContain('Another title');
    expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
    expect(await charges()).toBe(2);
  });

  it('is paid for again when its source changes, not when our reading of it is corrected, and gone when it is withdrawn', async () => {
    await shop.get(OLD, { key: shop.spender });
    const corrected = { ...statementAt(1, COUNT), content: 'read better' };
    await shop.store.apply('permits', [corrected], { recordedAt: at(61), cause: 'extraction_correction' });
    expect(await (await shop.get(OLD, { key: shop.asker })).text()).toContain('read better');
    const changed = { ...statementAt(1, COUNT), content: 'something new' };
    await shop.store.apply('permits', [changed], { recordedAt: at(62) });
    expect((await shop.get(OLD, { key: shop.asker })).status).toBe(402);
    expect((await shop.get(OLD, { key: shop.spender })).status).toBe(200);
    expect(await charges()).toBe(2);
    await shop.store.withdraw('permits', ['permits:001'], { recordedAt: at(63) });
    for (const key of [shop.spender, shop.asker]) expect((await shop.get(OLD, { key })).status).toBe(410);
    expect((await shop.get(OLD)).status).toBe(410);
    expect((await shop.get('/records/permits:999/full')).status).toBe(404);
    expect(await charges()).toBe(2);
  });

  it('stays bought when it gets another key, and the record that has its key now is not', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    await shop.get(BUY, { key: shop.spender, ...BUYING, headers });
    const rows = [
      { from: '001', to: '002', where: 'line 1' },
      { from: '002', to: 'X', where: 'line 2' },
      { from: '003', to: '001', where: 'line 3' },
    ];
    await renumber(shop.store, 'permits', { name: 'map.csv', rows }, { who: null, now: () => Date.parse(at(61)) });
    expect(await (await shop.get(OLD, { key: shop.asker })).json()).toMatchObject({ key: '002', version: 2 });
    const again = await shop.get(BUY, { key: shop.spender, ...BUYING, headers });
    expect(await again.json()).toMatchObject({ purchase: { charged: false }, record: { id: 'permits:001' } });
    for (const other of ['002', '003']) {
      expect((await shop.get(`/records/permits:${other}/full`, { key: shop.asker })).status).toBe(402);
    }
    const listed = async (query: string): Promise<unknown> => {
      const response = await shop.get(`/feeds/permits/records?${query}`, { key: shop.asker });
      const { records } = (await response.json()) as { records: readonly Readonly<Record<string, unknown>>[] };
      return records.map(({ id, key, preview }) => `${String(id)} ${String(key)} ${String(preview)}`);
    };
    expect(await listed('key=001')).toEqual(['permits:003 001 true']);
    expect(await listed('key=002')).toEqual(['permits:001 002 undefined']);
    expect(await listed('key=X')).toEqual(['permits:002 X true']);
    expect(await listed(`q=%22${SECRET}%20content%22`)).toEqual(['permits:001 002 undefined']);
    expect((await shop.get('/records/permits:X/full', { key: shop.asker })).headers.get('location')).toBe(
      `${API}/records/permits:002/full`,
    );
    expect(await charges()).toBe(1);
  });

  it('is charged once when it is asked for 64 times at once', async () => {
    const answers = await Promise.all(Array.from({ length: 64 }, () => shop.get(OLD, { key: shop.spender })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await charges()).toBe(1);
    expect(await left()).toBe(CREDIT - PRICE.amount);
  });

  it('lets pages of other sites send and read the fields of payments', async () => {
    const preflight = await shop.get(OLD, { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } });
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(
      /, PAYMENT-SIGNATURE, SIGN-IN-WITH-X, Gazette-Expected-Price$/,
    );
    const refused = await shop.get(OLD);
    expect(refused.headers.get('access-control-expose-headers')).toMatch(/, PAYMENT-REQUIRED, PAYMENT-RESPONSE$/);
  });
});

describe('a register that sells nothing any more', () => {
  const withoutPrices = async (): Promise<void> => {
    const { prices, ...definition } = (await shop.store.register('permits'))!.definition;
    expect(prices).toBeDefined();
    await shop.store.updateRegister(definition, { recordedAt: at(1) });
  };

  it('leaves what was bought open to its buyer, and to nobody else', async () => {
    const headers = { 'idempotency-key': 'order-1' };
    const purchase = { key: shop.asker, ...BUYING, headers };
    await shop.get(BUY, purchase);
    await withoutPrices();
    for (const key of [shop.spender, shop.asker, shop.key]) {
      const response = await shop.get(OLD, { key });
      expect(response.status).toBe(200);
      expect(await response.text()).toContain(SECRET);
    }
    expect(await (await shop.get(BUY, purchase)).json()).toMatchObject({
      purchase: { charged: false, price: PRICE },
      record: { id: 'permits:001' },
    });
    const other = OLD.replace('001', '002');
    for (const [path, ask, status, code] of [
      [OLD, {}, 401, 'credentials_required'],
      [other, {}, 401, 'credentials_required'],
      [other, { key: shop.spender }, 403, 'insufficient_scope'],
      [BUY.replace('001', '002'), { key: shop.asker, ...BUYING }, 403, 'insufficient_scope'],
    ] as const) {
      const problem = await shop.problem(path, ask);
      expect([problem.status, problem.code]).toEqual([status, code]);
      expect(JSON.stringify(problem)).not.toContain(SECRET);
    }
    expect(await charges()).toBe(1);
  });

  it('still shows the ledger, and says so in openapi.json', async () => {
    await shop.get(BUY, { key: shop.asker, ...BUYING });
    await withoutPrices();
    const entries = (await (await shop.get('/account/ledger', { key: shop.asker })).json()) as { entries: object[] };
    expect(entries.entries).toHaveLength(2);
    const { paths } = (await (await shop.get('/openapi.json')).json()) as { paths: object };
    for (const path of ['/records/{record_id}/full', '/account/ledger']) expect(Object.keys(paths)).toContain(path);
  });

  it('has no such addresses where nothing was ever bought', async () => {
    await withoutPrices();
    const problem = await shop.problem(OLD, { key: shop.key });
    expect([problem.status, problem.code]).toEqual([404, 'not_found']);
    const { paths } = (await (await shop.get('/openapi.json')).json()) as { paths: object };
    expect(Object.keys(paths)).not.toContain('/records/{record_id}/full');
  });
});

describe('a register without prices', () => {
  it('sells nothing: there is no such address', async () => {
    for (const path of ['/records/notices:1/full', '/records/nothing/full', '/records/notices:1/purchase']) {
      const problem = await shop.problem(path, { key: shop.key });
      expect([problem.status, problem.code]).toEqual([404, 'not_found']);
    }
  });
});

describe('a key whose account has credit alone', () => {
  it('opens its own account, and nothing else that is for PRO', async () => {
    expect((await shop.get('/account', { key: shop.asker })).status).toBe(200);
    for (const path of [
      '/feeds/permits/records/export.csv',
      '/records/permits:001/history',
      '/feeds/permits/changes',
    ]) {
      const problem = await shop.problem(path, { key: shop.asker });
      expect([problem.status, problem.code]).toEqual([403, 'insufficient_scope']);
    }
  });
});
