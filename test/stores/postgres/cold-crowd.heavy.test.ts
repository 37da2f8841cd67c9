// Four nodes that have just started, on one PostgreSQL, under 200 connections for one page: each node renders it once. No
// read of a page ends before all requests wait, so that what they find is the same in every run.
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, it, onTestFinished, vi } from 'vitest';
import { startServer } from '../../../src/adapters/server.ts';
import { createGazette } from '../../../src/service/create-gazette.ts';
import { Shared } from '../../../src/shared.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { BASE_URL, world, type World, PRODUCT } from '../../world.ts';
import { until } from '../../until.ts';
import { quiet } from './way.ts';

const NODES = 4;
const CONNECTIONS = 200;

const SCHEMA = 'cold_crowd';
const RECORDS = '/api/v1/feeds/permits/records';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** In hexadecimal. */
  readonly body: string;
}

interface Asked {
  readonly hasKey?: boolean;
  /** What it accepts, and is given. */
  readonly coding?: string;
  /** How many pages are read for one render. Default 1. */
  readonly readsEach?: number;
}

const pool = quiet(new pg.Pool({ connectionString: inject('postgresUrl') }));
let service: World;
beforeAll(async () => {
  await pool.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  service = await world({ store: await PostgresStore.open(pool, { schema: SCHEMA }) });
});
afterAll(async () => {
  await service.close();
  await pool.end();
});

/** Lets the reads of pages go. */
let gate: PromiseWithResolvers<undefined>;
/** How many pages each node has read. */
let reads: number[];
/** The requests that have come to where they render, or wait for one that does. */
let come: number;

beforeEach(() => {
  gate = Promise.withResolvers();
  reads = [];
  come = 0;
  const of = Object.getOwnPropertyDescriptor(Shared.prototype, 'of')!.value as Shared<unknown, unknown>['of'];
  vi.spyOn(Shared.prototype, 'of').mockImplementation(function (this: Shared<unknown, unknown>, ...given) {
    // Bodies are named by their entity tags.
    if (typeof given[0] === 'string' && given[0].startsWith('"')) come++;
    return of.apply(this, given);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A node with connections, a store and caches of its own, whose reads of pages wait for the gate. */
async function startNode(number: number): Promise<string> {
  const own = quiet(new pg.Pool({ connectionString: inject('postgresUrl') }));
  const store = await PostgresStore.open(own, { schema: SCHEMA, answersFromMemory: true });
  const openSource = store.source.bind(store);
  reads[number] = 0;
  store.source = async (...given) => {
    const source = await openSource(...given);
    const page = source.page.bind(source);
    source.page = async (query) => {
      reads[number]!++;
      await gate.promise;
      return page(query);
    };
    return source;
  };
  const { now } = service.clock;
  const node = createGazette({ store, product: PRODUCT, baseUrl: BASE_URL, limits: null, now: () => now });
  const server = await startServer(node.fetch, { port: 0, host: '127.0.0.1' });
  onTestFinished(async () => {
    await server.stop(0);
    await node.close();
    await store.close();
    await own.end();
  });
  return server.url;
}

/** Asks over a connection of its own. */
function ask(url: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { agent: new Agent({ maxSockets: 1 }), headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = Buffer.concat(chunks).toString('hex');
        resolve({ status: response.statusCode!, headers: response.headers, body });
      });
    })
      .on('error', reject)
      .end();
  });
}

it.each([
  ['a list with a key', RECORDS, { hasKey: true }],
  ['the list that the public sees', RECORDS, {}],
  ['CSV', `${RECORDS}/export.csv`, { hasKey: true }],
  ['compressed CSV', `${RECORDS}/export.csv`, { hasKey: true, coding: 'gzip' }],
  ['XLSX', `${RECORDS}/export.xlsx`, { hasKey: true }],
  ['XML', `${RECORDS}/export.xml`, { hasKey: true }],
  ['RSS', `${RECORDS}/export.rss`, { hasKey: true }],
  ['compressed Atom', `${RECORDS}/export.atom`, { hasKey: true, coding: 'gzip' }],
  // Long records leave no room for as many as were asked for: it reads those that it shows.
  ['a page for people', '/feeds/permits', { readsEach: 2 }],
])('renders %s once per node', async (_, path, asked: Asked) => {
  const { hasKey = false, coding, readsEach = 1 } = asked;
  const urls = await Promise.all(Array.from({ length: NODES }, (_node, number) => startNode(number)));
  const headers = {
    ...(hasKey ? { authorization: `Bearer ${service.key}` } : {}),
    ...(coding === undefined ? {} : { 'accept-encoding': coding }),
  };
  const asking = Array.from({ length: CONNECTIONS }, (_connection, n) => ask(urls[n % NODES]! + path, headers));
  await until('all requests', () => come === CONNECTIONS);
  gate.resolve(undefined);
  const answers = await Promise.all(asking);
  expect(reads).toEqual(Array.from({ length: NODES }, () => readsEach));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map((answer) => answer.headers['content-encoding']))).toEqual(new Set([coding]));
  // All nodes call the same bytes by the same name.
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
  expect(new Set(answers.map((answer) => answer.headers.etag)).size).toBe(1);
});
