// Four `gazette serve` on one PostgreSQL: what they ask of it while conditional requests come, and how soon each knows what
// another one has written.
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { serve } from '../../cli/served.ts';
import { BASE_URL, world, type World, PRODUCT } from '../../world.ts';
import { at, say } from '../../contracts/store-register.ts';
import { EFFORT, tries } from '../../effort.ts';
import { letPass, until } from '../../until.ts';
import { type PostgresServer, startPostgres } from './server.ts';

const NODES = 4;

/** How many conditional requests come, to all nodes together. */
const REQUESTS = tries(500, 10_000);

/** So many come at the same time, every {@link WAVE_MS}: at most a thousand a second. */
const WAVE = 20;
const WAVE_MS = 20;

/** Transactions of a node in a second, at most. */
const ASKED_PER_SECOND = 4;

/** After so long a node asks again, in milliseconds. */
const BETWEEN_QUESTIONS_MS = 300;

/** What is promised, in milliseconds. */
const BOUND_MS = 1000;

const LIST = '/feeds/permits/records';

let server: PostgresServer;
let pool: pg.Pool;
let writer: PostgresStore;
let service: World;

beforeAll(async () => {
  // One of its own, as every transaction of the server is counted.
  server = await startPostgres({ fsync: 'off', autovacuum: 'off' });
});
afterAll(() => server.stop());

beforeEach(async () => {
  // Transactions are counted once all others have gone.
  pool = new pg.Pool({ connectionString: server.url, idleTimeoutMillis: 100 });
  pool.on('error', () => undefined);
  await pool.query('DROP SCHEMA IF EXISTS gazette CASCADE');
  writer = await PostgresStore.open(pool);
  service = await world({ store: writer });
  // The processes have the time of day.
  await writer.accounts.updateAccount(service.accountId, { accessUntil: '2999-01-01T00:00:00Z' });
  return async () => {
    await service.close();
    await pool.end();
  };
});

interface Told {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** A process, and ways to ask it. */
interface Node {
  /** Asks below `/api/v1` with the key, over connections that stay open. */
  readonly ask: (path: string, headers?: Readonly<Record<string, string>>, method?: string) => Promise<Told>;
  /** How often it has asked the database what changed, and was answered. */
  readonly questions: () => Promise<number>;
  stop(): Promise<void>;
}

async function startNode(): Promise<Node> {
  const limits = ['--limit-key', 'none', '--limit-address', 'none'];
  const options = ['--product', PRODUCT, '--base-url', BASE_URL, ...limits, '--no-pages', '--metrics-port', '0'];
  const { api, child, said, ended } = await serve(server.url, ...options);
  const agent = new Agent({ keepAlive: true });
  const ask: Node['ask'] = (path, headers = {}, method = 'GET') =>
    new Promise((resolve, reject) => {
      const authorization = `Bearer ${service.key}`;
      request(api + path, { agent, method, headers: { authorization, ...headers } }, (response) => {
        response.on('end', () => {
          resolve({ status: response.statusCode!, headers: response.headers });
        });
        response.resume();
      })
        .on('error', reject)
        .end();
    });
  return {
    ask,
    questions: async () => {
      const metrics = await (await fetch(/metrics on (\S+)/.exec(said)![1]!)).text();
      return Number(/^gazette_knowledge_questions_total\{outcome="answered"\} (\d+)$/m.exec(metrics)![1]);
    },
    stop: async () => {
      agent.destroy();
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
    },
  };
}

/** Starts the nodes, and asks each for the list until it has the tag that all of them give. */
async function startNodes(count = NODES): Promise<{ readonly nodes: readonly Node[]; readonly etag: string }> {
  const nodes = await Promise.all(Array.from({ length: count }, () => startNode()));
  const tags = await Promise.all(nodes.map(async ({ ask }) => (await ask(LIST)).headers.etag!));
  expect(new Set(tags).size).toBe(1);
  return { nodes, etag: tags[0]! };
}

/** The transactions of all connections that have ended: statistics of one count by then at the latest. */
async function transactions(): Promise<number> {
  await until('the end of connections', async () => {
    const others = `SELECT 1 FROM pg_stat_activity WHERE datname = 'postgres' AND pid <> pg_backend_pid()`;
    return (await pool.query(others)).rows.length === 0;
  });
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ n: string }>(
    `SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = 'postgres'`,
  );
  return Number(rows[0]!.n);
}

/** What nodes are asked, and what is committed meanwhile. */
interface Meanwhile {
  readonly count: number;
  /** How many conditional requests come. */
  readonly requests?: number;
  /** How long nobody asks, in seconds. */
  readonly idleSeconds?: number;
  /** Whether another register changes ten times a second. */
  readonly isCommitting: boolean;
}

/** What came of it, from the start of the nodes to their end. */
interface Counted {
  readonly transactions: number;
  /** How often each node asked the database what changed, and was answered. */
  readonly questions: readonly number[];
  /** For how long they were asked, or left alone. */
  readonly seconds: number;
  /** How many requests came in waves that took longer than nodes leave between two questions. */
  readonly slow: number;
}

async function countedWhile({ count, requests = 0, idleSeconds = 0, isCommitting }: Meanwhile): Promise<Counted> {
  const before = await transactions();
  const { nodes, etag } = await startNodes(count);
  const startedAt = performance.now();
  const over = new AbortController();
  const committing = isCommitting ? commitUntil(over.signal) : Promise.resolve();
  const statuses = new Set<number>();
  let slow = 0;
  for (let sent = 0; sent < requests; sent += WAVE) {
    const next = letPass(WAVE_MS, 'at most a thousand requests a second');
    const sentAt = performance.now();
    const wave = Array.from({ length: WAVE }, (_, n) => nodes[n % count]!.ask(LIST, { 'if-none-match': etag }));
    for (const { status } of await Promise.all(wave)) statuses.add(status);
    if (performance.now() - sentAt > BETWEEN_QUESTIONS_MS) slow += WAVE;
    await next;
  }
  await letPass(idleSeconds * 1000, 'what nodes do that nobody asks');
  const seconds = (performance.now() - startedAt) / 1000;
  over.abort();
  await committing;
  expect([...statuses]).toEqual(requests === 0 ? [] : [304]);
  const questions = await Promise.all(nodes.map((node) => node.questions()));
  await Promise.all(nodes.map((node) => node.stop()));
  return { transactions: (await transactions()) - before, questions, seconds, slow };
}

/** Changes a register that nobody asks for. */
async function commitUntil(over: AbortSignal): Promise<void> {
  for (let nth = 0; !over.aborted; nth++) {
    const next = letPass(100, 'ten commits a second');
    await writer.apply('notices', [say('changing', { title: `Title ${nth}` }, 'notices')], { recordedAt: at(61) });
    await next;
  }
}

it.each([
  [1, 'while nothing is committed', false],
  [NODES, 'while nothing is committed', false],
  [NODES, 'while another register changes ten times a second', true],
])(
  '%d answer conditional requests with at most four transactions a second and node %s',
  async (count, _, isCommitting) => {
    const busy = await countedWhile({ count, requests: REQUESTS, isCommitting });
    // They start, are asked once, and stop too, while as much is committed.
    const idle = await countedWhile({ count, idleSeconds: busy.seconds, isCommitting });
    // A few more: the first requests of each node, before it knows anything.
    const most = count * (ASKED_PER_SECOND * busy.seconds + WAVE);
    // What a node knows ends while a busy machine lets it wait, and a request then asks twice. So the rate itself is for a
    // machine that has nothing else to do; a node that asks for every request is seen on any other.
    const isIdle = EFFORT === 'whole';
    const mostHere = isIdle ? most : Math.max(most, REQUESTS + 2 * busy.slow);
    expect(busy.transactions - idle.transactions).toBeLessThanOrEqual(mostHere);
    // And each of them does ask.
    expect(Math.min(...busy.questions)).toBeGreaterThan(isIdle ? busy.seconds : 0);
  },
);

it.each([
  [
    'a commit',
    200,
    async () => {
      await writer.apply('permits', [say('new')], { recordedAt: at(61) });
    },
  ],
  [
    'a revocation on one node, which knows of it at once,',
    401,
    async ([first]: readonly Node[]) => {
      const [key] = await writer.accounts.keys(service.accountId);
      const told = await first!.ask(`/account/keys/${key!.id}`, {}, 'DELETE');
      expect(told.status).toBe(200);
      expect((await first!.ask(LIST)).status).toBe(401);
    },
  ],
])('knows of %s on all nodes within a second', async (_, status, change) => {
  const { nodes, etag } = await startNodes();
  const conditional = { 'if-none-match': etag };
  // All answer from memory: while they are asked, each asks the database.
  for (let times = 0; times < 50; times++) {
    expect(await Promise.all(nodes.map(async ({ ask }) => (await ask(LIST, conditional)).status))).toEqual(
      nodes.map(() => 304),
    );
    await letPass(20, 'the nodes ask what changed while requests come');
  }
  await change(nodes);
  const changedAt = performance.now();
  await until('all nodes', async () => {
    const startedAt = performance.now();
    const told = await Promise.all(nodes.map(async ({ ask }) => (await ask(LIST, conditional)).status));
    await letPass(50, 'keys that are refused too often are refused with another status');
    if (startedAt >= changedAt + BOUND_MS) expect(told).not.toContain(304);
    return told.every((one) => one === status);
  });
  await Promise.all(nodes.map((node) => node.stop()));
});
