// A thousand who follow an open register at once, over sockets, half by long-polls and half by events: each has every change once, and
// how soon is told.
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import type { StreamMessage } from '../../src/register/record.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { measured, tries } from '../effort.ts';
import { until } from '../until.ts';
import { world } from '../world.ts';

const READERS = 1000;
const CHANGES = tries(3, 30);

/** A reader: what it got, and when. */
type Got = Map<string, number>;

it(`${READERS} readers have each change once`, async () => {
  const service = await world({ records: 0 });
  const { fetch, store, clock } = service;
  await store.createRegister({ ...permits('open'), access: 'open' });
  clock.now = Date.now();
  const server = await startServer(fetch, { port: 0, host: '127.0.0.1' });
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  let isOver = false;
  onTestFinished(async () => {
    isOver = true;
    service.drain();
    agent.destroy();
    await server.stop(0);
  });
  const ask = async (query: string): Promise<IncomingMessage> => {
    const url = `${server.url}/api/v1/feeds/open/stream?${query}`;
    const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage];
    return response;
  };
  const take = (got: Got, messages: readonly StreamMessage[]): void => {
    for (const { record_id: id } of messages) {
      expect(got.has(id)).toBe(false);
      got.set(id, performance.now());
    }
  };
  const polling = async (got: Got): Promise<void> => {
    for (let offset = '-1', cursor = ''; ;) {
      const response = await ask(`offset=${offset}&live=long-poll${cursor}`);
      const text = Buffer.concat(await response.toArray()).toString();
      take(got, text === '' ? [] : (JSON.parse(text) as StreamMessage[]));
      offset = String(response.headers['stream-next-offset']);
      cursor = `&cursor=${String(response.headers['stream-cursor'])}`;
    }
  };
  const listening = async (got: Got): Promise<void> => {
    const response = await ask('offset=-1&live=sse');
    let text = '';
    for await (const chunk of response as AsyncIterable<Buffer>) {
      text += chunk.toString();
      const events = text.split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const data =
          event
            .match(/^data:.*$/gm)
            ?.map((line) => line.slice('data:'.length))
            .join('\n') ?? '';
        if (/^event: *data$/m.test(event)) take(got, JSON.parse(data) as StreamMessage[]);
      }
    }
  };
  const failures: unknown[] = [];
  const readers = Array.from({ length: READERS }, (_, at): Got => {
    const got: Got = new Map();
    void (at % 2 === 0 ? polling(got) : listening(got)).catch((error: unknown) => {
      if (!isOver) failures.push(error);
    });
    return got;
  });
  const took: number[] = [];
  for (let change = 0; change <= CHANGES; change++) {
    const id = `open:k${change}`;
    await store.apply('open', [say(`k${change}`, {}, 'open')], { recordedAt: at(change) });
    const begun = performance.now();
    await until(`change ${change}`, () => failures.length > 0 || readers.every((got) => got.has(id)));
    expect(failures).toEqual([]);
    // With the first one they come, and ask.
    if (change > 0) took.push(...readers.map((got) => got.get(id)! - begun));
  }
  expect(readers.map((got) => got.size)).toEqual(readers.map(() => CHANGES + 1));
  measured(`a change was with each of ${READERS} readers`, took);
});
