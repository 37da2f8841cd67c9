// nginx as a shared cache in front of the service, by the usual recipe: its key has no host. Nobody can put links to a
// host of his own into what others are given, and what a key opens is never kept.
import { once } from 'node:events';
import { type IncomingMessage, request as ask } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import type { GazetteOptions } from '../../src/service/create-gazette.ts';
import { SAMPLES, type World, world } from '../world.ts';
import { until } from '../until.ts';
import { startNginx } from './nginx.ts';
import { missing } from './tools.ts';

interface Answer {
  readonly status: number;
  /** HIT, MISS, … */
  readonly cache: string;
  readonly body: string;
}

/** A service behind nginx. */
interface Cached extends World {
  readonly through: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
}

async function behindNginx(options: Partial<GazetteOptions>): Promise<Cached> {
  const demo = await world({ samples: SAMPLES, ...options });
  const server = await startServer(demo.fetch, { port: 0, host: '127.0.0.1' });
  onTestFinished(() => server.stop(0));
  const port = await startNginx(
    (port) => `proxy_cache_path FOLDER/cache keys_zone=gazette:1m;
       server {
         listen 127.0.0.1:${port} default_server;
         location / {
           proxy_pass ${server.url};
           proxy_set_header Host $host;
           proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
           proxy_cache gazette;
           add_header X-Cache $upstream_cache_status always;
         }
       }`,
  );
  const through: Cached['through'] = async (path, headers = {}) => {
    const sent = ask({ host: '127.0.0.1', port, path: `/api/v1${path}`, headers, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const body = Buffer.concat(await response.toArray()).toString();
    return { status: response.statusCode!, cache: String(response.headers['x-cache']), body };
  };
  await until('nginx', () => through('/nothing').catch(() => null));
  return { ...demo, through };
}

const EVIL = 'evil.example';
const CLIENT = { host: 'registers.example.org' };

describe.skipIf(missing('nginx', '-v') !== null)('nginx as a shared cache', () => {
  it.each([
    ['without any option', {}],
    ['behind a trusted proxy', { trustProxy: true }],
    ['with a trusted host, which the recipe passes on', { trustProxy: true, trustForwardedHost: true }],
    ['with a base URL', { trustProxy: true, trustForwardedHost: true, baseUrl: 'https://registers.example.org' }],
  ])('gives nobody the links that another one asked for: %s', async (_, options) => {
    const { through } = await behindNginx(options);
    const poisons = { '/feeds': { host: EVIL }, '/feeds/permits': { ...CLIENT, 'x-forwarded-host': EVIL } };
    for (const [path, poison] of Object.entries(poisons)) {
      expect((await through(path, poison)).status).toBe(200);
      const { status, body } = await through(path, CLIENT);
      expect([path, status, body.includes(EVIL)]).toEqual([path, 200, false]);
    }
    const insecure = await through('/openapi.json', { ...CLIENT, 'x-forwarded-proto': 'http' });
    const secure = await through('/openapi.json', { ...CLIENT, 'x-forwarded-proto': 'https' });
    expect(insecure.status).toBe(200);
    if ('trustProxy' in options) expect(secure.body).toContain('"url":"https://');
    // And it does keep what it gives.
    expect((await through('/feeds', CLIENT)).cache).toBe('HIT');
  });

  it('keeps nothing that a key opened', async () => {
    const { through, key } = await behindNginx({ baseUrl: 'https://registers.example.org' });
    const path = '/feeds/permits/records?limit=3';
    for (let i = 0; i < 2; i++) {
      const opened = await through(path, { ...CLIENT, authorization: `Bearer ${key}` });
      expect([opened.status, opened.cache === 'HIT', opened.body.includes('"tier":"public"')]).toEqual([
        200,
        false,
        false,
      ]);
      const closed = await through(path, CLIENT);
      expect([closed.status, closed.body.includes('"tier":"public"')]).toEqual([200, true]);
    }
    expect((await through(path, CLIENT)).cache).toBe('HIT');
  });
});
