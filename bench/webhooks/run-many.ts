// A thousand endpoints at one receiver, and two senders that share a PostgreSQL store with a backlog: each against a
// bare fetch() loop that sends as many.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { defineRegister } from '../../src/register/definition.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { eventNameOf } from '../../src/webhooks/send/record-event.ts';
import { startPostgres } from '../../test/stores/postgres/server.ts';
import { nextMessage } from '../next-message.ts';
import type { CheckResult } from '../result.ts';
import { ratiosOf, type Spread } from '../statistics.ts';
import { benchRecord } from './records.ts';
import type { Delivered, Order } from './run-deliverer.ts';
import type { Arrivals } from './run-receiver.ts';

const ENDPOINTS = 1000;
const EVENTS = 10;

/** How many the loop sends at once. */
const AT_ONCE = 64;

/** How much of the loop's rate one sender is to reach with many endpoints. */
const MIN_MANY = 0.6;

/** How much of the loop's rate two senders are to reach with a backlog. */
const MIN_DRAIN = 0.5;

const SECRETS_KEY = '0f'.repeat(32);

/** @throws Error when a process ends, or a delivery is missing, doubled or took several attempts. */
export async function runMany(options: {
  /** Deliveries in the backlog. */
  readonly backlog: number;
  readonly rounds: number;
  readonly onProgress: (text: string) => void;
}): Promise<CheckResult> {
  const { backlog, rounds, onProgress } = options;
  const children: ChildProcess[] = [];
  const start = async <T>(file: string, ...args: string[]): Promise<readonly [ChildProcess, T]> => {
    const flags = { execArgv: ['--disable-warning=ExperimentalWarning'] };
    const child = fork(join(import.meta.dirname, file), args, flags);
    children.push(child);
    return [child, await nextMessage<T>(child, file)];
  };
  onProgress('webhooks: starting PostgreSQL');
  const server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url });
  try {
    const [receiver, { port }] = await start<{ readonly port: number }>('run-receiver.ts');
    const arrived = async (wanted: number): Promise<void> => {
      receiver.send('arrivals');
      const { times } = await nextMessage<Arrivals>(receiver, 'the receiver');
      if (times.length !== wanted) throw new Error(`delivered ${times.length} times, not ${wanted}`);
    };
    const urls = Array.from({ length: ENDPOINTS }, (_, nth) => `http://127.0.0.1:${port}/${nth}`);
    const deliverer = async (kind: Order['kind']): Promise<(events: number) => Promise<Delivered>> => {
      const order: Order = { kind, urls, answering: ENDPOINTS, atOnce: AT_ONCE };
      const [child] = await start('run-deliverer.ts', JSON.stringify(order));
      return async (events) => {
        child.send({ events });
        const delivered = await nextMessage<Delivered>(child, kind);
        await arrived(ENDPOINTS * events);
        return delivered;
      };
    };
    const [sender, loop] = [await deliverer('sender'), await deliverer('fetch')];
    const times = { sender: [] as number[], loop: [] as number[], drain: [] as number[], long: [] as number[] };
    // The machine's first runs are those of a cold compiler.
    await sender(EVENTS);
    await loop(EVENTS);
    for (let round = 0; round < rounds; round++) {
      const say = (what: string): void => {
        onProgress(`webhooks: round ${round + 1}/${rounds}, ${what}`);
      };
      say('many endpoints');
      times.sender.push((await sender(EVENTS)).ms);
      say('a loop to many endpoints');
      times.loop.push((await loop(EVENTS)).ms);
      say('two senders with a backlog');
      const schema = `round_${round}`;
      await fill(pool, schema, urls, backlog / ENDPOINTS);
      const drainers = await Promise.all([1, 2].map(() => start('run-drainer.ts', server.url, schema, SECRETS_KEY)));
      const began = performance.now();
      for (const [child] of drainers) child.send('go');
      await drained(pool, schema);
      times.drain.push(performance.now() - began);
      for (const [child] of drainers) child.send('stop');
      await arrived(backlog);
      say('a loop with as many');
      times.long.push((await loop(backlog / ENDPOINTS)).ms);
    }
    return judge(backlog, times);
  } finally {
    for (const child of children) child.kill();
    await pool.end();
    await server.stop();
    onProgress('');
  }
}

/** A store whose deliveries are all due. */
async function fill(pool: pg.Pool, schema: string, urls: readonly string[], events: number): Promise<void> {
  const store = await PostgresStore.open(pool, { schema });
  const createdAt = new Date().toISOString();
  await store.createRegister(defineRegister({ id: 'permits', title: 'Permits', created_at: createdAt }));
  await store.accounts.createAccount({ id: 'acme', accessUntil: '2999-01-01T00:00:00Z', createdAt });
  const box = SecretBox.fromHex(SECRETS_KEY);
  for (const [nth, url] of urls.entries()) {
    const id = `ep_${nth}`;
    const secret = box.seal('whsec_bench', id);
    const hears = { feeds: null, types: null, filter: null };
    await store.deliveries.createEndpoint({ id, accountId: 'acme', url, ...hears, createdAt, secret });
  }
  const batch = Array.from({ length: events }, (_, nth) => toPublishedRecord(benchRecord(nth + 1), true));
  await store.apply('permits', batch, { recordedAt: createdAt });
  while (await store.deliveries.fanOut({ at: createdAt, baseUrl: 'https://example.org', toEvent: eventNameOf }));
}

/** Resolves once nothing is due any more. */
async function drained(pool: pg.Pool, schema: string): Promise<void> {
  const left = `SELECT 1 FROM ${schema}.webhook_deliveries WHERE state = 'pending' LIMIT 1`;
  while ((await pool.query(left)).rows.length > 0) await sleep(50);
  const { rows } = await pool.query(`SELECT 1 FROM ${schema}.webhook_deliveries
    WHERE state <> 'acknowledged' OR attempts <> 1 LIMIT 1`);
  if (rows.length > 0) throw new Error('a delivery took several attempts');
}

function judge(
  backlog: number,
  { sender, loop, drain, long }: Readonly<Record<'sender' | 'loop' | 'drain' | 'long', readonly number[]>>,
): CheckResult {
  const [many, drained] = [ratiosOf(loop, sender), ratiosOf(long, drain)];
  const perSecond = (count: number, ms: readonly number[]): string => (count / (Math.min(...ms) / 1000)).toFixed(0);
  const rates = (count: number, own: readonly number[], its: readonly number[]): string =>
    `at best ${perSecond(count, own)} and ${perSecond(count, its)} per second`;
  return {
    id: 'webhooks-many',
    title: `Webhooks to ${ENDPOINTS} endpoints at a loopback receiver, none doubled, each at its first attempt`,
    checks: [
      {
        label: `${EVENTS} events to each from SQLite, against a bare fetch() loop with ${AT_ONCE} at once: ${spread(many)} ×; ${rates(ENDPOINTS * EVENTS, sender, loop)}; wanted >= ${MIN_MANY} ×`,
        met: many.median >= MIN_MANY,
      },
      {
        label: `two senders on PostgreSQL with a backlog of ${backlog}, against one such loop: ${spread(drained)} ×; ${rates(backlog, drain, long)}; wanted >= ${MIN_DRAIN} ×`,
        met: drained.median >= MIN_DRAIN,
      },
    ],
  };
}

function spread({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} (${min.toFixed(2)} – ${max.toFixed(2)})`;
}
