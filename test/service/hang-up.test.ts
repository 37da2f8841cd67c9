// Clients that go away inside of what they send, over real sockets: nothing of ours has failed.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { toNodeListener } from '../../src/adapters/node.ts';
import { startServer } from '../../src/adapters/server.ts';
import type { Gazette } from '../../src/service/create-gazette.ts';
import { demoService } from './demo-service.ts';

/** Starts a server. @returns its port */
type Start = (gazette: Gazette) => Promise<number>;

const embedded: Start = async ({ fetch }) => {
  const server = createServer(toNodeListener(fetch)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const own: Start = async ({ fetch }) => {
  const server = await startServer(fetch, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop(0));
  return Number(new URL(server.url).port);
};

it.each([
  ['a server of Node’s with our listener', embedded],
  ['our own server', own],
])('a client that hangs up inside a body is no failure of %s', async (_, start) => {
  const { gazette, lines, errors } = await demoService();
  const socket = connect(await start(gazette), '127.0.0.1');
  socket.write(
    'POST /api/v1/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"json',
  );
  // Until somebody reads what has come.
  await wait(50);
  socket.destroy();
  while (lines.length === 0) await wait(5);
  expect(lines).toMatchObject([{ route: '/mcp', status: 499 }]);
  expect(await gazette.metrics.registry.metrics()).toMatch(/gazette_http_requests_total\{[^}]*status="499"[^}]*\} 1/);
  expect(errors).toEqual([]);
});
