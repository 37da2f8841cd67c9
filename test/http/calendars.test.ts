// The dates of a register as calendars: who may have them, which records they have, and where they are named.
import { describe, expect, it } from 'vitest';
import { SAMPLE_DEFINITION, sampleRecord } from '../contracts/sample-register.ts';
import { at } from '../contracts/store-register.ts';
import { addSamples, API, BASE_URL, type World, world } from '../world.ts';

const PATH = '/feeds/permits/calendar/valid_from.ics';

async function openService(samples = 5): Promise<World> {
  const service = await world({ samples });
  await service.store.updateRegister({ ...SAMPLE_DEFINITION, access: 'open' }, { recordedAt: at(0) });
  return service;
}

/** The events of a calendar: position of the record, number of changes, state. */
async function eventsOf({ get }: World, path = PATH): Promise<readonly string[]> {
  const lines = (await (await get(path)).text()).replaceAll('\r\n ', '').split('\r\n');
  const valuesOf = (name: string): string[] =>
    lines.filter((line) => line.startsWith(`${name}:`)).map((line) => line.slice(name.length + 1));
  const [ids, sequences, states] = [valuesOf('UID'), valuesOf('SEQUENCE'), valuesOf('STATUS')];
  return ids.map((id, index) => `${Number(id.slice(-4))} ${sequences[index]} ${states[index]}`);
}

const idOf = (position: number): string => sampleRecord(position).id;

describe('a calendar', () => {
  it('has the records of an open register, newest first, and those that were withdrawn as cancelled', async () => {
    const service = await openService();
    const { store, get } = service;
    const response = await get(PATH);
    expect([response.status, response.headers.get('content-type'), response.headers.get('cache-control')]).toEqual([
      200,
      'text/calendar; charset=utf-8',
      'public, max-age=60',
    ]);
    expect(response.headers.get('content-disposition')).toBe('inline; filename="permits-valid_from.ics"');
    expect(await eventsOf(service)).toEqual([5, 4, 3, 2, 1].map((position) => `${position} 0 CONFIRMED`));
    await addSamples(store, 4, 4, at(1), { title: 'changed' });
    await store.withdraw('permits', [idOf(1), idOf(2), idOf(5)], { recordedAt: at(2) });
    await addSamples(store, 2, 2, at(3));
    await store.redact(idOf(1), { recordedAt: at(4) });
    expect(await eventsOf(service)).toEqual(['5 1 CANCELLED', '4 1 CONFIRMED', '3 0 CONFIRMED', '2 2 CONFIRMED']);
  });

  it('has the newest thousand, and looks a thousand changes back for those that were withdrawn', async () => {
    const service = await openService(1005);
    const { store } = service;
    await store.withdraw('permits', [idOf(1000)], { recordedAt: at(1) });
    const events = await eventsOf(service);
    expect(events).toHaveLength(833);
    expect(events[4]).toBe('1000 1 CANCELLED');
    expect(events.at(-1)).toBe('7 0 CONFIRMED');
    await addSamples(store, 1, 999, at(2), { title: 'changed' });
    expect(await eventsOf(service)).toContain('1000 1 CANCELLED');
    await addSamples(store, 1001, 1001, at(3), { title: 'changed' });
    expect(await eventsOf(service)).not.toContain('1000 1 CANCELLED');
  });

  it('is not sent again while nothing changed', async () => {
    const { get, store } = await openService();
    const etag = (await get(PATH)).headers.get('etag')!;
    const ask = { headers: { 'if-none-match': etag } };
    expect((await get(PATH, ask)).status).toBe(304);
    await addSamples(store, 6, 6, at(5));
    expect((await get(PATH, ask)).status).toBe(200);
    const head = await get(PATH, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('is for those with a key alone where the register is not open', async () => {
    const { get, pro } = await world({ samples: 5 });
    expect([(await get(PATH)).status, (await pro(PATH)).status]).toEqual([401, 200]);
  });

  it.each([
    ['/feeds/permits/calendar/title.ics', 404, 'not_found'],
    ['/feeds/permits/calendar/pages.ics', 404, 'not_found'],
    ['/feeds/none/calendar/valid_from.ics', 404, 'unknown_feed'],
    ['/feeds/permits/calendar/valid_from.ics?limit=5', 400, 'unknown_parameter'],
  ])('refuses %s with %i %s', async (path, status, code) => {
    const { pro } = await openService();
    const response = await pro(path);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code]);
  });

  it('is named by the register and its page, where it is open', async () => {
    const { get, store } = await openService();
    const published_at = `${API}/feeds/permits/calendar/published_at.ics`;
    const calendars = { published_at, valid_from: API + PATH, heard_at: `${API}/feeds/permits/calendar/heard_at.ics` };
    expect(await (await get('/feeds/permits')).json()).toMatchObject({ links: { calendars } });
    const page = async (): Promise<string> => {
      const response = await get(`${BASE_URL}/feeds/permits`, { headers: { accept: 'text/html' } });
      return response.text();
    };
    expect(await page()).toContain(`href="${API}${PATH}"`);
    await store.updateRegister(SAMPLE_DEFINITION, { recordedAt: at(0) });
    expect(await page()).not.toContain('/calendar/');
    expect(await (await get('/feeds/permits')).json()).not.toHaveProperty('links.calendars');
  });
});
