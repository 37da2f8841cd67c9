// The `fetch` of the program, in processes of their own.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { createServer as createPlainServer, type Server } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';

const BYTES = 2_000_000;

/** Reads its argument more slowly than it comes, and says how many bytes came. */
const READING = `
const { mendFetch } = await import(${JSON.stringify(new URL('../../../../src/cli/process/node/fetching.ts', import.meta.url))});
mendFetch();
// Node has its own sender from now on, as it has in a service.
new Response('');
const { body } = await fetch(process.argv[1]);
let bytes = 0;
for await (const chunk of body) {
  bytes += chunk.length;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
console.log(bytes);
`;

async function read(address: string, env: Readonly<Record<string, string>> = {}): Promise<readonly [string, string]> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', READING, address], {
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  onTestFinished(() => void child.kill());
  return Promise.all([text(child.stdout), text(child.stderr)]);
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

it.each(['', `Content-Length: ${BYTES}\r\n`])('reads slowly what a server has ended (%j)', async (length) => {
  const server = createPlainServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.end(`HTTP/1.1 200 OK\r\n${length}Connection: close\r\n\r\n${'a'.repeat(BYTES)}`);
    });
  });
  expect(await read(`http://127.0.0.1:${await listening(server)}/`)).toEqual([`${BYTES}\n`, '']);
});

it('asks over HTTP/1.1: over HTTP/2 an answer that is broken off without a length is taken for a whole one', async () => {
  const offers: string[] = [];
  const server = createPlainServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (hello) => {
      offers.push(hello.toString('latin1'));
      socket.destroy();
    });
  });
  await read(`https://127.0.0.1:${await listening(server)}/`);
  // The extension 16 of TLS (RFC 7301), with this protocol alone.
  expect(offers).toEqual([expect.stringContaining('\0\x10\0\x0b\0\x09\x08http/1.1')]);
});

// Node 22.18 cannot be told.
it.skipIf(!process.allowedNodeEnvironmentFlags.has('--use-env-proxy'))(
  'asks a proxy where Node was told to',
  async () => {
    const targets: string[] = [];
    const proxy = createServer((request, response) => {
      targets.push(request.url!);
      response.end('through the proxy');
    });
    proxy.on('connect', ({ url }, socket) => {
      targets.push(url!);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: `http://127.0.0.1:${await listening(proxy)}` };
    await read('http://register.invalid:8080/permits.csv', env);
    expect(targets).toHaveLength(1);
    expect(targets[0]).toContain('register.invalid:8080');
  },
);
