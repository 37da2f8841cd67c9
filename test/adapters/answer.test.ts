// Handlers that answer without web objects, over real sockets: they see of a request what a `Request` would have said.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { toNodeListener, type WebHandler } from '../../src/adapters/node.ts';
import { startServer } from '../../src/adapters/server.ts';
import type { IncomingRequest } from '../../src/web/incoming-request.ts';
import type { HttpResponse } from '../../src/web/representation.ts';
import { letPass } from '../until.ts';

type Start = (handler: WebHandler) => Promise<number>;

const embedded: Start = async (handler) => {
  const server = createServer(toNodeListener(handler, { onError: () => undefined })).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
};

const own: Start = async (handler) => {
  const server = await startServer(handler, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop(0));
  return Number(new URL(server.url).port);
};

const SERVERS: readonly (readonly [string, Start])[] = [
  ['a server of Node’s', embedded],
  ['our own server', own],
];

/** A handler that answers so, and makes no `Response`. */
function answering(answer: (request: IncomingRequest) => Promise<HttpResponse>): WebHandler {
  const fetch = (): Response => {
    throw new Error('a Request was made');
  };
  return Object.assign(fetch, { answer });
}

const text = (said: string): HttpResponse => {
  const body = new TextEncoder().encode(said);
  return { status: 200, headers: { 'content-length': String(body.length) }, body };
};

/** Sends text and reads until the other side closes. */
async function context(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(sent);
  let answer = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) answer += chunk.toString('latin1');
  return answer;
}

const TARGETS = [
  '/',
  '/a/b.csv?limit=1&offset=2',
  '/a/../b/./c',
  '/%2e%2e/x',
  "/a?q='x'",
  '/records/permits%3A1',
  '//evil.example/x',
  '/a?b#c',
  '/a|b^c`{d}',
  '/a?b\\c',
  '/a?b=/../c',
];

it.each(SERVERS)('the address of a request is that of a Request, in %s', async (_, start) => {
  const seen: string[] = [];
  const lean = await start(
    answering(async ({ url }) => {
      seen.push(url);
      return text(url);
    }),
  );
  const whole: string[] = [];
  const web = await start(({ url }) => {
    whole.push(url);
    return new Response(url);
  });
  for (const target of TARGETS) {
    for (const host of ['h.example', 'H.Example:80', '127.1:8080', '[::1]:8080']) {
      const sent = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(await context(lean, sent)).toMatch(/^HTTP\/1.1 200 /);
      await context(web, sent);
      const expected = new URL(`http://${host}${target}`).href;
      expect([seen.at(-1), whole.at(-1)]).toEqual([expected, expected]);
    }
  }
  const backslash = 'GET /a\\..\\b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n';
  expect(await context(lean, backslash)).toMatch(/^HTTP\/1.1 400 [^]*"code":"bad_request"/);
});

it.each(SERVERS)('header fields, method and body come as they were sent, in %s', async (_, start) => {
  const port = await start(
    answering(async ({ method, headers, body }) => {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body ?? []) chunks.push(chunk);
      const fields = ['authorization', 'X-Other', 'x-none'].map((name) => headers.get(name));
      return text(JSON.stringify([method, fields, Buffer.concat(chunks).toString(), body === null]));
    }),
  );
  const head = 'Host: h\r\nAuthorization: a\r\nx-other:  b \r\nAUTHORIZATION: c\r\nConnection: close\r\n';
  const post = await context(port, `POST / HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`);
  expect(post).toContain(JSON.stringify(['POST', ['a, c', 'b', null], 'abc', false]));
  const trace = await context(port, `TRACE / HTTP/1.1\r\n${head}\r\n`);
  expect(trace).toContain(JSON.stringify(['TRACE', ['a, c', 'b', null], '', false]));
  expect(await context(port, `GET / HTTP/1.1\r\n${head}\r\n`)).toContain(',"",true]');
});

it.each(SERVERS)('the signal tells that the client went away, whenever it is asked for, in %s', async (_, start) => {
  const begun = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  const told = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()];
  const port = await start(
    answering(async (request) => {
      const isLate = request.url.endsWith('/1');
      const signal = isLate ? null : request.signal;
      begun[Number(isLate)]!.resolve(undefined);
      if (signal === null) await letPass(100, 'nobody tells who has not asked that the client went away');
      else await once(signal, 'abort');
      told[Number(isLate)]!.resolve(String(request.signal.reason));
      return text('nobody reads it');
    }),
  );
  for (const index of [0, 1]) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /${index} HTTP/1.1\r\nHost: h\r\n\r\n`);
    await begun[index]!.promise;
    socket.destroy();
    expect(await told[index]!.promise).toMatch(/^AbortError: the client closed/);
  }
});

it.each(SERVERS)('a handler that throws is answered 500 and nothing of the inside, in %s', async (_, start) => {
  const port = await start(answering(() => Promise.reject(new Error('secret'))));
  const answer = await context(port, 'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
  expect(answer).toMatch(/^HTTP\/1.1 500 [^]*"code":"internal_error"/);
  expect(answer).not.toContain('secret');
});

it('our own server does not wait for who goes on sending what nobody reads', async () => {
  const port = await own(answering(async () => text('refused')));
  const answer = await context(port, 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\nabc');
  expect(answer).toContain('refused');
});
