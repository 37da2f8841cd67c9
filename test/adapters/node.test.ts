import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type NodeListenerOptions, toNodeListener, type WebHandler } from '../../src/adapters/node.ts';
import { letPass } from '../until.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function serve(handler: WebHandler, options?: NodeListenerOptions): Promise<{ url: string; port: number }> {
  const server = createServer(toNodeListener(handler, options)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

/** Sends raw bytes and reads until the server closes. */
async function raw(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

const echo: WebHandler = async (request) =>
  Response.json({
    method: request.method,
    url: request.url,
    authorization: request.headers.get('authorization'),
    body: await request.text(),
  });

describe('toNodeListener', () => {
  it('hands over method, address, headers and body', async () => {
    const { url, port } = await serve(echo);
    const response = await fetch(`${url}/a/b?c=%C3%BC`, {
      method: 'POST',
      headers: { authorization: 'Bearer x' },
      body: 'hällo',
    });
    expect(await response.json()).toEqual({
      method: 'POST',
      url: `http://127.0.0.1:${port}/a/b?c=%C3%BC`,
      authorization: 'Bearer x',
      body: 'hällo',
    });
  });

  it('shows two Authorization headers as two, where Node alone would drop one', async () => {
    const { port } = await serve(echo);
    const answer = await raw(
      port,
      'GET / HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toContain('"authorization":"Bearer a, Bearer b"');
  });

  it.each([
    ['GET //evil.example/x HTTP/1.1', 'h.example', 'http://h.example//evil.example/x'],
    ['GET http://evil.example/x?y=1 HTTP/1.1', 'h.example', 'http://h.example/x?y=1'],
    ['OPTIONS * HTTP/1.1', 'h.example:8080', 'http://h.example:8080/'],
    ['GET /x HTTP/1.1', '[::1]:8080', 'http://[::1]:8080/x'],
  ])('understands %s for host %s as %s', async (line, host, url) => {
    const { port } = await serve(echo);
    const answer = await raw(port, `${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toContain(`"url":${JSON.stringify(url)}`);
  });

  it.each([
    ['TRACE / HTTP/1.1', 'h', '501'],
    ['GET / HTTP/1.1', 'user@h', '400'],
    ['GET / HTTP/1.1', 'h/path', '400'],
    ['GET / HTTP/1.1', '[', '400'],
    ['GET / HTTP/1.1', 'h:99999', '400'],
  ])('refuses %s for host %s with %s', async (line, host, status) => {
    const { port } = await serve(echo);
    const answer = await raw(port, `${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/^Content-Type: application\/problem\+json\r$/im);
    expect(answer).toMatch(/^x-request-id: [0-9a-f-]{36}\r$/im);
    expect(answer).toMatch(/"code":"(?:bad_request|not_implemented)"/);
  });

  it('believes forwarded headers only when told to', async () => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example, open.example' };
    const trusting = await serve(echo, { trustProxy: true, trustForwardedHost: true });
    expect(await (await fetch(trusting.url, { headers })).json()).toMatchObject({ url: 'https://open.example/' });
    const proxied = await serve(echo, { trustProxy: true });
    const { host } = new URL(proxied.url);
    expect(await (await fetch(proxied.url, { headers })).json()).toMatchObject({ url: `https://${host}/` });
    const wary = await serve(echo);
    expect(await (await fetch(wary.url, { headers })).json()).toMatchObject({ url: `${wary.url}/` });
    const bad = await fetch(trusting.url, { headers: { 'x-forwarded-proto': 'javascript' } });
    expect(bad.status).toBe(400);
  });

  it.each([
    ['nobody reads', async () => new Response('read nothing')],
    [
      'is given up half way',
      async (request: Request) => {
        const reader = request.body!.getReader();
        await reader.read();
        return new Response('read a little');
      },
    ],
    [
      'is cancelled half way',
      async (request: Request) => {
        const reader = request.body!.getReader();
        await reader.read();
        await reader.cancel();
        return new Response('read a little');
      },
    ],
  ])('sees the next request on a connection behind a body that %s', async (_, handler: WebHandler) => {
    const { port } = await serve((request) => (request.method === 'POST' ? handler(request) : new Response('second')));
    const length = 5_000_000;
    const answer = raw(
      port,
      `POST / HTTP/1.1\r\nHost: h\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}` +
        'GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n',
    );
    expect(await answer).toContain('second');
  });

  it('sends a stream as fast as it is taken, and its cookies one by one', async () => {
    let pulled = 0;
    const { url } = await serve(() => {
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            pulled++;
            if (pulled > 400) controller.close();
            else controller.enqueue(new Uint8Array(65_536).fill(pulled));
          },
        },
        { highWaterMark: 0 },
      );
      const headers = new Headers();
      headers.append('set-cookie', 'a=1');
      headers.append('set-cookie', 'b=2');
      return new Response(body, { headers });
    });
    const response = await fetch(url);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    await letPass(200, 'who pulls ahead of its reader would have done it by now');
    expect(pulled, 'a reader that waits is not flooded').toBeLessThan(300);
    expect((await response.arrayBuffer()).byteLength).toBe(400 * 65_536);
  });

  it('cancels the stream and fires the signal when the client hangs up', async () => {
    const cancelled = Promise.withResolvers<unknown>();
    const aborted = Promise.withResolvers<unknown>();
    const errors: unknown[] = [];
    const { port } = await serve(
      (request) => {
        request.signal.addEventListener('abort', () => {
          aborted.resolve(request.signal.reason);
        });
        return new Response(
          new ReadableStream<Uint8Array>({
            pull: (controller) => {
              controller.enqueue(new Uint8Array(65_536));
            },
            cancel: (reason) => {
              cancelled.resolve(reason);
            },
          }),
        );
      },
      { onError: (error) => errors.push(error) },
    );
    const socket = connect(port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    expect(String(await cancelled.promise)).toContain('closed the connection');
    expect(String(await aborted.promise)).toContain('closed the connection');
    expect(errors).toEqual([]);
  });

  it.each(['a Response', 'an answer of its own'])(
    'cancels the stream of %s where the client hung up before there was one',
    async (kind) => {
      const cancelled = Promise.withResolvers<unknown>();
      const [asked, gone] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      const bodyOf = async (signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> => {
        signal.addEventListener('abort', () => {
          gone.resolve(undefined);
        });
        asked.resolve(undefined);
        await gone.promise;
        // It waits for something to say, as events do.
        return new ReadableStream({ cancel: cancelled.resolve }, { highWaterMark: 0 });
      };
      const handler: WebHandler = async ({ signal }) => new Response(await bodyOf(signal));
      const answer: WebHandler['answer'] = async ({ signal }) => ({
        status: 200,
        headers: {},
        body: await bodyOf(signal),
      });
      const { port } = await serve(kind === 'a Response' ? handler : Object.assign(handler, { answer }));
      const socket = connect(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
      await asked.promise;
      socket.destroy();
      expect(String(await cancelled.promise)).toContain('closed the connection');
    },
  );

  it('cancels the stream that gives something else than bytes', async () => {
    const cancelled = Promise.withResolvers<unknown>();
    const errors: unknown[] = [];
    const pull = (controller: ReadableStreamDefaultController): void => {
      controller.enqueue({ not: 'bytes' });
    };
    const { url } = await serve(
      () => new Response(new ReadableStream({ pull, cancel: cancelled.resolve }, { highWaterMark: 0 })),
      { onError: (error) => errors.push(error) },
    );
    expect((await fetch(url)).status).toBe(500);
    expect(String(await cancelled.promise)).toContain('must be of type string or an instance of Buffer');
    expect(errors).toHaveLength(1);
  });

  it('breaks the connection off when a body fails after its head', async () => {
    const errors: unknown[] = [];
    const begun = Promise.withResolvers<undefined>();
    const { port } = await serve(
      () => {
        let pulls = 0;
        return new Response(
          new ReadableStream<Uint8Array>({
            pull: async (controller) => {
              if (pulls++ === 0) {
                controller.enqueue(new TextEncoder().encode('begun'));
                return;
              }
              await begun.promise;
              throw new Error('the store went away');
            },
          }),
        );
      },
      { onError: (error) => errors.push(error) },
    );
    const socket = connect(port, '127.0.0.1');
    // How a connection ends that is broken off is the system's: by its end or by a reset.
    socket.on('error', () => undefined);
    const closed = once(socket, 'close');
    let answer = '';
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString();
      if (answer.includes('begun')) begun.resolve(undefined);
    });
    socket.write('GET / HTTP/1.1\r\nHost: h\r\n\r\n');
    await closed;
    expect(answer).toContain('begun');
    expect(answer, 'the last chunk of a chunked body never comes').not.toContain('\r\n0\r\n\r\n');
    expect(answer).not.toContain('went away');
    expect(String(errors)).toContain('the store went away');
  });

  it('answers 500 and nothing of the inside when a handler throws, and tells the owner', async () => {
    const errors: unknown[] = [];
    const { url } = await serve(
      () => {
        throw new Error('secret');
      },
      { onError: (error) => errors.push(error) },
    );
    const response = await fetch(url);
    const text = await response.text();
    expect(response.status).toBe(500);
    expect(JSON.parse(text)).toMatchObject({ code: 'internal_error' });
    expect(text).not.toContain('secret');
    expect(String(errors)).toContain('secret');
  });
});
