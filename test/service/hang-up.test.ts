// Clients that go away inside of what they send, over real sockets: nothing of ours has failed.
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { SAMPLES, world } from '../world.ts';
import { embedded, own } from './servers.ts';
import { letPass, until } from '../until.ts';

it.each([
  ['a server of Node’s with our listener', embedded],
  ['our own server', own],
])('a client that hangs up inside a body is no failure of %s', async (_, start) => {
  const service = await world({ samples: SAMPLES });
  const { port, stop } = await start(service);
  onTestFinished(() => stop().then(() => undefined));
  const socket = connect(port, '127.0.0.1');
  socket.write(
    'POST /api/v1/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"json',
  );
  await letPass(50, 'that what has come is read cannot be seen from here');
  socket.destroy();
  await until('a line in the log', () => service.lines.length > 0);
  expect(service.lines).toMatchObject([{ route: '/mcp', status: 499 }]);
  expect(await service.metrics.registry.metrics()).toMatch(/gazette_http_requests_total\{[^}]*status="499"[^}]*\} 1/);
  expect(service.errors).toEqual([]);
});
