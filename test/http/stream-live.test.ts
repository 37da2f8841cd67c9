// Live answers of streams: long-polls and events, what wakes and what ends them, and what a thousand of them cost. Time stands still
// but for what a test lets pass.
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StreamMessage } from '../../src/register/record.ts';
import type { ChangesPage, ChangesRange, RegisterEntry } from '../../src/stores/contract/registers.ts';
import { DelegatingStore } from '../contracts/delegating-store.ts';
import { at, permits } from '../contracts/store-register.ts';
import { keyAt, NOW, statementAt, type World, world, type WorldOptions } from '../world.ts';

const COUNT = 5;
const STREAM = '/feeds/open/stream';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function opened(options: WorldOptions = {}): Promise<World> {
  const service = await world({ records: COUNT, ...options });
  await service.store.createRegister({ ...permits('open'), access: 'open' });
  const records = Array.from({ length: COUNT }, (_, index) => statementAt(index + 1, COUNT, 'open'));
  await service.store.apply('open', records, { recordedAt: at(1) });
  return service;
}

/** Lets time pass, and what it wakes do its work. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    await vi.advanceTimersByTimeAsync(Math.min(left, 100));
    for (let turns = 0; turns < 5; turns++) await turn();
  }
}

let changes = 0;
const add = ({ store }: World, feedId = 'open'): Promise<unknown> =>
  store.apply(feedId, [statementAt(500 + changes++, 9999, feedId)], { recordedAt: at(20) });

const offsetIn = (response: Response): string => response.headers.get('stream-next-offset')!;
const tailOf = async (service: World, feedId = 'open'): Promise<string> =>
  offsetIn(await service.pro(`/feeds/${feedId}/stream`, { method: 'HEAD' }));
const idsOf = (messages: readonly StreamMessage[]): readonly number[] => messages.map(({ change }) => change);

/** A promise, and what came of it so far. */
function watched<T>(promise: Promise<T>): { readonly promise: Promise<T>; value: T | undefined } {
  const state = { promise, value: undefined as T | undefined };
  void promise.then((value) => (state.value = value));
  return state;
}

const poll = (service: World, query: string, feedId = 'open', key?: string): ReturnType<typeof watched<Response>> =>
  watched(service.get(`/feeds/${feedId}/stream?live=long-poll&${query}`, key === undefined ? {} : { key }));

/** What an event stream sent. */
interface Control {
  readonly streamNextOffset: string;
  readonly streamCursor: string;
  readonly upToDate?: true;
}
interface Events {
  readonly answer: Response;
  text: string;
  isOver: boolean;
  readonly cancel: () => Promise<void>;
}

async function listen(service: World, query: string, feedId = 'open', key?: string): Promise<Events> {
  const answer = await service.get(`/feeds/${feedId}/stream?live=sse&${query}`, key === undefined ? {} : { key });
  const reader = answer.body!.getReader();
  const events: Events = { answer, text: '', isOver: false, cancel: () => reader.cancel() };
  void (async () => {
    for (let read = await reader.read(); read.value !== undefined; read = await reader.read()) {
      events.text += Buffer.from(read.value).toString();
    }
    events.isOver = true;
  })();
  await pass(100);
  return events;
}

const eventsIn = ({ text }: Events): readonly (readonly [string, unknown])[] =>
  [...text.matchAll(/^event: (\w+)\ndata: (.*)\n$/gm)].map(([, event, data]) => [event!, JSON.parse(data!) as unknown]);
const controlsIn = (events: Events): readonly Control[] =>
  eventsIn(events).flatMap(([event, data]) => (event === 'control' ? [data as Control] : []));
const messagesIn = (events: Events): readonly StreamMessage[] =>
  eventsIn(events).flatMap(([event, data]) => (event === 'data' ? (data as readonly StreamMessage[]) : []));

describe('a long-poll (5.7 of the protocol)', () => {
  it('answers at once where there is something already', async () => {
    const service = await opened();
    const answer = await service.get(`${STREAM}?live=long-poll&offset=-1`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('stream-cursor')).toMatch(/^\d+$/);
    expect(idsOf((await answer.json()) as readonly StreamMessage[])).toEqual([1, 2, 3, 4, 5]);
  });

  it.each(['the tail', 'now'])('waits at %s until something comes, and has that', async (where) => {
    const service = await opened();
    const offset = where === 'now' ? 'now' : await tailOf(service);
    const polled = poll(service, `offset=${offset}`);
    await pass(3000);
    expect(polled.value).toBeUndefined();
    await add(service);
    await pass(400);
    const { headers, status } = polled.value!;
    expect([status, headers.get('stream-up-to-date'), offsetIn(polled.value!)]).toEqual([
      200,
      'true',
      await tailOf(service),
    ]);
    expect(headers.get('cache-control')).toBe(where === 'now' ? 'no-store' : 'public, max-age=60');
    expect(headers.has('etag')).toBe(where !== 'now');
    expect(idsOf((await polled.value!.json()) as readonly StreamMessage[])).toEqual([6]);
  });

  it('is 204 after 25 seconds, with the tail, the cursor and without a cache', async () => {
    const service = await opened();
    const tail = await tailOf(service);
    const polled = poll(service, `offset=${tail}`);
    await pass(24_000);
    expect(polled.value).toBeUndefined();
    await pass(1500);
    const { status, headers } = polled.value!;
    expect([status, await polled.value!.text()]).toEqual([204, '']);
    expect(Object.fromEntries(headers)).toMatchObject({
      ...{ 'stream-next-offset': tail, 'stream-up-to-date': 'true', 'cache-control': 'no-store' },
      'stream-cursor': String(Math.floor((NOW - Date.UTC(2024, 9, 9)) / 20_000)),
    });
    expect(headers.has('stream-closed')).toBe(false);
  });

  it('gives a cursor that is later than the one the reader has (10.1)', async () => {
    const service = await opened();
    const cursorAfter = async (cursor: string): Promise<number> =>
      Number((await service.get(`${STREAM}?live=long-poll&offset=-1&cursor=${cursor}`)).headers.get('stream-cursor'));
    const now = await cursorAfter('0');
    expect(now).toBe(Math.floor((NOW - Date.UTC(2024, 9, 9)) / 20_000));
    for (const had of [now, now + 1, now + 10_000, 999_999_999_999]) {
      const next = await cursorAfter(String(had));
      expect([next > had, next <= had + 180]).toEqual([true, true]);
    }
    expect(await cursorAfter(String(now - 1))).toBe(now);
  });

  it('goes past what a filter does not let through, and waits on', async () => {
    const service = await opened();
    const polled = poll(service, `offset=${await tailOf(service)}&key=${keyAt(2)}`);
    await add(service);
    await pass(1000);
    expect(polled.value).toBeUndefined();
    await pass(25_000);
    expect([polled.value!.status, offsetIn(polled.value!)]).toEqual([204, await tailOf(service)]);
  });

  it('is over after 25 seconds also where others’ changes never cease', async () => {
    const service = await opened();
    const polled = poll(service, `offset=${await tailOf(service)}&key=${keyAt(2)}`);
    for (let step = 0; step < 90; step++) {
      await add(service);
      await pass(300);
      expect(polled.value === undefined || step > 80).toBe(true);
    }
    expect(polled.value?.status).toBe(204);
  });

  it('examines as much under a filter as one request may, and leads on', async () => {
    const service = await opened();
    const many = Array.from({ length: 2500 }, (_, index) => statementAt(index + 1000, 9999, 'open'));
    for (let from = 0; from < many.length; from += 500)
      await service.store.apply('open', many.slice(from, from + 500), { recordedAt: at(3) });
    const first = await service.get(`${STREAM}?live=long-poll&offset=-1&key=none`);
    expect([first.status, await first.text(), first.headers.get('stream-up-to-date')]).toEqual([200, '[]', null]);
    expect(Number(offsetIn(first).slice(9))).toBeGreaterThanOrEqual(2000);
  });

  it('ends within a second when its key is revoked', async () => {
    const service = await opened();
    const polled = poll(service, `offset=${await tailOf(service, 'permits')}`, 'permits', service.key);
    await pass(2000);
    await service.accounts.revokeKey(service.accountId, null);
    await pass(1000);
    expect([polled.value?.status, await polled.value?.json()]).toMatchObject([401, { code: 'revoked_key' }]);
  });

  it.each([0, 300])('gives nothing that comes after its key was revoked, whenever that is (%i ms)', async (phase) => {
    const service = await opened();
    const polled = poll(service, `offset=${await tailOf(service, 'permits')}`, 'permits', service.key);
    await pass(2000 + phase);
    await service.accounts.revokeKey(service.accountId, null);
    await add(service, 'permits');
    await pass(400);
    expect(polled.value?.status).toBe(401);
  });

  it('ends within a second when its register is closed, or removed', async () => {
    const service = await opened();
    const offset = await tailOf(service);
    const closed = poll(service, `offset=${offset}`);
    await pass(600);
    await service.store.updateRegister(permits('open'), { recordedAt: at(40) });
    await pass(1000);
    expect(closed.value?.status).toBe(401);
    const removed = poll(service, `offset=${offset}`, 'open', service.key);
    await pass(600);
    await service.store.removeRegister('open');
    await pass(1000);
    expect(removed.value?.status).toBe(404);
  });

  it('is refused when its register begins another log', async () => {
    const service = await opened();
    await add(service);
    const polled = poll(service, `offset=${await tailOf(service)}`);
    await pass(100);
    await service.store.removeRegister('open');
    await service.store.createRegister({ ...permits('open'), access: 'open' });
    await pass(1000);
    expect([polled.value?.status, await polled.value?.json()]).toMatchObject([410, { code: 'log_restarted' }]);
  });

  it('ends when the service stops', async () => {
    const service = await opened();
    const polled = poll(service, 'offset=now');
    await pass(100);
    service.drain();
    await pass(100);
    expect([polled.value?.status, polled.value?.headers.get('stream-up-to-date')]).toEqual([204, 'true']);
    // Who came back at once would be sent away again and again.
    for (const live of ['long-poll', 'sse']) {
      const answer = await service.get(`${STREAM}?offset=now&live=${live}`);
      expect([answer.status, Number(answer.headers.get('retry-after')) > 0]).toEqual([503, true]);
    }
  });
});

describe('events (5.8 of the protocol)', () => {
  it('are data, each followed by a control that says where it ends', async () => {
    const service = await opened();
    const events = await listen(service, 'offset=-1');
    expect(Object.fromEntries(events.answer.headers)).toMatchObject({
      ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    });
    await add(service);
    await pass(400);
    expect(eventsIn(events).map(([event]) => event)).toEqual(['data', 'control', 'data', 'control']);
    expect(idsOf(messagesIn(events))).toEqual([1, 2, 3, 4, 5, 6]);
    const cursor = String(Math.floor((NOW - Date.UTC(2024, 9, 9)) / 20_000));
    const [, last] = controlsIn(events);
    expect(last).toEqual({ streamNextOffset: await tailOf(service), streamCursor: cursor, upToDate: true });
    expect(Object.keys(controlsIn(events)[0]!)).not.toContain('streamClosed');
  });

  it('say that they are up to date at the end alone', async () => {
    const service = await opened();
    const many = Array.from({ length: 150 }, (_, index) => statementAt(index + 1000, 9999, 'open'));
    await service.store.apply('open', many, { recordedAt: at(3) });
    const events = await listen(service, 'offset=-1');
    expect(controlsIn(events).map(({ upToDate }) => upToDate)).toEqual([undefined, true]);
    expect(idsOf(messagesIn(events))).toEqual(Array.from({ length: 155 }, (_, index) => index + 1));
  });

  it('begin at now with a control that names the tail, and have only what comes', async () => {
    const service = await opened();
    const tail = await tailOf(service);
    const events = await listen(service, 'offset=now');
    expect(eventsIn(events)).toMatchObject([['control', { streamNextOffset: tail, upToDate: true }]]);
    await add(service);
    await pass(400);
    expect(idsOf(messagesIn(events))).toEqual([6]);
  });

  it('have a cursor that never goes back, and is later than the one the reader has (10.1)', async () => {
    const service = await opened();
    const now = Math.floor((NOW - Date.UTC(2024, 9, 9)) / 20_000);
    const events = await listen(service, `offset=-1&cursor=${now}`);
    for (let step = 0; step < 4; step++) {
      service.clock.now += 40_000;
      await add(service);
      await pass(400);
    }
    const cursors = controlsIn(events).map(({ streamCursor }) => Number(streamCursor));
    expect([cursors.length, cursors[0]! > now, cursors.at(-1)! >= now + 8]).toEqual([5, true, true]);
    expect(cursors.toSorted((a, b) => a - b)).toEqual(cursors);
  });

  it('end after a minute, and go on from the last control', async () => {
    const service = await opened();
    const events = await listen(service, 'offset=-1');
    await pass(59_000);
    expect([events.isOver, events.text.match(/^:$/gm)?.length]).toEqual([false, 3]);
    await pass(1500);
    expect(events.isOver).toBe(true);
    await add(service);
    const others = await listen(service, `offset=${controlsIn(events).at(-1)!.streamNextOffset}`);
    expect(idsOf(messagesIn(others))).toEqual([6]);
  });

  it('move a reader on whose filter lets nothing through, once a second at most', async () => {
    const service = await opened();
    const events = await listen(service, `offset=-1&key=none`);
    for (let step = 0; step < 20; step++) {
      await add(service);
      await pass(300);
    }
    await pass(1000);
    expect(messagesIn(events)).toEqual([]);
    const controls = controlsIn(events);
    expect([controls.length >= 4, controls.length <= 8]).toEqual([true, true]);
    expect(controls.at(-1)).toMatchObject({ streamNextOffset: await tailOf(service), upToDate: true });
  });

  it.each([0, 300])(
    'end within a second when their key is revoked, and have nothing of later (%i ms)',
    async (phase) => {
      const service = await opened();
      const events = await listen(service, 'offset=now', 'permits', service.key);
      await pass(2000 + phase);
      await service.accounts.revokeKey(service.accountId, null);
      await add(service, 'permits');
      await pass(1000);
      expect([events.isOver, messagesIn(events)]).toEqual([true, []]);
      const { status } = await service.get('/feeds/permits/stream?offset=now&live=sse', { key: service.key });
      expect(status).toBe(401);
    },
  );

  it('end when the service stops, and when their reader goes nothing waits for it', async () => {
    const service = await opened();
    const [left, stopped] = [await listen(service, 'offset=now'), await listen(service, 'offset=now')];
    await left.cancel();
    service.drain();
    await pass(100);
    expect(stopped.isOver).toBe(true);
    expect(service.errors).toEqual([]);
  });

  it('say of a record that is erased that it is, and nothing else', async () => {
    const service = await opened();
    const events = await listen(service, 'offset=now');
    await service.store.redact(`open:${keyAt(2)}`, { recordedAt: at(50) });
    await pass(400);
    expect(messagesIn(events)).toMatchObject([{ cause: 'redacted', record_id: 'open:002', record: null }]);
    expect(events.text).not.toContain('Permit number 2"');
  });
});

/** Counts what is asked of registers. */
class CountingStore extends DelegatingStore {
  asked: string[] = [];

  override changes(feedId: string, options: ChangesRange): Promise<ChangesPage> {
    this.asked.push('changes');
    return super.changes(feedId, options);
  }

  override register(feedId: string): Promise<RegisterEntry | null> {
    this.asked.push('register');
    return super.register(feedId);
  }
}

describe('a thousand readers', () => {
  it.each([1, 1000])('%i cost one look at the store for each change', async (readers) => {
    const store = new CountingStore();
    const service = await opened({ store });
    const tail = await tailOf(service);
    const polled = Array.from({ length: readers / 2 }, () => poll(service, `offset=${tail}`));
    const listened: Events[] = [];
    const half = Array.from({ length: Math.ceil(readers / 2) }, () =>
      service.get(`${STREAM}?live=sse&offset=${tail}`).then(async (answer) => {
        const reader = answer.body!.getReader();
        await reader.read();
        const events = { answer, text: '', isOver: false, cancel: () => reader.cancel() };
        listened.push(events);
        events.text = Buffer.from((await reader.read()).value ?? []).toString();
      }),
    );
    await pass(1000);
    store.asked = [];
    await pass(3000);
    expect(store.asked).toEqual([]);
    await add(service);
    await pass(400);
    await Promise.all(half);
    expect(store.asked.filter((what) => what === 'changes')).toEqual(['changes']);
    // The register is read once more, and whether it is still the same.
    expect(store.asked.length).toBeLessThanOrEqual(3);
    const bodies = await Promise.all(
      polled.map(async ({ value }) => idsOf((await value!.json()) as readonly StreamMessage[])),
    );
    expect(bodies.every((ids) => ids.join() === '6')).toBe(true);
    expect(listened.every((events) => idsOf(messagesIn(events)).join() === '6')).toBe(true);
  });
});
