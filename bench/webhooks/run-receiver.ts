// The receiver's process: answers 204, or never at /stalled, and says when what came; at /uncounted it says nothing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Arrivals since the last time it was asked, in milliseconds since 1970. */
export interface Arrivals {
  readonly times: readonly number[];
}

let times: number[] = [];

const server = createServer((request, response) => {
  if (request.url === '/stalled') return;
  request.resume();
  request.once('end', () => {
    if (request.url !== '/uncounted') times.push(performance.timeOrigin + performance.now());
    response.writeHead(204).end();
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', () => {
  process.send!({ times } satisfies Arrivals);
  times = [];
});
process.send!({ port: (server.address() as AddressInfo).port });
