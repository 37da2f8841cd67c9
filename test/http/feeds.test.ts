// `/feeds`: the registers in pages, as programs and the client read them.
import { describe, expect, it } from 'vitest';
import { feeds } from '../../src/client/feeds.ts';
import { SAMPLE_DEFINITION } from '../../src/testing/sample-register.ts';
import { API, SAMPLES, world } from '../world.ts';

const IDS = ['alpha', 'beta', 'gamma', 'permits', 'zeta'];

/** The demo with more registers, each changed at another time. */
async function withRegisters(): ReturnType<typeof world> {
  const demo = await world({ samples: SAMPLES });
  for (const [at, id] of ['zeta', 'beta', 'alpha', 'gamma'].entries()) {
    const definition = { ...SAMPLE_DEFINITION, id, uuid: null };
    await demo.store.createRegister(definition);
    const recordedAt = `2027-01-0${at + 1}T00:00:00Z`;
    await demo.store.updateRegister({ ...definition, title: `Register ${id}` }, { recordedAt });
  }
  return demo;
}

interface Listed {
  readonly feeds: readonly { readonly feed_id: string }[];
  readonly next_offset: number | null;
}

describe('/feeds', () => {
  it('leads from page to page', async () => {
    const { get } = await withRegisters();
    const found: string[][] = [];
    const links: (string | null)[] = [];
    for (let path: string | undefined = '/feeds?limit=2'; path !== undefined;) {
      const response = await get(path);
      const page = (await response.json()) as Listed;
      found.push(page.feeds.map(({ feed_id }) => feed_id));
      links.push(response.headers.get('link'));
      path = /<([^>]*)>; rel="next"/.exec(links.at(-1) ?? '')?.[1];
      expect(page.next_offset).toBe(path === undefined ? null : 2 * found.length);
    }
    expect(found).toEqual([['alpha', 'beta'], ['gamma', 'permits'], ['zeta']]);
    expect(links[0]).toBe(`<${API}/feeds?offset=2&limit=2>; rel="next"`);
  });

  it('lists those that changed since, also on the next page', async () => {
    const { get } = await withRegisters();
    const response = await get('/feeds?updated_since=2027-01-02&limit=1');
    expect(((await response.json()) as Listed).feeds.map(({ feed_id }) => feed_id)).toEqual(['alpha']);
    expect(response.headers.get('link')).toContain('updated_since=2027-01-02');
    const all = (await (await get('/feeds?updated_since=2027-01-02')).json()) as Listed;
    expect(all.feeds.map(({ feed_id }) => feed_id)).toEqual(['alpha', 'beta', 'gamma']);
  });

  it('answers 304 until a register of the page changes', async () => {
    const { get, store } = await withRegisters();
    const ask = async (path: string): Promise<string> => (await get(path)).headers.get('etag')!;
    const [first, second] = [await ask('/feeds?limit=2'), await ask('/feeds?limit=2&offset=2')];
    const { definition } = (await store.register('alpha'))!;
    await store.updateRegister({ ...definition, title: 'Another' }, { recordedAt: '2028-01-01T00:00:00Z' });
    expect((await get('/feeds?limit=2', { headers: { 'if-none-match': first } })).status).toBe(200);
    expect((await get('/feeds?limit=2&offset=2', { headers: { 'if-none-match': second } })).status).toBe(304);
  });

  it.each([
    ['limit', '0'],
    ['limit', '101'],
    ['limit', '1&limit=2'],
    ['offset', '-1'],
    ['offset', 'x'],
    ['updated_since', '2027-13-01'],
    ['updated_since', '2027-02-29'],
    ['updated_since', 'yesterday'],
    ['updated_since', ''],
    ['updated_since', '2027-01-01&updated_since=2027-01-02'],
  ])('refuses %s=%s by its name', async (name, value) => {
    const { get } = await world({ samples: SAMPLES });
    const response = await get(`/feeds?${name}=${value}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid_parameter', parameter: name });
  });
});

describe('feeds()', () => {
  const read = async (answer: (request: Request) => Response | Promise<Response>, options = {}): Promise<string[]> => {
    const fetch: typeof globalThis.fetch = async (input, init) => answer(new Request(input, init));
    const found = await Array.fromAsync(feeds(`${API}/feeds`, { fetch, attempts: 1, ...options }));
    return found.map(({ feed_id }) => feed_id);
  };

  it('gives every register once', async () => {
    const { fetch } = await withRegisters();
    const from = { remoteAddress: '203.0.113.7' };
    expect(await read((request) => fetch(request, from), { limit: 2 })).toEqual(IDS);
    expect(await read((request) => fetch(request, from), { updatedSince: '2027-01-03' })).toEqual(['alpha', 'gamma']);
  });

  it('gives a register once that one before it shifted to the next page', async () => {
    const { fetch, store } = await withRegisters();
    let asked = 0;
    const shifting = async (request: Request): Promise<Response> => {
      if (++asked === 2) await store.createRegister({ ...SAMPLE_DEFINITION, id: 'aaa', uuid: null });
      return fetch(request, { remoteAddress: '203.0.113.7' });
    };
    expect(await read(shifting, { limit: 2 })).toEqual(IDS);
  });

  it.each([1, 2, 3, 4])('leaves no register out where others are removed meanwhile, in pages of %i', async (limit) => {
    for (let removed = 1; removed <= IDS.length; removed++) {
      const { fetch, store } = await withRegisters();
      let asked = 0;
      const shifting = async (request: Request): Promise<Response> => {
        if (++asked === 2) for (const id of IDS.slice(0, removed)) await store.removeRegister(id);
        return fetch(request, { remoteAddress: '203.0.113.7' });
      };
      const most = Math.max(limit, 2);
      const seen = IDS.slice(0, most);
      expect(await read(shifting, { limit })).toEqual([...seen, ...IDS.slice(Math.max(most, removed))]);
    }
  });

  it('reads a list on whose pages some registers are left out', async () => {
    const all = ['a', 'b', 'c', 'd', 'e', 'f'];
    const damaged = (request: Request): Response => {
      const offset = Number(new URL(request.url).searchParams.get('offset'));
      const shown = all.slice(offset, offset + 2).filter((id) => id !== 'b' && id !== 'd');
      const next = offset + 2 < all.length ? offset + 2 : null;
      return Response.json({ feeds: shown.map((id) => ({ feed_id: id })), next_offset: next });
    };
    expect(await read(damaged, { limit: 2 })).toEqual(['a', 'c', 'e', 'f']);
  });

  it.each([
    ['{"feeds": {}}'],
    ['{"feeds": [{"id": "permits"}]}'],
    ['{"feeds": [], "next_offset": 0}'],
    ['{"feeds": [], "next_offset": "2"}'],
    ['[]'],
  ])('refuses %s', async (body) => {
    await expect(read(() => Response.json(JSON.parse(body)))).rejects.toMatchObject({ code: 'invalid_answer' });
  });
});
