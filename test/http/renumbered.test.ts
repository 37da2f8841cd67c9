// Addresses that are made of the keys which records were given later lead to the records, for those who may see that there are any.
import { expect, it } from 'vitest';
import { renumber } from '../../src/operate/registers/renumber.ts';
import { at } from '../contracts/store-register.ts';
import { API, BASE_URL, NOW, world, type World } from '../world.ts';

const [OLD, LATEST] = ['2026-0001', '2026-0012'];
const recordOf = (key: string): string => `/records/permits:${key}`;

/** A register whose first and last records have the keys X/1 and X2 by now. */
async function renumbered(options: Parameters<typeof world>[0] = {}): Promise<World> {
  const opened = await world({ samples: 12, ...options });
  const rows = [
    { from: OLD, to: 'X/1', where: 'line 1' },
    { from: LATEST, to: 'X2', where: 'line 2' },
  ];
  await renumber(opened.store, 'permits', { name: 'map.csv', rows }, { who: null, now: () => NOW });
  return opened;
}

it.each([
  ['a record', '', recordOf(OLD)],
  ['a history', '/history?limit=2', `${recordOf(OLD)}/history?limit=2`],
])('%s is led to from the address of its new key', async (_, rest, path) => {
  const { pro, get } = await renumbered();
  const { status, headers } = await pro(`/records/permits:X~2F1${rest}`);
  expect([status, headers.get('location'), headers.get('cache-control')]).toEqual([308, API + path, 'max-age=60']);
  expect((await pro(path)).status).toBe(200);
  if (rest === '') expect((await get('/records/permits:X~2F1')).headers.get('location')).toBe(API + path);
});

it('its page is, too, and lists by its key have it', async () => {
  const { fetch, pro } = await renumbered();
  const request = new Request(`${BASE_URL}/records/permits:X2`, { headers: { accept: 'text/html' } });
  const { status, headers } = await fetch(request);
  expect([status, headers.get('location')]).toEqual([308, `${BASE_URL}${recordOf(LATEST)}`]);
  const listed = async (key: string): Promise<unknown> =>
    ((await (await pro(`/feeds/permits/records?key=${encodeURIComponent(key)}`)).json()) as { records: unknown })
      .records;
  expect(await listed('X/1')).toMatchObject([{ id: `permits:${OLD}`, key: 'X/1' }]);
  expect(await listed(OLD)).toEqual([]);
});

it('an id is itself, although its key is that of another record by now', async () => {
  const { pro, store } = await renumbered();
  const rows = [{ from: 'X2', to: OLD, where: 'line 1' }];
  await renumber(store, 'permits', { name: 'map.csv', rows }, { who: null, now: () => NOW });
  expect(await (await pro(recordOf(OLD))).json()).toMatchObject({ id: `permits:${OLD}`, key: 'X/1' });
  expect(await (await pro(recordOf(LATEST))).json()).toMatchObject({ id: `permits:${LATEST}`, key: OLD });
});

it('the public is not led to a withdrawn record, nor anybody to an erased one, and unknown addresses are counted', async () => {
  const previews = { limit: 4, windowSeconds: 60 };
  const { get, pro, store } = await renumbered({
    limits: { perKey: null, perAddress: null, previews, failures: null },
  });
  await store.withdraw('permits', [`permits:${OLD}`], { recordedAt: at(61) });
  expect((await get('/records/permits:X~2F1')).status).toBe(404);
  expect((await pro('/records/permits:X~2F1')).status).toBe(308);
  await store.redact(`permits:${OLD}`, { recordedAt: at(62) });
  expect((await pro('/records/permits:X~2F1')).status).toBe(404);
  expect((await get('/records/permits:X2')).status).toBe(308);
  expect((await get('/records/permits:X2')).status).toBe(429);
});

it('webhooks tell it as a change of the source, and a new record under a freed key has an address', async () => {
  const { pro, store } = await renumbered();
  const { versions } = await store.changes('permits', { since: 12, limit: 10 });
  expect(versions.map(({ cause, changed }) => [cause, changed])).toEqual([
    ['renumbered', ['key']],
    ['renumbered', ['key']],
  ]);
  const [found] = await store.recordKeys.find('permits', [{ id: `permits:${OLD}` }]);
  expect(found).toEqual({ id: `permits:${OLD}~~2`, key: OLD, state: null });
  expect((await pro(`/records/${found!.id}`)).status).toBe(404);
});
