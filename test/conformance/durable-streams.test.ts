// The official client of the Durable Streams protocol follows registers: in each of its modes, from the beginning, from an offset that
// it kept and from now on, with a key and without, while the service is stopped and started again; in Node, and in a page of another
// origin.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import type { StreamMessage } from '../../src/register/record.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { answering } from '../client/answering.ts';
import { at, permits } from '../contracts/store-register.ts';
import { freePort } from '../docs/free-port.ts';
import { until } from '../until.ts';
import { PRODUCT, statementAt, world } from '../world.ts';
import { launch, noChromium } from './pages/chromium.ts';
import { loadJudge } from './tools.ts';

/** What is used of the client. */
interface Judge {
  readonly stream: (options: {
    readonly url: string;
    readonly offset: string;
    readonly live: 'long-poll' | 'sse' | false;
    readonly signal: AbortSignal;
    readonly headers?: Readonly<Record<string, string>>;
  }) => Promise<{
    readonly offset: string;
    readonly upToDate: boolean;
    json(): Promise<readonly StreamMessage[]>;
    subscribeJson(onBatch: (batch: { readonly items: readonly StreamMessage[] }) => Promise<void>): void;
  }>;
}

/** More than two chunks. */
const COUNT = 250;

const { stream } = await loadJudge<Judge>('@durable-streams/client');
const folder = await mkdtemp(join(tmpdir(), 'gazette-streams-'));
afterAll(() => rm(folder, { recursive: true }));

let stores = 0;

/** A service on a port, of which it is started again. */
async function served(): Promise<{
  readonly url: (feedId: string) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly add: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}> {
  const store = SqliteStore.open(join(folder, `${++stores}.db`));
  const { key } = await world({ store, records: 0 });
  await store.createRegister({ ...permits('open'), access: 'open' });
  const apply = async (from: number, count: number): Promise<void> => {
    for (const feedId of ['open', 'permits']) {
      const records = Array.from({ length: count }, (_, index) => statementAt(from + index, 9999, feedId));
      await store.apply(feedId, records, { recordedAt: at(2) });
    }
  };
  await apply(1, COUNT);
  const port = await freePort();
  let stop: () => Promise<void> = async () => undefined;
  const start = async (): Promise<void> => {
    const gazette = createGazette({ store, product: PRODUCT, limits: null });
    const server = await startServer(gazette.fetch, { port, host: '127.0.0.1' });
    stop = async () => {
      gazette.drain();
      await server.stop();
      await gazette.close();
    };
  };
  await start();
  onTestFinished(async () => {
    await stop();
    await store.close();
  });
  let added = 0;
  return {
    url: (feedId) => `http://127.0.0.1:${port}/api/v1/feeds/${feedId}/stream`,
    headers: { Authorization: `Bearer ${key}` },
    add: () => apply(1000 + added++, 1),
    start,
    stop: () => stop(),
  };
}

type Asked = Pick<Parameters<Judge['stream']>[0], 'url' | 'signal' | 'headers'>;

/** All changes from an offset on, and where they end: without `live`, the client asks once. */
async function caughtUp(asked: Asked, from: string): Promise<{ readonly changes: number[]; readonly offset: string }> {
  const changes: number[] = [];
  for (let offset = from; ;) {
    const answer = await stream({ ...asked, offset, live: false });
    changes.push(...(await answer.json()).map(({ change }) => change));
    offset = answer.offset;
    if (answer.upToDate) return { changes, offset };
  }
}

describe.each(['open', 'permits'])('the official client, following %s', (feedId) => {
  it('catches up: every version once, in order', async () => {
    const { url, headers, add } = await served();
    const { signal } = new AbortController();
    const asked = { url: url(feedId), signal, ...(feedId === 'open' ? {} : { headers }) };
    const { changes, offset } = await caughtUp(asked, '-1');
    expect(changes).toEqual(Array.from({ length: COUNT }, (_, index) => index + 1));
    await add();
    expect((await caughtUp(asked, offset)).changes).toEqual([COUNT + 1]);
    expect((await caughtUp(asked, 'now')).changes).toEqual([]);
  });

  it.each([
    ['long-poll', '-1'],
    ['long-poll', 'kept'],
    ['long-poll', 'now'],
    ['sse', '-1'],
    ['sse', 'kept'],
    ['sse', 'now'],
  ] as const)('by %s from %s, over a restart: every version once, in order', async (live, from) => {
    const service = await served();
    const ending = new AbortController();
    onTestFinished(() => {
      ending.abort();
    });
    const asked = {
      ...{ url: service.url(feedId), signal: ending.signal },
      ...(feedId === 'open' ? {} : { headers: service.headers }),
    };
    const offset = from === 'kept' ? (await caughtUp(asked, '-1')).offset : from;
    const got: number[] = [];
    const followed = await stream({ ...asked, offset, live });
    followed.subscribeJson(async ({ items }) => {
      for (const { change } of items) got.push(change);
    });
    const first = from === '-1' ? 1 : COUNT + 1;
    const has = (change: number): Promise<unknown> => until(`change ${change}`, () => got.at(-1) === change);
    if (from === '-1') await has(COUNT);
    for (let more = 1; more <= 3; more++) {
      await service.add();
      await has(COUNT + more);
    }
    await service.stop();
    await service.add();
    await service.start();
    await service.add();
    await has(COUNT + 5);
    expect(got).toEqual(Array.from({ length: COUNT + 5 - first + 1 }, (_, index) => first + index));
  });
});

/** What a page does: it keeps what comes, and begins where it is told to. */
const FOLLOW = `async ({ url, offset, live, headers }) => {
  const { stream } = await import('/client.js');
  globalThis.got = [];
  const followed = await stream({ url, offset, live, headers });
  followed.subscribeJson(async ({ items }) => {
    for (const { change } of items) got.push(change);
  });
}`;

/** The address of a page that has the client. */
async function pageOfAnotherOrigin(): Promise<string> {
  const client = await readFile(
    createRequire(import.meta.url)
      .resolve('@durable-streams/client')
      .replace(/index\.cjs$/, 'index.js'),
  );
  return answering((response, { url }) => {
    if (url === '/client.js') response.setHeader('Content-Type', 'text/javascript').end(client);
    else response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Another origin</title>');
  });
}

describe.skipIf(noChromium !== null)(`in a page of another origin (${noChromium ?? 'in Chromium'})`, () => {
  it('follows by long-poll and events, with a key and without, over a restart: every version once, in order', async () => {
    const [service, origin, browser] = [await served(), await pageOfAnotherOrigin(), await launch()];
    onTestFinished(() => browser.close());
    const cases = (['long-poll', 'sse'] as const).flatMap((live) =>
      (['-1', 'now'] as const).flatMap((offset) => ['open', 'permits'].map((feedId) => ({ live, offset, feedId }))),
    );
    const pages = await Promise.all(
      cases.map(async ({ live, offset, feedId }) => {
        // Of one profile, six at most may wait.
        const page = await (await browser.newContext({})).newPage();
        await page.goto(origin);
        const asked = { url: service.url(feedId), offset, live, headers: feedId === 'open' ? {} : service.headers };
        await page.evaluate(`(${FOLLOW})(${JSON.stringify(asked)})`);
        const got = (): Promise<readonly number[]> => page.evaluate('got');
        if (offset === '-1') await until(`${live} of ${feedId}`, async () => (await got()).length >= COUNT);
        return { got, first: offset === '-1' ? 1 : COUNT + 1 };
      }),
    );
    await service.add();
    for (const { got } of pages) await until('a change', async () => (await got()).at(-1) === COUNT + 1);
    await service.stop();
    await service.add();
    await service.start();
    await service.add();
    for (const { got, first } of pages) {
      await until('what came meanwhile', async () => (await got()).at(-1) === COUNT + 3);
      expect(await got()).toEqual(Array.from({ length: COUNT + 3 - first + 1 }, (_, index) => first + index));
    }
  });
});
