// Previews are counted by address against a limit of their own, so that nobody reads or guesses a register through them.
import { describe, expect, it } from 'vitest';
import { at, permits, say } from '../contracts/store-register.ts';
import { openShop } from '../wings/selling/shop.ts';
import { keyAt, SAMPLES, world } from '../world.ts';

const LIMITS = {
  perKey: null,
  perAddress: { limit: 1000, windowSeconds: 60 },
  previews: { limit: 4, windowSeconds: 60 },
  failures: null,
};
const OLD = '/records/permits:2026-0001';
const OTHER = '/records/permits:2026-0002';
const LATEST = '/records/permits:2026-0120';

describe('the limit of previews', () => {
  it('counts each preview, those from the cache too, and neither a 304 nor the latest records', async () => {
    const { get } = await world({ samples: SAMPLES, limits: LIMITS });
    const etag = (await get(OLD)).headers.get('etag')!;
    for (const path of [OLD, OTHER, LATEST, OTHER, LATEST]) expect((await get(path)).status).toBe(200);
    const response = await get(OLD);
    expect(response.status).toBe(429);
    expect(response.headers.get('ratelimit-policy')).toBe('"previews";q=4;w=60');
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await response.json()).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringMatching(/^at most 4 previews in 60 seconds/) as string,
    });
    for (const path of [LATEST, '/feeds/permits/records', '/feeds']) expect((await get(path)).status).toBe(200);
    // A copy that is fresh is answered only to those who may ask: its 304 says that the record is there.
    expect((await get(OLD, { headers: { 'if-none-match': etag } })).status).toBe(429);
  });

  it('costs a reader with a fresh copy nothing', async () => {
    const { get } = await world({ samples: SAMPLES, limits: LIMITS });
    const etag = (await get(OLD)).headers.get('etag')!;
    for (let i = 0; i < 9; i++) expect((await get(OLD, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await get(OTHER)).status).toBe(200);
  });

  it('tells a buyer with a fresh copy of its requests, although fewer previews are left', async () => {
    const limits = { ...LIMITS, perKey: { limit: 1000, windowSeconds: 60 } };
    const shop = await openShop({ records: 12, limits });
    const old = `/records/permits:${keyAt(1)}`;
    const etag = (await shop.get(old, { key: shop.asker })).headers.get('etag')!;
    const { status, headers } = await shop.get(old, { key: shop.asker, headers: { 'if-none-match': etag } });
    expect([status, headers.get('ratelimit')?.slice(0, 11)]).toEqual([304, '"key";r=999']);
  });

  it.each(['/records/permits:9999', '/records/none:1', '/records/nothing'])('counts %s twice', async (path) => {
    const { get } = await world({ samples: SAMPLES, limits: LIMITS });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await get(path)).status);
    expect(statuses).toEqual([404, 404, 429, 429]);
  });

  it('does not count what is asked with a key', async () => {
    const { pro } = await world({ samples: SAMPLES, limits: LIMITS });
    for (let i = 0; i < 9; i++) expect((await pro(OLD)).status).toBe(200);
    expect((await pro('/records/permits:9999')).status).toBe(404);
  });

  it('does not count the records of an open register, whether they are there or not', async () => {
    const { get, store } = await world({ samples: SAMPLES, limits: LIMITS });
    await store.createRegister({ ...permits('open'), access: 'open' });
    const records = ['1', '2', '3', '4', '5'].map((key) => say(key, {}, 'open'));
    await store.apply('open', records, { recordedAt: at(0) });
    for (let i = 0; i < 9; i++) expect((await get('/records/open:1')).status).toBe(200);
    for (let i = 0; i < 9; i++) expect((await get('/records/open:9')).status).toBe(404);
  });

  it('does not hold where there are no limits', async () => {
    const { get } = await world({ samples: SAMPLES, limits: { ...LIMITS, previews: null } });
    for (let i = 0; i < 70; i++) expect((await get(OLD)).status).toBe(200);
  });
});
