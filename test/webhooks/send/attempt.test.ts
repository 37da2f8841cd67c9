// Single attempts, and the connections they use: what happens at just the wrong moment.
import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { Poster, type PosterOptions } from '../../../src/webhooks/send/attempt.ts';
import { DEVELOPMENT_DESTINATIONS } from '../../../src/webhooks/send/destination.ts';
import type { ResolveHost } from '../../../src/webhooks/send/name-resolver.ts';
import { until } from '../../until.ts';
import { receiver, type Receiver } from './sending.ts';

/** Longer than a request takes to arrive, however busy the machine is. */
const TIMEOUT_MS = 1500;

const BODY = Buffer.from('{}');

/** Finds the receivers of this machine under any name. */
const resolve: ResolveHost = (_hostname, _options, callback) => {
  callback(null, [{ address: '127.0.0.1', family: 4 }], 60_000);
};

function posterOf(options: Partial<PosterOptions> = {}): Poster {
  const rules = DEVELOPMENT_DESTINATIONS;
  const poster = new Poster({ rules, resolve, timeoutMs: 20_000, ...options });
  onTestFinished(() => {
    poster.close();
  });
  return poster;
}

/** The connections that come to a receiver. */
function socketsOf({ server }: Receiver): readonly Socket[] {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
  });
  return sockets;
}

/** The address of a receiver under a name, which is looked up. */
function named({ server }: Receiver, path = ''): string {
  return `http://hooks.example.org:${(server.address() as AddressInfo).port}/${path}`;
}

it('is not begun once attempts were aborted', async () => {
  const hook = await receiver();
  const poster = posterOf();
  poster.cut();
  expect(await poster.post(hook.url, {}, BODY)).toMatchObject({ status: null, error: 'aborted' });
  expect(hook.received).toEqual([]);
});

it('has failed when two kept connections in a row were closed under it', async () => {
  const hook = await receiver();
  const sockets = socketsOf(hook);
  const poster = posterOf();
  await Promise.all([poster.post(hook.url, {}, BODY), poster.post(hook.url, {}, BODY)]);
  expect(sockets).toHaveLength(2);
  for (const socket of sockets) socket.once('data', () => socket.destroy());
  expect(await poster.post(hook.url, {}, BODY)).toMatchObject({ status: null, error: 'ECONNRESET' });
});

it('goes on over a kept connection while others are closed because too many are idle', async () => {
  const slow = Promise.withResolvers<undefined>();
  const answer: Parameters<typeof receiver>[0] = ({ path }) => {
    if (path !== '/slow') return 204;
    return (_request, response) => void slow.promise.then(() => response.writeHead(200).end());
  };
  const hooks = [await receiver(answer), await receiver(answer)] as const;
  const poster = posterOf();
  await poster.post(named(hooks[0]), {}, BODY);
  // It takes the connection that has been idle longest.
  const underWay = poster.post(named(hooks[0], 'slow'), {}, BODY);
  await until('the attempt', () => hooks[0].received.length === 2);
  // Each server's own connections stay below the bound, all together do not.
  const others = hooks.flatMap((hook) => Array.from({ length: 140 }, () => poster.post(named(hook), {}, BODY)));
  await Promise.all(others);
  slow.resolve(undefined);
  expect(await underWay).toMatchObject({ status: 200 });
  expect(hooks[0].received.filter(({ path }) => path === '/slow')).toHaveLength(1);
});

it('has not timed out when its answer is there and this process was held up', async () => {
  // A receiver in another thread answers while this one stands still: 0 is its leave to answer, 1 says that it did.
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const source = `
    const { parentPort, workerData: flags } = require('node:worker_threads');
    const server = require('node:http').createServer((request, response) => {
      parentPort.postMessage('asked');
      Atomics.wait(flags, 0, 0);
      response.writeHead(204).end(() => {
        Atomics.store(flags, 1, 1);
        Atomics.notify(flags, 1);
      });
    }).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
  const worker = new Worker(source, { eval: true, workerData: flags });
  onTestFinished(async () => {
    await worker.terminate();
  });
  const [port] = (await once(worker, 'message')) as [number];
  const asked = Promise.withResolvers<undefined>();
  worker.once('message', () => {
    Atomics.store(flags, 0, 1);
    Atomics.notify(flags, 0);
    Atomics.wait(flags, 1, 0);
    // Until after the time limit.
    while (performance.now() < began + TIMEOUT_MS + 10) Atomics.wait(flags, 1, 1, 10);
    asked.resolve(undefined);
  });
  const began = performance.now();
  const posting = posterOf({ timeoutMs: TIMEOUT_MS }).post(`http://127.0.0.1:${port}/`, {}, BODY);
  await asked.promise;
  expect(await posting).toMatchObject({ status: 204, error: null });
});
