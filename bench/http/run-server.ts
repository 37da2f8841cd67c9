// A process of one server. It says where it listens and what to ask it, and its processor time whenever the parent asks.
import type { AddressInfo } from 'node:net';
import * as telemetry from '@opentelemetry/api';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { getRequest } from './load.ts';
import { jsonRequests, openRegister, pageRequests } from './pages.ts';
import { plainExports } from './plain-exports.ts';
import type { ServerReady } from './server-runner.ts';
import { HTTP_TABLES, type HttpTable, type Server } from './tables.ts';
import { DEFINITION } from '../data.ts';
import { createApiKey, newKeyEntry } from '../../src/access/api-key.ts';
import { startServer } from '../../src/adapters/server.ts';
import { PAGE_SIZE } from '../../src/register/page.ts';
import { createGazette } from '../../src/service/create-gazette.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { collect } from '../../test/telemetry/collected.ts';

/** What the parent wants of the process. */
export interface ServerOrder {
  readonly table: string;
  readonly server: Server;
  /** Records in the register. */
  readonly size: number;
  readonly storePath: string;
  readonly tablePath: string;
}

/** Pages in turn: each of them overlaps with the next, so that a small register has enough of them. */
const PAGES = 400;
const STEP = 37;

/** Nobody is refused, but everybody is counted. */
const LIMIT = { limit: 1_000_000, windowSeconds: 1 } as const;

/** Starts the service, and asks it once for what is to be asked for again. */
async function startGazette(table: HttpTable, { storePath, size }: ServerOrder, isTraced = false): Promise<Ready> {
  const store = SqliteStore.open(storePath);
  const key = createApiKey();
  const account = `bench-${process.pid}`;
  const createdAt = new Date().toISOString();
  await store.accounts.createAccount({ id: account, accessUntil: '2100-01-01T00:00:00Z', createdAt });
  await store.accounts.createKey(newKeyEntry(key, { accountId: account, product: 'bench', createdAt }));
  const { fetch } = createGazette({
    store,
    product: 'bench',
    baseUrl: 'https://permits.example.org',
    limits: { perKey: LIMIT },
    ...(isTraced ? { telemetry } : {}),
    // Pages that nobody asked for before come round again here.
    ...(table.kind === 'page' ? { cacheBytes: 0 } : {}),
  });
  const { url } = await startServer(fetch, { port: 0, host: '127.0.0.1' });
  const path = `/api/v1/feeds/${DEFINITION.id}/records/export.${table.format}`;
  const headers = { Authorization: `Bearer ${key}` };
  const first = await globalThis.fetch(url + path, { headers: { ...headers, 'Accept-Encoding': 'identity' } });
  const body = new Uint8Array(await first.arrayBuffer());
  const etag = first.headers.get('ETag')!;
  const asking = table.kind === 'not-modified' ? { ...headers, 'If-None-Match': etag } : headers;
  const requests =
    table.kind === 'page'
      ? offsets(size, table).map((offset) => getRequest(`${path}?offset=${offset}`, headers))
      : [getRequest(path, asking)];
  return {
    port: Number(new URL(url).port),
    requests,
    answer: { path, etag, headers: Object.fromEntries(first.headers), body },
  };
}

interface Ready extends ServerReady {
  readonly answer: {
    readonly path: string;
    readonly etag: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array<ArrayBuffer>;
  };
}

/** A Hono app that has the service's answer as a constant and compares one header. */
async function startBareHono(table: HttpTable, order: ServerOrder): Promise<ServerReady> {
  const { answer, requests } = await startGazette(table, order);
  const app = new Hono();
  // RFC 9110 15.4.5: no Content-Length of a body that is not sent.
  const unchanged = Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name !== 'content-length'));
  app.get(answer.path, (context) =>
    context.req.header('if-none-match') === answer.etag
      ? context.body(null, 304, unchanged)
      : context.body(answer.body, 200, answer.headers),
  );
  return { port: await listen(app), requests };
}

async function startPlainRoute(table: HttpTable, { tablePath, size }: ServerOrder): Promise<ServerReady> {
  const port = await listen(plainExports(tablePath));
  return {
    port,
    requests: offsets(size, table).map((offset) => getRequest(`/export.${table.format}?offset=${offset}`)),
  };
}

function listen(app: Hono): Promise<number> {
  return new Promise((resolve) => {
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }: AddressInfo) => {
      resolve(port);
    });
  });
}

function offsets(size: number, { start }: HttpTable): number[] {
  const from = Math.floor(size * start);
  const span = Math.max(1, Math.min(PAGES * STEP, size - from - PAGE_SIZE));
  return Array.from({ length: PAGES }, (_, index) => from + ((index * STEP) % span));
}

/** The service over the register when it is open: its pages for people, or the same as JSON. */
async function startPages(table: HttpTable, { storePath, size }: ServerOrder, isJson: boolean): Promise<ServerReady> {
  const store = SqliteStore.open(storePath);
  await openRegister(store, size);
  const limits = { perAddress: LIMIT };
  const { fetch } = createGazette({ store, baseUrl: 'https://permits.example.org', limits, cacheBytes: 0 });
  const { url } = await startServer(fetch, { port: 0, host: '127.0.0.1' });
  const requests = isJson ? jsonRequests : pageRequests;
  return { port: Number(new URL(url).port), requests: requests(table.page!, size, offsets(size, table)) };
}

const START = {
  gazette: (asked: HttpTable, given: ServerOrder) =>
    asked.page === undefined ? startGazette(asked, given) : startPages(asked, given, false),
  'gazette, traced': (asked: HttpTable, given: ServerOrder) => {
    // An SDK that makes the spans, and sends them nowhere.
    collect(() => undefined);
    return startGazette(asked, given, true);
  },
  'bare Hono': startBareHono,
  'plain route': startPlainRoute,
  'its JSON': (asked: HttpTable, given: ServerOrder) => startPages(asked, given, true),
} as const;

const order = JSON.parse(process.argv[2]!) as ServerOrder;
const table = HTTP_TABLES.find(({ id }) => id === order.table)!;
const { port, requests } = await START[order.server](table, order);
process.on('message', () => process.send!(process.cpuUsage()));
process.send!({ port, requests } satisfies ServerReady);
process.once('SIGINT', () => process.exit(0));
