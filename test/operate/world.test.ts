// What `lookFromOutside()` says of services as they are found at public addresses: right ones, and ones behind proxies that
// get something wrong.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { lookFromOutside, type WorldOptions } from '../../src/operate/world.ts';
import type { GazetteOptions } from '../../src/service/create-gazette.ts';
import { SAMPLES, world } from '../world.ts';

/** A service on a port of its own. */
async function served(options: Partial<GazetteOptions> = {}): Promise<string> {
  const { fetch } = await world({ samples: SAMPLES, ...options });
  const server = await startServer(fetch, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop(0));
  return server.url;
}

/** Another server, answering as it is told. */
async function other(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function look(baseUrl: string, options: Partial<WorldOptions> = {}): Promise<readonly string[]> {
  return lookFromOutside({ baseUrl, feedIds: ['permits'], timeoutMs: 60_000, ...options });
}

it('finds nothing wrong with a service that is right', async () => {
  expect(await look(await served({ limits: {} }))).toEqual([]);
});

it('names registers that one side has alone', async () => {
  const url = await served();
  expect(await look(url, { feedIds: ['notices'] })).toEqual([
    `${url} does not have what the store has: notices`,
    `${url} has what the store does not have: permits`,
  ]);
});

it('says where links lead instead', async () => {
  const url = await served({ baseUrl: 'https://registers.example.org' });
  const [wrong] = await look(url);
  expect(wrong).toMatch(/^links lead to "https:\/\/registers\.example\.org\/api\/v1\/openapi\.json" instead of http/);
});

it('sees that a client decides where links lead, and under which address it is counted', async () => {
  const found = await look(await served({ trustForwardedHost: true, trustProxy: true, limits: {} }));
  expect(found).toEqual([
    expect.stringMatching(/^a client that sends X-Forwarded-Host decides/),
    expect.stringMatching(/^a client that sends X-Forwarded-For is counted under the address that it names/),
  ]);
});

it('says why nothing answers, in time', async () => {
  const silent = await other(() => undefined);
  expect(await look(silent, { timeoutMs: 100 })).toEqual([expect.stringContaining('cannot be reached: ')]);
  const moved = await other((_, response) => response.writeHead(301, { location: 'https://x.example/' }).end());
  expect(await look(moved)).toEqual([expect.stringContaining('is answered 301, to https://x.example/, not 200')]);
  const page = await other((_, response) => response.end('<html>'));
  expect(await look(page)).toEqual([expect.stringContaining('is not answered in JSON')]);
  const json = await other((_, response) => response.end('{}'));
  expect(await look(json)).toEqual([expect.stringContaining('is not the index of gazette')]);
  const endless = await other((_, response) => {
    const write = (): void => void response.write(' '.repeat(65_536), write);
    write();
  });
  expect(await look(endless)).toEqual([expect.stringContaining('is answered with more than 4194304 bytes')]);
});

it('wants https where it is not this machine', async () => {
  const fetch = (): Promise<Response> => Promise.reject(new TypeError('fetch failed', { cause: new Error('refused') }));
  expect(await look('http://registers.example.org', { fetch })).toEqual([
    expect.stringMatching(/^http:\/\/registers\.example\.org is not https/),
    'http://registers.example.org cannot be reached: refused',
  ]);
  expect(await look('https://registers.example.org', { fetch })).toHaveLength(1);
});

it('ends with its signal', async () => {
  const stop = new AbortController();
  const silent = await other(() => {
    stop.abort(new Error('enough'));
  });
  await expect(look(silent, { signal: stop.signal })).rejects.toThrow('enough');
});
