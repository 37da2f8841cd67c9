// Clients that go away: before the answer, and once it has begun.
import { once } from 'node:events';
import { connect } from 'node:net';

/** Asks for an address ten times and hangs up each time; every other time the answer has begun. */
export async function hangUp(url: string): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  for (let i = 0; i < 10; i++) {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
    if (i % 2 === 0) await once(socket, 'data');
    socket.destroy();
  }
}
