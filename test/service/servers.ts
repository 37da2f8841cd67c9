// The service on real sockets, in a server of Node's and in our own.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeListener } from '../../src/adapters/node.ts';
import { startServer } from '../../src/adapters/server.ts';
import type { Gazette } from '../../src/service/create-gazette.ts';

/** Starts a server on a free port of loopback. */
export type Start = (gazette: Gazette) => Promise<{ readonly port: number; readonly stop: () => Promise<unknown> }>;

/** Node’s own server with our listener. */
export const embedded: Start = async ({ fetch }) => {
  const server = createServer(toNodeListener(fetch)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async (): Promise<unknown> => {
    const closed = once(server.close(), 'close');
    server.closeAllConnections();
    return closed;
  };
  return { port: (server.address() as AddressInfo).port, stop };
};

/** The server that `gazette serve` runs. */
export const own: Start = async ({ fetch }) => {
  const server = await startServer(fetch, { port: 0, host: '127.0.0.1' });
  return { port: Number(new URL(server.url).port), stop: () => server.stop(0) };
};
