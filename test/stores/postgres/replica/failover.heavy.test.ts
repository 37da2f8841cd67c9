// Two `gazette serve` that read from a streaming replica two seconds behind: what they say meanwhile, and when the primary is
// lost under load and the replica takes its place.
import pg from 'pg';
import { beforeEach, expect, it } from 'vitest';
import { newKeyEntry, createApiKey } from '../../../../src/access/api-key.ts';
import { isGazetteError } from '../../../../src/errors.ts';
import type { ApiKeyEntry } from '../../../../src/stores/contract/accounts.ts';
import { refuseReplicas } from '../../../../src/stores/postgres/replica/refuse-replicas.ts';
import { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { serve } from '../../../cli/served.ts';
import { BASE_URL, world, type World, type ListBody, PRODUCT } from '../../../world.ts';
import { at, say } from '../../../contracts/store-register.ts';
import { letPass, until } from '../../../until.ts';
import { type PostgresServer, startPostgres } from '../server.ts';
import { CONNECT_PATIENCE_MS, quiet, startWay, type Way } from '../way.ts';

const COUNT = 120;
const LAG_MS = 2000;
/** Within so long, in milliseconds, every node knows what was committed. */
const BOUND_MS = 1000;
/** How long there is load before and after, in milliseconds. */
const LOAD_MS = 6000;
const SETTINGS = { fsync: 'off', full_page_writes: 'off', jit: 'off' };

let replica: PostgresServer;
let primary: PostgresServer;
let way: Way;
let pool: pg.Pool;
let writer: PostgresStore;
let service: World;
let nodes: readonly string[];
/** What any node answered, by its address and tag. */
let served: Map<string, string>;

beforeEach(async () => {
  served = new Map();
  primary = await startPostgres(SETTINGS);
  replica = await primary.replicate({ recovery_min_apply_delay: `${LAG_MS}ms` });
  way = await startWay(primary.url);
  pool = quiet(
    new pg.Pool({ connectionString: way.url, connectionTimeoutMillis: CONNECT_PATIENCE_MS, verify: refuseReplicas }),
  );
  // A commit is acknowledged when the replica has it too, though it shows it later.
  await pool.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await pool.query('SELECT pg_reload_conf()');
  writer = await PostgresStore.open(pool);
  service = await world({ store: writer, records: COUNT });
  // The processes have the time of day.
  await writer.accounts.updateAccount(service.accountId, { accessUntil: '2999-01-01T00:00:00Z' });
  const limits = ['--limit-key', 'none', '--limit-address', 'none'];
  const options = ['--product', PRODUCT, '--base-url', BASE_URL, ...limits, '--no-pages', '--read-store', replica.url];
  nodes = [(await serve(way.url, ...options)).api, (await serve(way.url, ...options)).api];
  return async () => {
    await service.close();
    await pool.end();
    way.stop();
    await replica.stop();
    await primary.stop();
  };
});

const anyNode = (): string => nodes[Math.floor(Math.random() * nodes.length)]!;

const ask = (node: string, path: string, key = service.key): Promise<Response> =>
  fetch(node + path, { headers: { authorization: `Bearer ${key}` } });

/** What was written, and when it was acknowledged. */
interface Written {
  readonly id: string;
  readonly at: number;
}

/** What goes on until it is told to stop, which also tells how it failed. */
function goesOn(step: (number: number) => Promise<void>): { readonly stop: () => Promise<void> } {
  const over = new AbortController();
  const going = (async () => {
    for (let number = 0; !over.signal.aborted; number++) await step(number);
  })();
  going.catch(() => undefined);
  return {
    stop: async () => {
      over.abort();
      await going;
    },
  };
}

/** Publishes a record after the other, each again until it is acknowledged. */
function publish(): { readonly written: readonly Written[]; readonly stop: () => Promise<void> } {
  const written: Written[] = [];
  const { stop } = goesOn(async () => {
    const name = `new-${written.length}`;
    try {
      await writer.apply('permits', [say(name, { title: name, content: 'x'.repeat(500) })], { recordedAt: at(2) });
      written.push({ id: `permits:${name}`, at: performance.now() });
    } catch (error) {
      if (!isGazetteError(error, 'store_unavailable')) throw error;
    }
    await letPass(50, 'a publisher does not publish without a pause');
  });
  return { written, stop };
}

/**
 * Walks the register, each page on any node, and says what it found and its view. A 503 is asked again, while it may be.
 *
 * @param mayFail whether the store may be away
 */
async function walk(mayFail: () => boolean): Promise<{ readonly ids: readonly string[]; readonly asOf: number }> {
  const ids: string[] = [];
  let path: string | null = '/feeds/permits/records?limit=50';
  let asOf: number | null = null;
  while (path !== null) {
    const response = await ask(anyNode(), path);
    if (response.status === 503 && mayFail()) {
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      await response.body?.cancel();
      await letPass(50, 'asked again');
      continue;
    }
    expect([path, response.status]).toEqual([path, 200]);
    const body = await response.text();
    const tagged = `${path} ${response.headers.get('etag')}`;
    expect(served.get(tagged) ?? body, 'two pages under one tag').toBe(body);
    served.set(tagged, body);
    const page = JSON.parse(body) as ListBody;
    asOf ??= page.as_of;
    expect(page.as_of).toBe(asOf);
    ids.push(...page.records.map(({ id }) => id));
    path =
      page.next_offset === null ? null : `/feeds/permits/records?limit=50&as_of=${asOf}&offset=${page.next_offset}`;
  }
  return { ids, asOf: asOf! };
}

/** All ids of a view, on the primary of the moment. */
async function idsOf(asOf: number): Promise<readonly string[]> {
  const source = await writer.source('permits');
  const ids: string[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const page = await source.page({ offset, limit: 100, asOf });
    ids.push(...page.records.map(({ id }) => id));
    offset = page.nextOffset;
  }
  return ids;
}

/** Walks until told to stop: each is exact, and none begins older than the bound allows. */
function read(
  written: readonly Written[],
  mayFail: () => boolean = () => false,
): { readonly walks: () => number; readonly stop: () => Promise<void> } {
  let walks = 0;
  const readers = Array.from({ length: 3 }, () =>
    goesOn(async () => {
      const old = written.findLast((one) => one.at < performance.now() - BOUND_MS);
      const { ids, asOf } = await walk(mayFail);
      let all: readonly string[] | null = null;
      await until('the store tells', async () => {
        all = await idsOf(asOf).catch((error: unknown) => {
          if (isGazetteError(error, 'store_unavailable') && mayFail()) return null;
          throw error;
        });
        return all !== null;
      });
      expect(ids).toEqual(all);
      if (old !== undefined) expect(ids).toContain(old.id);
      walks++;
    }),
  );
  return {
    walks: () => walks,
    stop: async () => {
      for (const { stop } of readers) await stop();
    },
  };
}

async function newKey(): Promise<{ readonly key: string; readonly entry: ApiKeyEntry }> {
  const key = createApiKey();
  const entry = newKeyEntry(key, { accountId: service.accountId, product: PRODUCT, createdAt: at(0) });
  return { key, entry: await writer.accounts.createKey(entry) };
}

it('walks are exact and keys end within a second, with a replica two seconds behind', async () => {
  const publisher = publish();
  const readers = read(publisher.written);
  const { key, entry } = await newKey();
  const load = async (records: number, walks: number): Promise<void> => {
    await until('load', () => publisher.written.length > records && readers.walks() > walks);
  };
  await load(10, 5);
  for (const node of nodes) expect((await ask(node, '/feeds/permits/records', key)).status).toBe(200);
  await writer.accounts.revokeKey(entry.id, { revokedAt: at(3) });
  await letPass(BOUND_MS, 'the bound within which every node knows of it');
  for (const node of nodes) expect((await ask(node, '/feeds/permits/records', key)).status).toBe(401);
  await letPass(LOAD_MS / 2, 'load');
  await publisher.stop();
  await readers.stop();
  expect(publisher.written.length).toBeGreaterThan(20);
  expect(readers.walks()).toBeGreaterThan(10);
});

it('loses nothing that was acknowledged when the replica takes the place of the primary, and goes on by itself', async () => {
  const publisher = publish();
  let isAway = false;
  const readers = read(publisher.written, () => isAway);
  await letPass(LOAD_MS / 2, 'load');
  const ready = (node: string): Promise<number> =>
    fetch(new URL('/readyz', node)).then(async (response) => (await response.body?.cancel(), response.status));
  for (const node of nodes) expect(await ready(node)).toBe(200);
  isAway = true;
  await primary.kill();
  const before = publisher.written.length;
  for (const node of nodes) await until('it is not ready', async () => (await ready(node)) === 503);
  // The name of the primary leads to the replica before that has been promoted: nobody may take it for a primary.
  way.leadTo(replica.url);
  for (const node of nodes) expect(await ready(node)).toBe(503);
  const answers = async (node: string): Promise<number> => (await ask(node, '/feeds/permits/records')).status;
  // What a node has read answers for less than a second more.
  for (const node of nodes) await until('it does not answer', async () => (await answers(node)) === 503);
  const admin = new pg.Client({ connectionString: replica.url });
  await admin.connect();
  // It is not waited for: a statement that waits may hold up what is replayed before.
  await admin.query('SELECT pg_promote(false)');
  await admin.end();
  for (const node of nodes) await until('it is ready again', async () => (await ready(node)) === 200);
  await until('writes come back by themselves', () => publisher.written.length > before);
  isAway = false;
  const walked = readers.walks();
  await letPass(LOAD_MS / 2, 'load');
  await publisher.stop();
  await readers.stop();
  expect(readers.walks()).toBeGreaterThan(walked);
  const { position } = (await writer.record(publisher.written.at(-1)!.id))!;
  const all = new Set(await idsOf(position));
  expect(publisher.written.filter(({ id }) => !all.has(id))).toEqual([]);
});
