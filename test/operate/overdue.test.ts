// Registers that wait for a file longer than they say, and who says so.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { overdueOf, timeSpan } from '../../src/operate/registers/overdue.ts';
import { NO_COUNTS } from '../../src/stores/contract/imports/counts.ts';
import { at, permits } from '../contracts/store-register.ts';
import { BASE_URL, world } from '../world.ts';

const HOUR = 3_600_000;
const CREATED = '2026-01-01T00:00:00Z';
const BEGUN = Date.parse(CREATED);

it.each([
  ['7d', 7 * 24, null],
  ['7d', 7 * 24 + 1, 'last taken in 7 days ago, expected every 7 days'],
  ['1w', 12 * 24, 'last taken in 12 days ago, expected every 7 days'],
  ['1d', 26, 'last taken in 26 hours ago, expected every 24 hours'],
  ['36h', 49, 'last taken in 2 days ago, expected every 36 hours'],
  ['1h', 2, 'last taken in 2 hours ago, expected every 1 hour'],
])('expected every %s, and %i hours ago: %s', (every, hours, words) => {
  const late = overdueOf({ every, created_at: '2020-01-01T00:00:00Z' }, CREATED, BEGUN + hours * HOUR);
  expect(late?.words ?? null).toBe(words);
});

it('counts from the time when the register was made where no file came', () => {
  const late = overdueOf({ every: '7d', created_at: CREATED }, null, BEGUN + 8 * 24 * HOUR);
  expect(late?.words).toBe('nothing taken in for 8 days, expected every 7 days');
});

it('counts in hours up to two days', () => {
  expect(timeSpan(48 * HOUR - 1)).toEqual({ count: 47, unit: 'hour' });
  expect(timeSpan(48 * HOUR)).toEqual({ count: 2, unit: 'day' });
});

it('is a figure, of registers that are overdue alone', async () => {
  const { metrics, store, clock } = await world({ records: 1 });
  const figures = async (): Promise<string[]> =>
    (await metrics.registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('gazette_register_overdue_seconds'));
  await store.updateRegister({ ...permits(), every: '1h' }, { recordedAt: at(1) });
  const { number } = await store.imports.begin(
    'permits',
    { file: 'a.csv', cause: 'source_change', who: null, begunAt: at(1) },
    { key: randomBytes(32) },
  );
  await store.imports.end(number, {
    counts: NO_COUNTS,
    endedAt: new Date(clock.now).toISOString(),
    error: null,
    digest: null,
  });
  expect(await figures()).toEqual([]);
  clock.now += HOUR + 60_000;
  expect(await figures()).toEqual(['gazette_register_overdue_seconds{register="permits"} 60']);
});

it('stands on the page of the register, to cached readers too, until a file is taken in', async () => {
  const { fetch, store, clock } = await world({ records: 5 });
  const read = async (etag = '', language = 'en'): Promise<readonly [number, string, string]> => {
    const headers = { accept: 'text/html', 'accept-language': language, ...(etag && { 'if-none-match': etag }) };
    const answer = await fetch(new Request(`${BASE_URL}/feeds/permits`, { headers }));
    const facts = /<ul class="facts row">(.*?)<\/ul>/s.exec(await answer.text())?.[1] ?? '';
    return [answer.status, facts.replace(/<[^>]*>/g, '').replace(/\s+/g, ' '), answer.headers.get('etag')!];
  };
  const taken = async (): Promise<void> => {
    const begun = { file: 'a.csv', cause: 'source_change', who: null, begunAt: at(1) } as const;
    const { number } = await store.imports.begin('permits', begun, { key: randomBytes(32) });
    const end = { counts: NO_COUNTS, error: null, digest: null };
    await store.imports.end(number, { ...end, endedAt: new Date(clock.now).toISOString() });
  };
  await store.updateRegister({ ...permits(), every: '7d' }, { recordedAt: at(1) });
  await taken();
  const [, first, etag] = await read();
  expect(first).not.toContain('overdue');
  const begun = clock.now;
  clock.now += 7 * 24 * HOUR;
  expect((await read(etag))[0]).toBe(304);
  clock.now += HOUR;
  const when = new Date(begun).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  const [status, late, lateTag] = await read(etag);
  expect([status, late]).toEqual([
    200,
    expect.stringContaining(`last file taken in ${when}, overdue: expected every 7 days`),
  ]);
  expect((await read('', 'de'))[1]).toContain('überfällig: erwartet alle 7 Tage');
  expect((await read(lateTag))[0]).toBe(304);
  await taken();
  clock.now += 60_000;
  expect((await read(lateTag)).slice(0, 2)).toEqual([200, first]);
});
