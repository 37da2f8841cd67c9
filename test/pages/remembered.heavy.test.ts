// What a service remembers between pages never shows: each page is what a service that has just started writes for the same request.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createGazette, type Gazette } from '../../src/service/create-gazette.ts';
import { BASE_URL, PRODUCT, statementAt } from '../world.ts';
import { at } from '../contracts/store-register.ts';
import { tries } from '../effort.ts';
import { BUYER, openShop, PRICE, type Shop, signedIn } from '../wings/selling/shop.ts';
import { ledgerOf } from '../wings/selling/ledger-of.ts';

const COUNT = 60;

let shop: Shop;
let [owner, reader] = ['', ''];
beforeEach(async () => {
  shop = await openShop({ records: COUNT });
  const { definition } = (await shop.store.register('notices'))!;
  await shop.store.updateRegister({ ...definition, access: 'open' }, { recordedAt: at(0) });
  await shop.store.apply(
    'notices',
    [1, 2, 3].map((index) => statementAt(index, 3, 'notices')),
    { recordedAt: at(0) },
  );
  owner = (await signedIn(shop)).cookie;
  reader = (await signedIn(shop, shop.accountId)).cookie;
});

const start = (): Gazette =>
  createGazette({
    ...{ store: shop.store, product: PRODUCT, limits: null, cacheBytes: 0, now: () => shop.clock.now },
    createRequestId: () => 'request',
  });

/** Who asks, where, in which language, and for which list. */
const REQUEST = fc.record({
  site: fc.constantFrom(BASE_URL, `${BASE_URL}/open`, 'https://other.example'),
  who: fc.constantFrom('public', 'owner', 'reader', 'key', 'asker', 'spender'),
  language: fc.constantFrom('en', 'de'),
  feed: fc.constantFrom('permits', 'notices'),
  query: fc.constantFrom(
    ...['', '?offset=20', '?offset=40', '?offset=500', '?limit=5', '?lang=de', '?lang=en&offset=20', '?q=decision'],
    ...['?q=%22', '?document_type=draft', '?document_type=draft&offset=20', '?document_type=nothing'],
  ),
});

type Asked = typeof REQUEST extends fc.Arbitrary<infer Value> ? Value : never;

function requestOf({ site, who, language, feed, query }: Asked): Request {
  const cookie = new Map([
    ['owner', owner],
    ['reader', reader],
  ]).get(who);
  const key = new Map([
    ['key', shop.key],
    ['asker', shop.asker],
    ['spender', shop.spender],
  ]).get(who);
  return new Request(`${site}/feeds/${feed}${query}`, {
    headers: {
      ...{ accept: 'text/html', 'accept-language': language },
      ...(cookie === undefined ? {} : { cookie }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
  });
}

async function pageOf({ fetch }: Gazette, asked: Asked): Promise<readonly unknown[]> {
  const response = await fetch(requestOf(asked));
  expect(response.status).toBe(200);
  return [response.headers.get('link'), await response.text()];
}

/** What happens between pages. */
const EVENT = fc.constantFrom(null, null, null, 'record', 'price', 'title', 'bought', 'credit');

async function happen(event: string | null, number: number): Promise<void> {
  const { store } = shop;
  const { definition } = (await store.register('permits'))!;
  const recordedAt = at(2);
  if (event === 'record') {
    await store.apply('permits', [statementAt(COUNT + number, COUNT + number)], { recordedAt });
  } else if (event === 'price') {
    const priced = { ...definition, prices: { currency: 'EUR', per_record: number } };
    const { prices, ...unsold } = priced;
    await store.updateRegister(prices.per_record % 2 === 0 ? priced : unsold, { recordedAt });
  } else if (event === 'title') {
    await store.updateRegister({ ...definition, title: `Permits, part ${number}` }, { recordedAt });
  } else if (event === 'credit') {
    const price = { amount: number, currency: PRICE.currency };
    await ledgerOf(store).grantCredit({ accountId: BUYER, price, reference: null, reason: null });
  } else if (event === 'bought') {
    const id = `permits:${String(1 + (number % COUNT)).padStart(3, '0')}`;
    await shop.get(`/records/${id}/full`, { key: shop.spender });
  }
  while ((await store.finding!.incomplete()).includes('permits')) await store.finding!.build('permits');
}

describe('pages of registers', () => {
  it('are those of a service that has just started, whatever was asked before', async () => {
    let number = 0;
    const kept = start();
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(EVENT, REQUEST), { minLength: 8, maxLength: 16 }), async (history) => {
          for (const [event, asked] of history) {
            await happen(event, ++number);
            const fresh = start();
            expect(await pageOf(kept, asked)).toEqual(await pageOf(fresh, asked));
            await fresh.close();
          }
        }),
        { numRuns: tries(10) },
      );
    } finally {
      await kept.close();
    }
  });
});
