// The server of its own, over real sockets: what is no HTTP, how it stops, whom it tells about whom.
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../../src/adapters/server.ts';
import type { WebHandler } from '../../src/adapters/node.ts';
import type { Problem } from '../../src/problem.ts';
import { letPass, until } from '../until.ts';

/** A grace that no test outlives. */
const NEVER_MS = 600_000;

let server: RunningServer;
let handler: WebHandler;
const refused: Problem[] = [];
/** Starts the server of a test. */
function startOne(more: { readonly lingerMs?: number } = {}): Promise<RunningServer> {
  return startServer((request, origin) => handler(request, origin), {
    port: 0,
    host: '127.0.0.1',
    refusalHeaders: { vary: 'Authorization' },
    onRefusal: (problem) => refused.push(problem),
    ...more,
  });
}
beforeEach(async () => {
  handler = () => new Response('answer', { headers: { 'content-length': '6' } });
  refused.length = 0;
  server = await startOne();
});
afterEach(() => server.stop(0));

/** Opens a connection. */
async function open(): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Whether nobody is let in any more. */
async function isClosed(): Promise<boolean> {
  try {
    (await open()).destroy();
    return false;
  } catch {
    return true;
  }
}

/** Asks through an agent, and reads the answer. */
async function ask(agent: Agent): Promise<IncomingMessage> {
  const [message] = (await once(send(server.url, { agent }).end(), 'response')) as [IncomingMessage];
  await once(message.resume(), 'end');
  return message;
}

/** Sends text and reads until the other side closes. */
async function context(text: string): Promise<string> {
  return exchange(await open(), text);
}

/** The same on a connection that is open. */
async function exchange(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  let answer = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) answer += chunk.toString();
  return answer;
}

describe('a server', () => {
  it('says where a request comes from, and shows two Authorization headers as two', async () => {
    let seen: unknown;
    handler = (request, origin) => {
      seen = [request.headers.get('authorization'), origin?.remoteAddress];
      return new Response(null, { status: 204 });
    };
    await context('GET / HTTP/1.1\r\nHost: a\r\nAuthorization: x\r\nAuthorization: y\r\nConnection: close\r\n\r\n');
    expect(seen).toEqual(['x, y', '127.0.0.1']);
  });

  it('answers requests that come all at once in their order', async () => {
    const ready = Array.from({ length: 7 }, () => Promise.withResolvers<undefined>());
    ready[6]!.resolve(undefined);
    handler = async (request) => {
      const { pathname } = new URL(request.url);
      const number = Number(pathname.slice(1));
      // Each is ready after the one behind it.
      await ready[number + 1]!.promise;
      ready[number]!.resolve(undefined);
      return new Response(pathname, { headers: { 'content-length': String(pathname.length) } });
    };
    const paths = ['/0', '/1', '/2', '/3', '/4'];
    const last = 'GET /5 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const answer = await context(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join('') + last);
    expect(answer.match(/(?<=\r\n\r\n)\/\d(?=HTTP|$)/g)).toEqual([...paths, '/5']);
  });

  it.each([
    ['no HTTP', 'GARBAGE\r\n\r\n', 400],
    ['a head of more than 16 KiB', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\nConnection: close\r\n\r\n', 400],
    ['two hosts in HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['no host but in its target', 'GET http://a/ HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['a host that is none', 'GET / HTTP/1.1\r\nHost: a b<>\r\nConnection: close\r\n\r\n', 400],
    ['a target that is none', 'GET http://[ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 400],
  ])('answers %s with a problem and a request id', async (_, text, status) => {
    const answer = await context(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
    const problem = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as unknown;
    expect(problem).toMatchObject({ status, code: 'bad_request' });
    expect(answer).toMatch(/\r\nvary: Authorization\r\n/i);
    expect(refused).toEqual([problem]);
  });

  it.each([
    ['a method that Node does not know', 'BREW / HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a request for a tunnel', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('answers %s with 501', async (_, text) => {
    const answer = await context(text);
    expect(answer).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n/);
    expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n[^]*\r\nconnection: close\r\n/i);
    const problem = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as unknown;
    expect(problem).toMatchObject({ status: 501, code: 'not_implemented' });
    expect(refused).toEqual([problem]);
  });

  it('takes HTTP/1.0 without a host as a request to the address it came to', async () => {
    handler = ({ url }) => new Response(url);
    expect(await context('GET /readyz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
    expect(await context('GET /readyz HTTP/1.0\r\n\r\n')).toContain(`\r\n\r\n${server.url}/readyz`);
  });

  it('says which port it cannot have', async () => {
    const port = Number(new URL(server.url).port);
    await expect(startServer(handler, { port, host: '127.0.0.1' })).rejects.toMatchObject({
      code: 'listen_failed',
      message: expect.stringContaining(`port ${port}`) as unknown,
    });
  });
});

describe('a stop', () => {
  it('cuts no request that has come, and takes no new one', async () => {
    const asked = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<Response>();
    handler = () => {
      asked.resolve(undefined);
      return answer.promise;
    };
    const pending = fetch(server.url);
    await asked.promise;
    // Were it over only when the grace is, the test would be as well.
    const stopped = server.stop(NEVER_MS);
    await until('a closed port', () => isClosed());
    await expect(fetch(server.url)).rejects.toThrow();
    answer.resolve(new Response('late', { headers: { 'content-length': '4' } }));
    expect(await (await pending).text()).toBe('late');
    await stopped;
  });

  it('resets nobody whose request was sent before the end could be seen', async () => {
    // Clients on a busy machine may be late; they all end, and so the stop takes no longer for it.
    await server.stop(0);
    server = await startOne({ lingerMs: NEVER_MS });
    const endings: unknown[] = [];
    let begun = 0;
    const clients = Array.from({ length: 20 }, async (_, index) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      await ask(agent);
      begun++;
      for (let connection: unknown = 'keep-alive'; connection === 'keep-alive';) {
        await letPass(index % 10, 'each client asks at a pace of its own');
        connection = await ask(agent).then(({ headers }) => headers.connection, String);
        if (connection !== 'keep-alive') endings.push(connection);
      }
      agent.destroy();
    });
    await until('all clients', () => begun === clients.length);
    await server.stop();
    await Promise.all(clients);
    expect(endings).toEqual(clients.map(() => 'close'));
  });

  it('answers those whom the system has let in and the server has not yet seen', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<undefined>();
    handler = () => {
      resolve(undefined);
      return new Response(null, { status: 204 });
    };
    const sockets = await Promise.all(Array.from({ length: 20 }, open));
    const exchanges = sockets.map((socket) => exchange(socket, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'));
    await asked;
    await server.stop();
    for (const answer of await Promise.all(exchanges)) expect(answer).toMatch(/^HTTP\/1.1 204 /);
  });

  it('closes connections that wait for a next request, and those never used', async () => {
    const agent = new Agent({ keepAlive: true });
    await ask(agent);
    const unused = await open();
    const closed = once(unused, 'close');
    unused.resume();
    await server.stop(NEVER_MS);
    await closed;
    agent.destroy();
  });

  it('is over in time when a request is not', async () => {
    const asked = Promise.withResolvers<undefined>();
    handler = () => {
      asked.resolve(undefined);
      return new Promise(() => undefined);
    };
    const pending = fetch(server.url).catch((error: unknown) => error);
    await asked.promise;
    await server.stop(50);
    expect(await pending).toBeInstanceOf(Error);
  });
});
