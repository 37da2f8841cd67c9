// A service with more registers than a page has: every surface is answered from pages of them, bounded, and none loads them all.
import { describe, expect, it } from 'vitest';
import { BASE_URL, world } from '../world.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { callTool, post, rpc } from '../mcp/agent.ts';
import { SERVED } from '../../src/wings/served.ts';

const isSelling = SERVED.some(({ name }) => name === 'selling');

/** As the service's two own registers, `notices` and `permits`, sort after them. */
const MANY = 1205;
const idOf = (number: number): string => `feed-${String(number).padStart(4, '0')}`;

/** Refuses to load all registers. */
class ManyRegisters extends DelegatingStore {
  override registers(): never {
    throw new Error('all registers were loaded at once');
  }
}

const store = new ManyRegisters();
for (let number = 0; number < MANY; number++) {
  const sold = number === 700 ? { prices: { currency: 'EUR', per_record: 5 } } : {};
  const open = number === 1150 ? { access: 'open' as const } : {};
  await store.createRegister({ ...permits(idOf(number)), uuid: null, ...sold, ...open });
}
const service = await world({ store, records: 12 });
await store.apply(idOf(1150), [say('1', {}, idOf(1150))], { recordedAt: at(900) });

const textOf = async (path: string, status = 200): Promise<string> => {
  const response = await service.fetch(new Request(`${BASE_URL}${path}`, { headers: { accept: 'text/html, */*' } }));
  expect([path, response.status]).toEqual([path, status]);
  return response.text();
};
const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found]) => found!);

describe('pages for people', () => {
  it('list fifty registers, those that changed last first, and lead to the others', async () => {
    const seen: string[] = [];
    let path = '/';
    for (let page = 0; page < 3; page++) {
      const html = await textOf(path);
      expect(html.length).toBeLessThan(60_000);
      seen.push(...new Set(all(html, /href="\/feeds\/([^"]+)"/g)));
      expect(html.includes('rel="prev"')).toBe(page > 0);
      [path = ''] = all(html, /rel="next" href="([^"]+)"/g);
      expect(path).toBe(`/?offset=${(page + 1) * 50}`);
    }
    expect(seen).toHaveLength(150);
    expect(new Set(seen).size).toBe(150);
    expect(seen.slice(0, 4)).toEqual([idOf(1150), 'permits', idOf(0), idOf(1)]);
    expect(await textOf(`/?offset=${MANY - 5}`)).not.toContain('rel="next"');
    await textOf('/?offset=5000', 404);
    await textOf('/?offset=-1', 400);
  });

  it('search those that changed last, and offer fifty in the guide', async () => {
    expect(await textOf('/?q=permit')).toContain('/records/permits:012');
    const guide = await textOf(`/guide?register=${idOf(900)}`);
    expect(all(guide, /<option value="([^"]+)"/g)).toHaveLength(51);
    expect(guide).toMatch(/<option value="feed-0900"[^>]* selected>/);
  });
});

describe('lists for programs', () => {
  it('name a thousand registers each, and the list after them', async () => {
    const first = await textOf('/opml');
    const [next = ''] = all(first, /type="include"[^>]* url="https:\/\/registers\.example\.org([^"]+)"/g);
    expect(next).toBe('/opml?offset=1000');
    const second = await textOf(next);
    expect(second).not.toContain('type="include"');
    const ids = [first, second].flatMap((text) => all(text, /htmlUrl="[^"]*\/feeds\/([^"]+)"/g));
    expect(ids).toHaveLength(MANY + 2);
    expect(new Set(ids).size).toBe(MANY + 2);
  });

  it('for portals are parts of one catalogue', async () => {
    const [first, second] = [await textOf('/catalog.jsonld'), await textOf('/catalog.jsonld?offset=1000')];
    expect(all(first, /"hydra:next":"https:\/\/registers\.example\.org([^"]+)"/g)).toEqual([
      '/catalog.jsonld?offset=1000',
    ]);
    expect(second).not.toContain('"hydra:next":"');
    const ids = [first, second].flatMap((text) => all(text, /"@id":"[^"]*\/feeds\/([^"/]+)#dataset"/g));
    expect(ids).toHaveLength(MANY + 2);
    expect(new Set(ids).size).toBe(MANY + 2);
  });

  it('of pages are sitemaps that robots find, each of a hundred registers', async () => {
    const indexes = all(await textOf('/robots.txt'), /^Sitemap: https:\/\/registers\.example\.org(.+)$/gm);
    expect(indexes).toEqual(['/sitemap.xml', '/sitemaps/index-2.xml']);
    const maps: string[] = [];
    for (const index of indexes) maps.push(...all(await textOf(index), /<loc>https:\/\/[^/]+([^<]+)<\/loc>/g));
    expect(maps).toHaveLength(14);
    expect(maps).toContain(`/sitemaps/${idOf(1150)}.1.xml`);
    const pages: string[] = [];
    for (const map of maps) pages.push(...all(await textOf(map), /<loc>https:\/\/[^/]+([^<]+)<\/loc>/g));
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages.filter((page) => page.startsWith('/feeds/'))).toHaveLength(MANY + 2);
    expect(pages).toEqual(expect.arrayContaining(['/', '/guide', `/records/${idOf(1150)}:1`, '/records/permits:012']));
    for (const wrong of ['index-1', 'index-3', 'pages-1', 'pages-14', 'pages-0', 'index-02']) {
      await textOf(`/sitemaps/${wrong}.xml`, 404);
    }
  });

  it.runIf(isSelling)('describe what is sold, wherever it is', async () => {
    const document = await textOf('/api/v1/openapi.json');
    expect(document).toContain(`"prices":[{"feed_id":"${idOf(700)}","amount":5,"currency":"EUR"}]`);
    expect(await textOf('/api/v1')).toContain('openapi');
  });
});

describe('agents', () => {
  const result = async (method: string, params: object): Promise<Record<string, unknown>> =>
    (await post(service, rpc(method, params))).body!.result!;

  it('are told of some registers by schemas, and of what is sold', async () => {
    const text = JSON.stringify(await result('tools/list', {}));
    expect(text.length).toBeLessThan(40_000);
    expect(text.includes('purchase_id')).toBe(isSelling);
    await result('resources/templates/list', {});
  });

  it('walk through all resources and all of list_registers', async () => {
    const uris: string[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page = await result('resources/list', { cursor });
      uris.push(...(page.resources as { uri: string }[]).map(({ uri }) => uri));
      cursor = page.nextCursor as string | undefined;
      more = cursor !== undefined;
    }
    expect(new Set(uris).size).toBe(MANY + 2);
    const ids: string[] = [];
    for (let offset: number | null = 0; offset !== null;) {
      const { structuredContent: page } = await callTool(service, 'list_registers', { offset, limit: 100 });
      expect(page!.total).toBe(MANY + 2);
      ids.push(...(page!.registers as { feed_id: string }[]).map(({ feed_id: id }) => id));
      offset = page!.next_offset as number | null;
    }
    expect(new Set(ids).size).toBe(MANY + 2);
    expect(ids).toHaveLength(MANY + 2);
    expect((await post(service, rpc('resources/list', { cursor: '5000' }))).body!.error!.code).toBe(-32602);
  });

  it('search those that changed last, and are told how many were not searched', async () => {
    const { structuredContent: found } = await callTool(service, 'search', { query: 'permit' });
    expect((found!.results as { id: string }[])[0]!.id).toMatch(/^(?:permits|feed-1150):/);
    expect(found!.not_searched).toHaveLength(50);
    expect(found!.note).toContain('1,107 registers more were not searched');
  });

  it('find a record by its register and key, and complete the ids of registers', async () => {
    const read = await callTool(service, 'read_record', { record_id: ' PERMITS:012' });
    expect(read.structuredContent).toMatchObject({ record: { id: 'permits:012' } });
    const complete = async (value: string): Promise<unknown> =>
      (
        await result('completion/complete', {
          ref: { type: 'ref/resource', uri: 'gazette://registers/{feed_id}' },
          argument: { name: 'feed_id', value },
        })
      ).completion;
    expect(await complete('Per')).toEqual({ values: ['permits'], total: 1, hasMore: false });
    expect(await complete('feed-07')).toMatchObject({ hasMore: false, total: 100 });
    expect(await complete('feed')).toMatchObject({ hasMore: true });
    expect(await complete('')).toMatchObject({ hasMore: true });
  });
});
