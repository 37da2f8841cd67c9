import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { toNodeListener } from '../../../src/adapters/node.ts';
import { expressWebhook } from '../../../src/webhooks/receive/express.ts';
import { fastifyWebhook } from '../../../src/webhooks/receive/fastify.ts';
import { MemoryIdempotencyStore } from '../../../src/webhooks/receive/memory-idempotency.ts';
import { webhookHandler } from '../../../src/webhooks/receive/web-handler.ts';
import { type ReceiverHost, receiverContract } from '../../contracts/receiver-contract.ts';
import { delivery, SECRET } from '../send/deliveries.ts';

async function listen(listener: RequestListener): Promise<ReceiverHost> {
  const server: Server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

receiverContract('webhookHandler', (options) => listen(toNodeListener(webhookHandler(options))));

receiverContract(
  'expressWebhook',
  (options) => {
    const app = express();
    // In test mode Express does not print the errors it answers.
    app.set('env', 'test');
    app.post('/webhooks', express.raw({ type: () => true, limit: options.maxBodyBytes! }), expressWebhook(options));
    return listen(app);
  },
  { readsAll: true },
);

receiverContract('fastifyWebhook', async (options) => {
  const app = Fastify();
  await app.register(fastifyWebhook(options), { prefix: '/webhooks' });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url: `${address}/webhooks`,
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
});

describe('a handler', () => {
  const options = (): { secret: string; store: MemoryIdempotencyStore; handle: () => undefined } => ({
    secret: SECRET,
    store: new MemoryIdempotencyStore(),
    handle: () => undefined,
  });

  it.each([
    ['the web', webhookHandler],
    ['Express', expressWebhook],
    ['Fastify', fastifyWebhook],
  ])('of %s is not made with a secret that has white space around it', (_, make) => {
    expect(() => make({ ...options(), secret: `${SECRET}\n` })).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        message: expect.stringMatching(/white space around/) as string,
      }),
    );
  });

  it('of the web answers 405 to everything but POST', async () => {
    const answer = await webhookHandler(options())(new Request('https://example.org/webhooks'));
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('of the web says so when somebody has read the body', async () => {
    const errors: unknown[] = [];
    const { body, headers } = delivery();
    const request = new Request('https://example.org/webhooks', { method: 'POST', body, headers });
    await request.json();
    const handler = webhookHandler({ ...options(), onError: (error) => errors.push(error) });
    expect((await handler(request)).status).toBe(500);
    expect(errors).toEqual([expect.objectContaining({ code: 'invalid_option' })]);
  });

  it('of the web answers 400 when the body breaks off', async () => {
    const body = new ReadableStream({
      pull: () => Promise.reject(new Error('the line is dead')),
    });
    const { headers } = delivery();
    const request = new Request('https://example.org/webhooks', { method: 'POST', body, headers, duplex: 'half' });
    expect((await webhookHandler(options())(request)).status).toBe(400);
  });

  it('of Express says so behind a parser that left nothing to verify', async () => {
    const errors: unknown[] = [];
    const app = express();
    app.use(express.json());
    app.post('/webhooks', express.raw({ type: () => true }), expressWebhook({ ...options(), onError: (error) => errors.push(error) })); // prettier-ignore
    const { url, close } = await listen(app);
    try {
      const { body, headers } = delivery();
      const post = (): Promise<Response> =>
        fetch(url, { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } });
      expect((await post()).status).toBe(500);
      expect(errors).toEqual([expect.objectContaining({ code: 'invalid_option', message: expect.stringMatching(/express\.raw/) as string })]); // prettier-ignore
    } finally {
      await close();
    }
  });

  it('of Fastify answers 400 to a body that is not as long as it says', async () => {
    const app = Fastify();
    await app.register(fastifyWebhook(options()), { prefix: '/webhooks' });
    const { body, headers } = delivery();
    const answer = await app.inject({ method: 'POST', url: '/webhooks', payload: body, headers: { ...headers, 'content-length': '999' } }); // prettier-ignore
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([400, 'bad_request']);
    await app.close();
  });

  it('of Fastify leaves the parsers of the other routes alone', async () => {
    const app = Fastify();
    await app.register(fastifyWebhook(options()), { prefix: '/webhooks' });
    app.post('/other', (request) => request.body);
    const answer = await app.inject({ method: 'POST', url: '/other', payload: { a: 1 } });
    expect(answer.json()).toEqual({ a: 1 });
    await app.close();
  });
});
