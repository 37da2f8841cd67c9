// A PostgreSQL server that is stopped and started under a service: no answer is a 500, every 503 says when to come back,
// our own client waits, and the service needs no restart.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/adapters/server.ts';
import { records } from '../../src/client/index.ts';
import { pullRegister } from '../../src/mirror/index.ts';
import type { Logger } from '../../src/service/create-gazette.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { ending, folder, start } from '../cli/run.ts';
import { type World, world } from '../world.ts';
import { freePort } from '../docs/free-port.ts';
import { type PostgresServer, startPostgres } from '../stores/postgres/server.ts';
import { until } from '../until.ts';
import { type Asked, away, everyOther, everyRequest, expectWhole, told } from './routes-asked.ts';

/** Three pages of a hundred. */
const COUNT = 250;

/** The failures are what is meant here. */
const QUIET: Logger = { info: () => undefined, error: () => undefined };

let server: PostgresServer;
let pool: pg.Pool;
let service: World;
let url: string;
/** What happens before a request is answered. */
let before: (path: string) => Promise<void> = () => Promise.resolve();
const statuses: number[] = [];

/** Asks one of the {@link everyRequest} requests. */
async function ask({ path, init }: Asked): ReturnType<typeof told> {
  const response = await fetch(url + path, init);
  // A file that is being sent can only be broken off.
  return told(response).catch((error: unknown) => {
    if (path.endsWith('/register.csv')) return away(path);
    throw error;
  });
}

beforeAll(async () => {
  server = await startPostgres({ fsync: 'off' });
  // As `gazette serve` makes one.
  pool = new pg.Pool({ connectionString: server.url, connectionTimeoutMillis: 10_000 });
  pool.on('error', () => undefined);
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  service = await world({ store: await PostgresStore.open(pool), records: COUNT, baseUrl: url, logger: QUIET });
  const handler = async (request: Request): Promise<Response> => {
    await before(new URL(request.url).pathname);
    const response = await service.fetch(request);
    statuses.push(response.status);
    return response;
  };
  const running = await startServer(handler, { port, host: '127.0.0.1' });
  return async () => running.stop(0);
});
afterAll(async () => {
  await service.close();
  await pool.end();
  await server.stop();
});

it('answers 503 with Retry-After while the server is away, never 500, and goes on by itself', async () => {
  const requests = everyRequest(service.key);
  expectWhole((await (await fetch(`${url}/api/v1/openapi.json`)).json()) as { readonly paths: object });
  const seen = new Set<string>();
  let isOver = false;
  const load = requests.map(async (request) => {
    while (!isOver) seen.add(JSON.stringify(await ask(request)));
  });
  await until('answers', () => seen.size === 1);
  await server.halt();
  for (const request of [...requests, ...everyOther(service.key)]) {
    expect([request, ...(await ask(request))]).toEqual([request, ...away(request.path)]);
  }
  await server.resume();
  for (const request of requests) {
    await until(`an answer of ${request.path}`, async () => (await ask(request))[0] === 200);
  }
  isOver = true;
  await Promise.all(load);
  const possible = [[200, null, false], away('/feeds'), away('/readyz')];
  expect([...seen].sort()).toEqual(possible.map((one) => JSON.stringify(one)).sort());
});

it('still answers what needs no store: that it is alive, and what is not there', async () => {
  await server.halt();
  onTestFinished(() => server.resume());
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect((await fetch(`${url}/api/v1/nothing`)).status).toBe(404);
});

it('is waited for by our client and by a pull, which miss nothing', async () => {
  const waits: number[] = [];
  let halted: Promise<void> | null = null;
  const sleep = async (ms: number): Promise<void> => {
    waits.push(ms);
    await halted;
    if (halted !== null) await server.resume();
    halted = null;
  };
  const options = { key: service.key, sleep };
  const register = `${url}/api/v1/feeds/permits`;
  const walked: string[] = [];
  for await (const { id } of records(`${register}/records`, options)) {
    if (walked.push(id) === 1) await (halted = server.halt());
  }
  expect(walked).toHaveLength(COUNT);

  const output = join(await folder(), 'copy.ndjson');
  let asked = 0;
  before = async (path) => {
    if (path.endsWith('/register.ndjson') && ++asked === 1) await (halted = server.halt());
  };
  onTestFinished(() => void (before = () => Promise.resolve()));
  const waited = waits.length;
  expect((await pullRegister(register, { ...options, format: 'ndjson', output })).records).toBe(COUNT);
  expect([asked, waits.length > waited]).toEqual([2, true]);
  expect((await readFile(output, 'utf8')).trimEnd().split('\n')).toHaveLength(COUNT);
  // As long as the service asked, at least.
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(2000);
});

it('is waited for by the command pull, which copies the whole register', async () => {
  let asked = 0;
  before = async (path) => {
    if (path.endsWith('/register.ndjson') && ++asked === 1) await server.halt();
  };
  onTestFinished(() => void (before = () => Promise.resolve()));
  statuses.length = 0;
  const output = join(await folder(), 'copy.ndjson');
  const args = ['pull', `${url}/api/v1/feeds/permits`, '--format', 'ndjson', '--output', output];
  const child = start(args, { GAZETTE_API_KEY: service.key });
  const ended = ending(child);
  await until('an answer that says when to come back', () => statuses.includes(503) || child.exitCode !== null);
  await server.resume();
  expect(await ended).toMatchObject({ code: 0 });
  expect(statuses).not.toContain(500);
  expect((await readFile(output, 'utf8')).trimEnd().split('\n')).toHaveLength(COUNT);
});
