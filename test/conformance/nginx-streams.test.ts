// Many who wait for one register at one place are one who waits, behind nginx as deploy/ has it.
import { once } from 'node:events';
import { type IncomingMessage, request as ask } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import type { StreamMessage } from '../../src/register/record.ts';
import { at, permits, say } from '../contracts/store-register.ts';
import { until } from '../until.ts';
import { world } from '../world.ts';
import { asDeployed, startNginx } from './nginx.ts';
import { missing } from './tools.ts';

/** How many wait. */
const READERS = 1000;

/** Of the requests that they make, so many may come through. */
const MOST = 5;

it.skipIf(missing('nginx', '-v') !== null)(`${READERS} long-polls are at most ${MOST} requests`, async () => {
  const { fetch, store, clock } = await world({ records: 0 });
  await store.createRegister({ ...permits('open'), access: 'open' });
  await store.apply('open', [say('a', {}, 'open')], { recordedAt: at(1) });
  clock.now = Date.now();
  let [asked, connected] = [0, 0];
  const answer: typeof fetch.answer = (request, origin) => {
    asked++;
    return fetch.answer(request, origin);
  };
  const server = await startServer(Object.assign(fetch.bind(null), { answer }), { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop(0));
  const port = await startNginx((port) => asDeployed(port, server.url));
  const get = async (query: string, method = 'GET'): Promise<IncomingMessage> => {
    const path = `/api/v1/feeds/open/stream?${query}`;
    const sent = ask({ host: '127.0.0.1', port, path, method, agent: false }).end();
    sent.once('socket', (socket) => socket.once('connect', () => connected++));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };
  const first = await until('nginx', () => get('offset=-1').catch(() => null));
  const offset = String(first.headers['stream-next-offset']);
  first.resume();
  await store.apply('open', [say('a', { title: 'Another' }, 'open')], { recordedAt: at(2) });
  const head = await get('offset=-1', 'HEAD');
  expect(head.headers['stream-next-offset']).toBe(offset.replace(/1$/, '2'));
  [asked, connected] = [0, 0];

  const waiting = Array.from({ length: READERS }, async () => {
    const response = await get(`offset=${String(head.headers['stream-next-offset'])}&live=long-poll`);
    const text = Buffer.concat(await response.toArray()).toString();
    return [response.statusCode, ...(JSON.parse(text) as StreamMessage[]).map(({ record_id: id }) => id)];
  });
  await until('all of them', () => asked > 0 && connected === READERS);
  await store.apply('open', [say('b', {}, 'open')], { recordedAt: at(3) });
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: READERS }, () => [200, 'open:b']));
  expect(asked).toBeLessThanOrEqual(MOST);
});
