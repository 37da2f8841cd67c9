// Prices are free to read, for everybody and on every surface; and where nothing is sold, nothing says so.
import { describe, expect, it } from 'vitest';
import { BASE_URL, world, SECRET } from '../../world.ts';
import { type OpenApi, OpenApiJudge } from '../../contracts/openapi-judge.ts';
import { post, rpc } from '../../mcp/agent.ts';
import { openShop, PRICE } from './shop.ts';

const COUNT = 12;
const BUY_URL = `${BASE_URL}/api/v1/records/permits:001/full`;

const shop = await openShop({ records: COUNT });
const plain = await world({ records: COUNT });

describe('what records cost', () => {
  it('is said by the register, by previews and by openapi.json, without a key and without a byte of what it buys', async () => {
    const texts: string[] = [];
    for (const path of [
      '/feeds',
      '/feeds/permits',
      '/records/permits:001',
      '/records/permits:001/full',
      '/openapi.json',
    ]) {
      texts.push(await (await shop.get(path)).text());
    }
    const [feeds, feed, preview, refusal, description] = texts.map(
      (text) => JSON.parse(text) as Record<string, unknown>,
    );
    const offers = [{ what: 'record', price: PRICE, buy_url: BUY_URL.replace('permits:001', '{record_id}') }];
    expect(feed).toMatchObject({ offers });
    expect(feeds).toMatchObject({ feeds: [{ feed_id: 'notices' }, { feed_id: 'permits', offers }] });
    expect(preview).toMatchObject({ preview: true, price: PRICE, buy_url: BUY_URL });
    expect(refusal).toMatchObject({ price: PRICE, buy_url: BUY_URL });
    expect(description!.paths).toMatchObject({
      '/records/{record_id}/full': { get: { 'x-payment-info': { prices: [{ feed_id: 'permits', ...PRICE }] } } },
    });
    for (const text of texts) expect(text).not.toContain(SECRET);
    // The latest records are whole for everybody: nothing is sold of them. A register without prices has none.
    expect(await (await shop.get('/records/permits:012')).json()).not.toHaveProperty('price');
    expect(await (await shop.get('/feeds/notices')).json()).not.toHaveProperty('offers');
  });

  it('is in answers that openapi.json describes', async () => {
    const judge = new OpenApiJudge((await (await shop.get('/openapi.json')).json()) as OpenApi);
    const asked: readonly [string, string, string | undefined][] = [
      ['GET', '/feeds/permits', undefined],
      ['GET', '/records/permits:001', undefined],
      ['GET', '/records/permits:001/full', undefined],
      ['GET', '/records/permits:001/full', shop.spender],
      ['GET', '/records/permits:012/full', undefined],
      ['GET', '/feeds/permits/records', shop.asker],
      ['GET', '/feeds/permits/facets', shop.asker],
      ['POST', '/records/permits:002/purchase', shop.asker],
      ['POST', '/records/permits:003/purchase', undefined],
      ['GET', '/records/permits:999/full', undefined],
    ];
    for (const [method, path, key] of asked) {
      const response = await shop.get(path, { method, ...(key === undefined ? {} : { key }) });
      expect(await judge.complaints({ method, url: `${BASE_URL}/api/v1${path}` }, response)).toEqual([]);
    }
  });
});

describe('a service without prices', () => {
  /** What only a service says that sells something. */
  const SELLING = /price|offers|buy|purchas|payment|x402|\b402\b|ledger|budget|credit(?!entials)|receipt/i;

  it('says nothing of buying in any document, tool or header', async () => {
    const paths = ['', '/feeds', '/feeds/permits', '/feeds/permits/records', '/feeds/permits/facets', '/openapi.json'];
    for (const path of [...paths, '/records/permits:001', '/records/permits:001/full', '/records/permits:012']) {
      for (const key of [undefined, plain.key]) {
        const response = await plain.get(path, key === undefined ? {} : { key });
        const said = `${JSON.stringify([...response.headers])}\n${await response.text()}`.replaceAll('/full"', '');
        expect([path, SELLING.exec(said)?.[0]]).toEqual([path, undefined]);
      }
    }
    for (const message of [rpc('initialize'), rpc('tools/list'), rpc('tools/call', { name: 'list_registers' })]) {
      expect(SELLING.exec((await post(plain, message)).text)?.[0]).toBeUndefined();
    }
    // Every model reads the list before it asks anything, whether the service sells or not.
    for (const service of [plain, shop]) {
      expect(Buffer.byteLength((await post(service, rpc('tools/list'))).text)).toBeLessThanOrEqual(24_000);
    }
  });

  it('has none of the addresses', async () => {
    for (const [method, path] of [
      ['GET', '/records/permits:001/full'],
      ['POST', '/records/permits:001/purchase'],
      ['OPTIONS', '/records/permits:001/full'],
    ] as const) {
      const response = await plain.get(path, { method, key: plain.key });
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([404, 'not_found']);
    }
  });
});
