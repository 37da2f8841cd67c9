// The server of its own, against clients that send a head slowly or open too many connections, over raw sockets.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { WebHandler } from '../../src/adapters/node.ts';
import { type ServerOptions, startServer } from '../../src/adapters/server.ts';
import type { Problem } from '../../src/problem.ts';
import { letPass, until } from '../until.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

/** Without the empty line that ends a head. */
const BEGUN = 'GET / HTTP/1.1\r\nHost: a\r\n';

const HEAD_MS = 100;

/** A server, and what it refused. */
interface Running {
  readonly port: number;
  readonly refused: readonly Problem[];
}

async function start(
  options: Partial<ServerOptions>,
  handler: WebHandler = () => new Response('answer', { headers: { 'content-length': '6' } }),
): Promise<Running> {
  const refused: Problem[] = [];
  const onRefusal = (problem: Problem): unknown => refused.push(problem);
  const server = await startServer(handler, { port: 0, host: '127.0.0.1', onRefusal, ...options });
  onTestFinished(() => server.stop(0));
  return { port: Number(new URL(server.url).port), refused };
}

/** A client that keeps what it is told. */
class Client {
  readonly socket: Socket;
  told = '';
  isClosed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => (this.told += chunk.toString()));
    // A reset is an end like any other.
    socket.on('error', () => undefined);
    socket.on('close', () => (this.isClosed = true));
  }

  /** Asks, and waits for the answer. @returns its status and the connection's future */
  async ask(): Promise<readonly (string | undefined)[]> {
    this.told = '';
    this.socket.write(REQUEST);
    await until('an answer', () => this.isClosed || /\r\n\r\n[^]*(?:answer|\}\n)$/.test(this.told));
    return [/^HTTP\/1.1 (\d+)/.exec(this.told)?.[1], /^connection: (\S+)/im.exec(this.told)?.[1]];
  }

  closed(): Promise<boolean> {
    return until('a closed connection', () => this.isClosed);
  }
}

async function open(port: number, localAddress = '127.0.0.1'): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return new Client(socket);
}

describe('a head that does not end', () => {
  it('is answered 408, and its connection closed', async () => {
    const { port, refused } = await start({ headMs: HEAD_MS });
    const client = await open(port);
    client.socket.write(BEGUN);
    await client.closed();
    expect(client.told).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n[^]*\r\nconnection: close\r\n/);
    expect(refused).toMatchObject([{ status: 408, code: 'bad_request', detail: 'the request did not arrive in time' }]);
  });

  it('is answered 408 however often a little more of it comes', async () => {
    const { port } = await start({ headMs: HEAD_MS });
    const client = await open(port);
    client.socket.write(BEGUN);
    while (!client.isClosed) {
      client.socket.write('x: y\r\n');
      await letPass(5, 'it comes in drops');
    }
    expect(client.told).toMatch(/^HTTP\/1.1 408 /);
  });

  it('is answered 408 after an earlier request of the same connection', async () => {
    const { port } = await start({ headMs: HEAD_MS });
    const client = await open(port);
    expect(await client.ask()).toEqual(['200', 'keep-alive']);
    client.told = '';
    client.socket.write(BEGUN);
    await client.closed();
    expect(client.told).toMatch(/^HTTP\/1.1 408 /);
  });

  it('is not what waits for its answer, nor a connection that waits for a next request', async () => {
    const { port, refused } = await start({ headMs: HEAD_MS }, async () => {
      await letPass(2 * HEAD_MS, 'the answer takes longer than a head may');
      return new Response('answer', { headers: { 'content-length': '6' } });
    });
    const client = await open(port);
    expect(await client.ask()).toEqual(['200', 'keep-alive']);
    await letPass(2 * HEAD_MS, 'nothing must happen');
    expect(await client.ask()).toEqual(['200', 'keep-alive']);
    expect(refused).toEqual([]);
  });
});

describe('a connection', () => {
  it('is closed when a client goes on with the body of a request that is answered', async () => {
    const { port } = await start({});
    const client = await open(port);
    client.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n');
    await until('the answer', () => client.told.endsWith('answer'));
    while (!client.isClosed) {
      client.socket.write('x');
      await letPass(20, 'it comes in drops');
    }
    expect(client.told).toMatch(/^HTTP\/1.1 200 /);
  });

  it('is closed after an answer whose head was sent before the server stopped', async () => {
    const finish = Promise.withResolvers<undefined>();
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(Buffer.from('ans'));
        await finish.promise;
        controller.enqueue(Buffer.from('wer'));
        controller.close();
      },
    });
    const handler = (): Response => new Response(body);
    const server = await startServer(handler, { port: 0, host: '127.0.0.1', lingerMs: 50 });
    const client = await open(Number(new URL(server.url).port));
    client.socket.write(REQUEST);
    await until('the head', () => client.told.includes('ans'));
    // A grace that no test outlives.
    const stopped = server.stop(600_000);
    await letPass(100, 'the server looks for idle connections once');
    finish.resolve(undefined);
    await stopped;
    expect(client.told).toMatch(/\r\nconnection: keep-alive\r\n[^]*wer\r\n0\r\n\r\n$/i);
    await client.closed();
  });

  it.each(['nothing is sent for too long', 'the server stops'])(
    'is reset where %s, so that HTTP/1.0 does not take a part of an answer for the whole',
    async (why) => {
      const begun = new TextEncoder().encode('a part');
      const handler = (): Response =>
        new Response(
          new ReadableStream({
            start: (controller) => {
              controller.enqueue(begun);
            },
          }),
        );
      const idleMs = why === 'the server stops' ? 600_000 : 200;
      const server = await startServer(handler, { port: 0, host: '127.0.0.1', idleMs });
      onTestFinished(() => server.stop(0));
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
      const closed = Promise.withResolvers<string>();
      socket.once('error', ({ message }) => {
        closed.resolve(message);
      });
      socket.once('end', () => {
        closed.resolve('an end like that of the whole');
      });
      socket.write('GET / HTTP/1.0\r\n\r\n');
      let got = '';
      // All of it: Node 22 tells a reset behind bytes that were not read as an end.
      socket.on('data', (bytes: Buffer) => (got += bytes.toString()));
      await until('it has begun', () => got.endsWith('a part'));
      if (why === 'the server stops') await server.stop(100);
      expect(await closed.promise).toContain('ECONNRESET');
    },
  );
});

describe('an address with too many connections', () => {
  it('is told so, and keeps those it had', async () => {
    const { port, refused } = await start({ connectionsPerAddress: 2 });
    const [first, second] = [await open(port), await open(port)];
    expect([await first.ask(), await second.ask()]).toEqual(Array(2).fill(['200', 'keep-alive']));
    const third = await open(port);
    expect(await third.ask()).toEqual(['429', 'close']);
    expect(third.told).toMatch(/\r\nretry-after: 2\r\n/i);
    await third.closed();
    expect(refused).toMatchObject([
      {
        status: 429,
        code: 'rate_limited',
        detail: 'at most 2 connections from one address may be open at a time: close one, or use it again',
      },
    ]);
    expect([await first.ask(), await second.ask()]).toEqual(Array(2).fill(['200', 'keep-alive']));
  });

  it('may open another one once one is closed', async () => {
    const { port } = await start({ connectionsPerAddress: 1 });
    const first = await open(port);
    await first.ask();
    expect(await (await open(port)).ask()).toEqual(['429', 'close']);
    first.socket.destroy();
    await until('a place', async () => (await (await open(port)).ask())[0] === '200');
  });

  it('cannot keep more of them by saying nothing', async () => {
    const { port, refused } = await start({ connectionsPerAddress: 1 });
    const first = await open(port);
    await first.ask();
    const [silent, slow] = [await open(port), await open(port)];
    slow.socket.write(BEGUN);
    await Promise.all([silent.closed(), slow.closed()]);
    expect([silent.told, slow.told, refused]).toEqual(['', '', []]);
    expect(await first.ask()).toEqual(['200', 'keep-alive']);
  });

  // Elsewhere loopback has one address.
  it.runIf(process.platform === 'linux')('does not count those of others', async () => {
    const { port } = await start({ connectionsPerAddress: 1 });
    const [first, other] = [await open(port), await open(port, '127.0.0.2')];
    expect([await first.ask(), await other.ask()]).toEqual(Array(2).fill(['200', 'keep-alive']));
  });
});
