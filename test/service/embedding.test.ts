// The whole service embedded in the servers people have, at the root and below a mount, and behind proxies.
import { serve as serveHono } from '@hono/node-server';
import express from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { once } from 'node:events';
import { createServer, request as ask, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe } from 'vitest';
import { toFastifyHandler } from '../../src/adapters/fastify.ts';
import { toKoaMiddleware, toNodeListener } from '../../src/adapters/node.ts';
import { startServer } from '../../src/adapters/server.ts';
import { createGazette, type Gazette, type GazetteOptions } from '../../src/service/create-gazette.ts';
import { BASE_URL, world, PRODUCT } from '../world.ts';
import { describeServiceServer, SERVED_COUNT, type ServiceServer } from '../contracts/service-server-contract.ts';

/** A host that listens on a free port of loopback. */
interface Listening {
  readonly port: number;
  readonly close: () => Promise<unknown>;
}

/** Starts a service in a host. @param mount the path below which it is found, without a slash at its end */
type Host = (gazette: Gazette, mount: string) => Promise<Listening>;

async function listen(server: Server): Promise<Listening> {
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async (): Promise<unknown> => {
    const closed = once(server.close(), 'close');
    server.closeAllConnections();
    return closed;
  };
  return { port: (server.address() as AddressInfo).port, close };
}

const HOSTS: Readonly<Record<string, Host>> = {
  'node:http': ({ fetch }) => listen(createServer(toNodeListener(fetch))),
  'Express 5': ({ fetch }, mount) => {
    const app = express();
    app.use(mount === '' ? '/' : mount, toNodeListener(fetch));
    return listen(createServer(app as RequestListener));
  },
  'Fastify 5': async ({ fetch }, mount) => {
    const app = Fastify();
    app.all(`${mount}/*`, toFastifyHandler(fetch));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
  },
  Koa: ({ fetch }, mount) => {
    const app = new Koa();
    const service = toKoaMiddleware(fetch);
    app.use((context, next) => (context.path.startsWith(`${mount}/`) ? service(context) : next()));
    return listen(createServer(app.callback() as RequestListener));
  },
  Hono: ({ fetch }, mount) => {
    const app = new Hono();
    app.all(`${mount}/*`, (context) => fetch(context.req.raw));
    return listen(serveHono({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  },
  'gazette’s own server': async ({ fetch }) => {
    const server = await startServer(fetch, { port: 0, host: '127.0.0.1' });
    return { port: Number(new URL(server.url).port), close: () => server.stop(0) };
  },
};

/** A proxy in front of a port: what it cuts off the path, and what it adds to the head. */
function proxyTo(port: number, cut: string, added: readonly string[]): Promise<Listening> {
  const names = new Set(added.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  const listener: RequestListener = (request, response) => {
    const kept: string[] = [];
    for (let i = 0; i < request.rawHeaders.length; i += 2) {
      // What it says itself, it lets no client say.
      if (!names.has(request.rawHeaders[i]!.toLowerCase())) kept.push(...request.rawHeaders.slice(i, i + 2));
    }
    const onward = ask({
      port,
      host: '127.0.0.1',
      method: request.method!,
      path: request.url!.slice(cut.length),
      headers: [...kept, ...added],
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode!, answer.rawHeaders);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  };
  return listen(createServer(listener));
}

/** What a proxy says of the request that reached it. */
const FORWARDED = ['X-Forwarded-Proto', 'https', 'X-Forwarded-Host', new URL(BASE_URL).host];

const service = await world({ records: SERVED_COUNT });

/** The suite against one arrangement. @param arrange starts it all; what it answers is closed after the suite */
function suite(
  name: string,
  arrange: (
    make: (options?: Partial<GazetteOptions>) => Gazette,
  ) => Promise<{ readonly found: Omit<ServiceServer, 'key'>; readonly opened: readonly Listening[] }>,
): void {
  describe('embedded', () => {
    let found: ServiceServer;
    let opened: readonly Listening[] = [];
    const gazettes: Gazette[] = [];

    beforeAll(async () => {
      const make = (options: Partial<GazetteOptions> = {}): Gazette => {
        const { store, clock } = service;
        const gazette = createGazette({ store, product: PRODUCT, limits: null, now: () => clock.now, ...options });
        gazettes.push(gazette);
        return gazette;
      };
      const arranged = await arrange(make);
      opened = arranged.opened;
      found = { ...arranged.found, key: service.key };
    });

    afterAll(async () => {
      for (const { close } of opened) await close();
      for (const gazette of gazettes) await gazette.close();
    });

    describeServiceServer(name, () => found);
  });
}

for (const [name, host] of Object.entries(HOSTS)) {
  suite(name, async (make) => {
    const listening = await host(make(), '');
    return { found: { address: `http://127.0.0.1:${listening.port}` }, opened: [listening] };
  });
}

for (const [name, host] of Object.entries(HOSTS)) {
  suite(`${name}, below /open-data`, async (make) => {
    const listening = await host(make(), '/open-data');
    return { found: { address: `http://127.0.0.1:${listening.port}/open-data` }, opened: [listening] };
  });
}

suite('node:http behind a proxy that strips its prefix, with the address configured', async (make) => {
  const links = `${BASE_URL}/open-data`;
  const inner = await HOSTS['node:http']!(make({ baseUrl: links }), '');
  const proxy = await proxyTo(inner.port, '/open-data', []);
  return { found: { address: `http://127.0.0.1:${proxy.port}/open-data`, links }, opened: [proxy, inner] };
});

suite('node:http behind a proxy that is trusted to say where it is', async (make) => {
  const inner = await HOSTS['node:http']!(make({ trustProxy: true, trustForwardedHost: true }), '');
  const proxy = await proxyTo(inner.port, '', FORWARDED);
  return { found: { address: `http://127.0.0.1:${proxy.port}`, links: BASE_URL }, opened: [proxy, inner] };
});

suite('node:http behind a proxy that is not trusted', async (make) => {
  const inner = await HOSTS['node:http']!(make(), '');
  const proxy = await proxyTo(inner.port, '', FORWARDED);
  return { found: { address: `http://127.0.0.1:${proxy.port}` }, opened: [proxy, inner] };
});
