// Validators, caching and compression of the service (RFC 9110 sections 8.8, 12.5.3, 13; http.md).
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { RegisterSource } from '../../src/register/sources/source.ts';
import { at } from '../contracts/store-register.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { addSamples, SAMPLES, world } from '../world.ts';

/** For all that only ask. */
const { get, pro } = await world({ samples: SAMPLES });

const PATHS = [
  '/feeds',
  '/feeds/permits',
  '/feeds/permits/register.xsd',
  '/feeds/permits/records',
  '/feeds/permits/records/export.csv',
  '/feeds/permits/records/export.xlsx',
  '/feeds/permits/records/export.atom',
  '/feeds/permits/changes',
  '/records/permits:2026-0001',
  '/records/permits:2026-0001/history',
  '/openapi.json',
  '/reference',
];

/** A store that counts how often records are read from it. */
class CountingStore extends DelegatingStore {
  reads = 0;

  override async source(feedId: string): Promise<RegisterSource> {
    const source = await super.source(feedId);
    return {
      ...source,
      page: (query) => {
        this.reads++;
        return source.page(query);
      },
    };
  }

  override record(...given: Parameters<DelegatingStore['record']>): ReturnType<DelegatingStore['record']> {
    this.reads++;
    return super.record(...given);
  }

  override history(...given: Parameters<DelegatingStore['history']>): ReturnType<DelegatingStore['history']> {
    this.reads++;
    return super.history(...given);
  }

  override changes(...given: Parameters<DelegatingStore['changes']>): ReturnType<DelegatingStore['changes']> {
    this.reads++;
    return super.changes(...given);
  }
}

describe('a conditional request', () => {
  it.each(PATHS)('to %s is answered 304 under its own tag, and whole once the register has changed', async (path) => {
    const { pro, store } = await world({ samples: SAMPLES });
    const first = await pro(path);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const again = await pro(path, { headers: { 'if-none-match': `"other", W/${etag}` } });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
    for (const name of ['cache-control', 'vary', 'x-request-id']) expect(again.headers.get(name)).toBeTruthy();
    expect((await pro(path, { headers: { 'if-match': '"other"' } })).status).toBe(412);
    expect((await pro(path, { headers: { 'if-match': etag } })).status).toBe(200);
    await addSamples(store, SAMPLES + 1, SAMPLES + 1, at(30));
    // The examples of openapi.json are the latest record.
    expect((await pro(path, { headers: { 'if-none-match': etag } })).status).toBe(path === '/reference' ? 304 : 200);
  });

  it('reads no record to answer 304', async () => {
    const store = new CountingStore();
    const { pro, get } = await world({ samples: SAMPLES, store, cacheBytes: 0 });
    for (const path of PATHS) {
      for (const ask of [pro, get]) {
        const etag = (await ask(path)).headers.get('etag');
        if (etag === null) continue;
        const before = store.reads;
        expect((await ask(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
        expect([path, store.reads]).toEqual([path, before]);
      }
    }
    expect(store.reads).toBeGreaterThan(0);
  });

  it('reads no record again for a page that was asked for before, until the register has changed', async () => {
    const store = new CountingStore();
    const { pro } = await world({ samples: SAMPLES, store });
    const path = '/feeds/permits/records/export.csv?limit=10';
    const first = await (await pro(path)).text();
    const before = store.reads;
    expect(await (await pro(path)).text()).toBe(first);
    expect(store.reads).toBe(before);
    await addSamples(store, SAMPLES + 1, SAMPLES + 1, at(30));
    expect(await (await pro(path)).text()).not.toBe(first);
  });

  it('never gives one tier the tag of another', async () => {
    for (const path of PATHS) {
      const tags = [(await pro(path)).headers.get('etag'), (await get(path)).headers.get('etag')];
      if (tags[1] !== null) expect([path, new Set(tags).size]).toEqual([path, 2]);
    }
  });

  it('is refused for its key before its conditions are looked at', async () => {
    const { pro, accounts } = await world({ samples: SAMPLES });
    const etag = (await pro('/feeds/permits/records')).headers.get('etag')!;
    await accounts.revokeKey('acme', null);
    const response = await pro('/feeds/permits/records', { headers: { 'if-none-match': etag } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  it('has a date only once it can tell one change from the next, and then goes by it', async () => {
    const { pro, store, clock } = await world({ samples: SAMPLES });
    const path = '/feeds/permits/records';
    await addSamples(store, SAMPLES + 1, SAMPLES + 1, '2026-05-01T01:00:01Z');
    clock.now += 3000;
    expect((await pro(path)).headers.get('last-modified')).toBeNull();
    clock.now += 1000;
    const date = (await pro(path)).headers.get('last-modified')!;
    expect(date).toBe('Fri, 01 May 2026 01:00:01 GMT');
    expect((await pro(path, { headers: { 'if-modified-since': date } })).status).toBe(304);
    expect((await pro(path, { headers: { 'if-modified-since': date, 'if-none-match': '"other"' } })).status).toBe(200);
    // By an importer whose clock is behind.
    await addSamples(store, SAMPLES + 2, SAMPLES + 2, '2026-05-01T00:59:00Z');
    expect((await pro(path, { headers: { 'if-modified-since': date } })).status).toBe(200);
    clock.now += 1000;
    expect((await pro(path)).headers.get('last-modified')).toBe('Fri, 01 May 2026 01:00:02 GMT');
  });

  it('goes by the date of a register that last changed before the service was started', async () => {
    const { pro, clock } = await world({ samples: SAMPLES });
    clock.now += 10_000;
    const date = (await pro('/feeds/permits/records')).headers.get('last-modified')!;
    expect(Date.parse(date)).toBeGreaterThan(Date.parse(at(0)));
    expect((await pro('/feeds/permits/records', { headers: { 'if-modified-since': date } })).status).toBe(304);
  });

  it('does not go by a date that the client made', async () => {
    const { pro, store, clock } = await world({ samples: SAMPLES });
    await addSamples(store, SAMPLES + 1, SAMPLES + 1, '2026-05-01T01:00:01Z');
    clock.now += 60_000;
    const made = 'Fri, 01 May 2026 01:00:30 GMT';
    expect((await pro('/feeds/permits/records', { headers: { 'if-modified-since': made } })).status).toBe(200);
  });

  it('of the list of registers has no date, because a register may go', async () => {
    const { get, clock } = await world({ samples: SAMPLES });
    clock.now += 10_000;
    expect((await get('/feeds')).headers.get('last-modified')).toBeNull();
  });

  it('is answered under another address with another tag: links stand in the body', async () => {
    const tags = await Promise.all(
      ['https://a.example', 'https://b.example'].map(async (origin) =>
        (await get(`${origin}/api/v1/feeds/permits`)).headers.get('etag'),
      ),
    );
    expect(tags[0]).not.toBe(tags[1]);
  });

  it('that was overtaken by a change has the tag of the bytes it got', async () => {
    const store = new (class extends DelegatingStore {
      override async source(feedId: string): Promise<RegisterSource> {
        const source = await super.source(feedId);
        return {
          ...source,
          page: async (query) => {
            const page = await source.page(query);
            if (isWrittenTo) await addSamples(this, SAMPLES + 1, SAMPLES + 1, at(30));
            return page;
          },
        };
      }
    })();
    let isWrittenTo = false;
    const { pro } = await world({ samples: SAMPLES, store });
    const path = '/feeds/permits/records?limit=1';
    const before = await pro(path);
    await addSamples(store, 1, 1, at(30));
    isWrittenTo = true;
    const overtaken = await pro('/feeds/permits/records?limit=2');
    isWrittenTo = false;
    const after = await pro('/feeds/permits/records?limit=2', {
      headers: { 'if-none-match': overtaken.headers.get('etag')! },
    });
    expect(before.status).toBe(200);
    expect(after.status).toBe(200);
    expect(await after.text()).not.toBe(await overtaken.text());
  });
});

describe('HEAD', () => {
  it.each(PATHS)('of %s has the head of GET', async (path) => {
    const { pro } = await world({ samples: SAMPLES, createRequestId: () => 'request' });
    const [whole, head] = [await pro(path), await pro(path, { method: 'HEAD' })];
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(whole.headers));
    expect(await head.text()).toBe('');
    expect(whole.headers.get('content-length')).toBe(String((await whole.arrayBuffer()).byteLength));
  });
});

describe('a content coding', () => {
  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('%s has its own length and tag, and the same bytes inside', async (coding, decode) => {
    const path = '/feeds/permits/records/export.csv';
    const plain = await pro(path);
    const text = await plain.text();
    const coded = await pro(path, { headers: { 'accept-encoding': coding } });
    const body = Buffer.from(await coded.arrayBuffer());
    expect(coded.headers.get('content-encoding')).toBe(coding);
    expect(coded.headers.get('content-length')).toBe(String(body.length));
    expect(decode(body).toString()).toBe(text);
    const etag = coded.headers.get('etag')!;
    expect(etag).not.toBe(plain.headers.get('etag'));
    expect((await pro(path, { headers: { 'accept-encoding': coding, 'if-none-match': etag } })).status).toBe(304);
    // Who asks for the bytes as they are must not be told that a copy in a coding is what it wants.
    expect((await pro(path, { headers: { 'if-none-match': etag } })).status).toBe(200);
    const proxied = plain.headers.get('etag')!.replace(/"$/, '-gzip"');
    expect((await pro(path, { headers: { 'if-none-match': proxied } })).status).toBe(304);
  });

  it('is never put on a workbook, nor on an error', async () => {
    const headers = { 'accept-encoding': 'gzip, br, zstd' };
    for (const path of ['/feeds/permits/records/export.xlsx', '/nothing']) {
      const response = await pro(path, { headers });
      expect([path, response.headers.get('content-encoding')]).toEqual([path, null]);
      expect(response.headers.get('vary')).toBe('Authorization, Accept-Encoding, Host');
    }
  });
});

describe('caches', () => {
  it('may keep what the public sees for a minute, and of the rest nothing unasked', async () => {
    for (const path of ['/feeds', '/feeds/permits/records', '/records/permits:2026-0001', '/openapi.json']) {
      expect((await get(path)).headers.get('cache-control')).toBe('public, max-age=60');
      expect((await pro(path)).headers.get('cache-control')).toBe('private, no-cache');
    }
    expect((await get('/nothing')).headers.get('cache-control')).toBe('no-store');
  });
});
