// Open registers (access: open): everybody sees what a key shows, caches may share it, and nothing else of the service opens.
import { describe, expect, it } from 'vitest';
import { type World, world, statementAt } from '../world.ts';
import { at, permits } from '../contracts/store-register.ts';

const COUNT = 25;
const OLD = `open:007`;
const PATHS = [
  '/feeds/open/records?limit=7&offset=3&as_of=24',
  '/feeds/open/records?document_type=draft',
  ...['csv', 'xlsx', 'xml', 'rss', 'atom'].map((format) => `/feeds/open/records/export.${format}?limit=5`),
  '/feeds/open/facets?field=document_type',
  '/feeds/open/changes?limit=3',
  `/records/${OLD}`,
  `/records/${OLD}/history`,
];

let service: World;
async function opened(): Promise<World> {
  service = await world({ records: COUNT });
  await service.store.createRegister({ ...permits('open'), access: 'open' });
  const records = Array.from({ length: COUNT }, (_, index) => statementAt(index + 1, COUNT, 'open'));
  await service.store.apply('open', records, { recordedAt: at(1) });
  return service;
}

/** An answer without what says who asked. */
async function shownAt(path: string, key?: string): Promise<readonly unknown[]> {
  const response = await service.get(path, key === undefined ? {} : { key });
  const { headers } = response;
  const said = ['content-type', 'content-disposition', 'link'].map((name) => headers.get(name));
  return [response.status, ...said, Buffer.from(await response.arrayBuffer()).toString('latin1')];
}

describe('an open register', () => {
  it.each(PATHS)('answers %s to everybody as to a key', async (path) => {
    await opened();
    const shown = await shownAt(path);
    expect(shown[0]).toBe(200);
    expect(shown).toEqual(await shownAt(path, service.key));
  });

  it('says in its list that it is open, and has its total', async () => {
    await opened();
    const body = await service.list('/feeds/open/records?limit=5');
    expect(body).toMatchObject({ tier: 'open', total: COUNT, as_of: COUNT, next_offset: 5 });
    expect(body).not.toHaveProperty('note');
    expect(await service.list('/feeds/open/facets')).toMatchObject({ tier: 'open' });
  });

  it.each(PATHS)('lets caches share %s, but no answer to a key, and answers each 304', async (path) => {
    await opened();
    const response = await service.get(path);
    expect(response.headers.get('cache-control')).toBe('public, max-age=60');
    expect(response.headers.get('x-request-id')).toBeNull();
    const etag = response.headers.get('etag')!;
    expect((await service.get(path, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await service.pro(path)).headers.get('cache-control')).toBe('private, no-cache');
  });

  it.each(PATHS)('refuses a bad key for %s', async (path) => {
    await opened();
    expect(await service.problem(path, { key: `gz_${'0'.repeat(32)}_000000` })).toMatchObject({ status: 401 });
  });

  it('opens nothing else of the service', async () => {
    await opened();
    for (const path of PATHS.filter((one) => !/records\?|facets|^\/records\/[^/]*$/.test(one))) {
      const other = path.replace('open', 'permits');
      expect([other, (await service.problem(other)).code]).toEqual([other, 'credentials_required']);
    }
    expect(await service.list('/feeds/permits/records')).toMatchObject({
      tier: 'public',
      next_offset: null,
      as_of: null,
    });
    expect((await service.get('/feeds/permits/records?as_of=5')).status).toBe(400);
    expect(await (await service.get('/records/permits:007')).json()).toMatchObject({ preview: true });
    for (const path of [
      '/feeds/none/changes',
      '/feeds/%00/changes',
      '/records/none:1/history',
      '/records/open/history',
    ]) {
      expect([path, (await service.problem(path)).code]).toEqual([path, 'credentials_required']);
    }
  });

  it('closes with its definition', async () => {
    await opened();
    expect((await service.get('/feeds/open/changes')).status).toBe(200);
    await service.store.updateRegister(permits('open'), { recordedAt: at(2) });
    expect((await service.get('/feeds/open/changes')).status).toBe(401);
    expect(await service.list('/feeds/open/records')).toMatchObject({ tier: 'public' });
    expect((await service.list('/feeds/open/records')).records).toHaveLength(3);
  });
});
