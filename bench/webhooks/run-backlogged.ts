// What an account with a great many due deliveries costs another one: how long the events of the other take from their
// commit to their arrival, while a sender works on the backlog. On both databases.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { defineRegister } from '../../src/register/definition.ts';
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { toPublishedRecord } from '../../src/stores/rows/published-record.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { SecretBox } from '../../src/webhooks/send/secret-box.ts';
import { startPostgres } from '../../test/stores/postgres/server.ts';
import { nextMessage } from '../next-message.ts';
import type { CheckResult } from '../result.ts';
import { benchRecord } from './records.ts';
import type { Arrivals } from './run-receiver.ts';

const SECRETS_KEY = '0f'.repeat(32);
const SCHEMA = 'backlogged';

/** Events of the other account, and how long after one the next is committed, in milliseconds. */
const EVENTS = 20;
const EVERY_MS = 250;

/** How long an event may take from its commit to its arrival, in milliseconds. */
const MOST_MS = 1000;

/** The backlog: copies of the deliveries that there are. Its events are those of one version. */
const COPIES = `(endpoint, entry, event_id, type, record_id, version, base_url, created_at, due_at)
  SELECT endpoint, entry, event_id, type, record_id, version, base_url, created_at, due_at FROM`;

/** A store in which one delivery can become many. */
interface Backlogged {
  readonly store: ServiceStore;
  /** The arguments by which a process finds it. */
  readonly address: readonly [string, string];
  readonly multiply: (times: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @throws Error when a process ends, or an event does not arrive. */
export async function runBacklogged(options: {
  /** Deliveries that are due to one account. */
  readonly due: number;
  readonly onProgress: (text: string) => void;
}): Promise<CheckResult> {
  const { due, onProgress } = options;
  const checks: { readonly label: string; readonly met: boolean }[] = [];
  for (const [name, open] of [
    ['SQLite', openSqlite],
    ['PostgreSQL', openPostgres],
  ] as const) {
    onProgress(`webhooks: an account with ${due} due deliveries, ${name}`);
    const opened = await open();
    try {
      const { latencies, left } = await measure(opened, due);
      const sorted = latencies.toSorted((a, b) => a - b);
      const [median, most] = [sorted[Math.floor(sorted.length / 2)]!, sorted.at(-1)!];
      checks.push({
        label: `${name}: from the commit of an event to its arrival, ${EVENTS} events: ${median.toFixed(0)} ms (at most ${most.toFixed(0)} ms), with at least ${left} of the other account still waiting at the end; wanted <= ${MOST_MS} ms`,
        met: most <= MOST_MS && left > 0,
      });
    } finally {
      await opened.close();
    }
  }
  onProgress('');
  return { id: 'webhooks-backlogged', title: `Webhooks of an account beside another one with ${due} due`, checks };
}

async function measure(
  { store, address, multiply }: Backlogged,
  due: number,
): Promise<{ readonly latencies: readonly number[]; readonly left: number }> {
  const flags = { execArgv: ['--disable-warning=ExperimentalWarning'] };
  const children: ChildProcess[] = [];
  try {
    const receiver = fork(join(import.meta.dirname, 'run-receiver.ts'), [], flags);
    children.push(receiver);
    const { port } = await nextMessage<{ readonly port: number }>(receiver, 'the receiver');
    const createdAt = new Date().toISOString();
    await store.createRegister(defineRegister({ id: 'permits', title: 'Permits', created_at: createdAt }));
    const box = SecretBox.fromHex(SECRETS_KEY);
    const add = async (accountId: string, path: string): Promise<void> => {
      const id = `ep_${accountId}`;
      await store.accounts.createAccount({ id: accountId, accessUntil: '2999-01-01T00:00:00Z', createdAt });
      const hears = { feeds: null, types: null, filter: null, secret: box.seal('whsec_bench', id) };
      const url = `http://127.0.0.1:${port}/${path}`;
      await store.deliveries.createEndpoint({ id, accountId, url, ...hears, createdAt });
    };
    const commit = (nth: number): Promise<unknown> => {
      const recordedAt = new Date().toISOString();
      return store.apply('permits', [toPublishedRecord(benchRecord(nth), true)], { recordedAt });
    };
    await add('large', 'uncounted');
    await commit(1);
    const toEvent = (): { id: string; type: string } => ({ id: 'evt_1', type: 'record.published' });
    while (await store.deliveries.fanOut({ at: createdAt, baseUrl: 'https://example.org', toEvent }));
    await multiply(due - 1);
    await add('small', 'counted');
    const sender = fork(join(import.meta.dirname, 'run-drainer.ts'), [...address, SECRETS_KEY], flags);
    children.push(sender);
    await nextMessage(sender, 'the sender');
    sender.send('go');
    await sleep(1000);
    const committed: number[] = [];
    for (let nth = 0; nth < EVENTS; nth++) {
      committed.push(performance.timeOrigin + performance.now());
      await commit(nth + 2);
      await sleep(EVERY_MS);
    }
    const arrived: number[] = [];
    for (let waits = 0; arrived.length < EVENTS && waits < 600; waits++) {
      receiver.send('arrivals');
      arrived.push(...(await nextMessage<Arrivals>(receiver, 'the receiver')).times);
      await sleep(100);
    }
    if (arrived.length !== EVENTS) throw new Error(`${arrived.length} events arrived, not ${EVENTS}`);
    const { deliveries: left } = await store.deliveries.backlog({ now: new Date().toISOString() });
    // They may overtake each other, which makes no sum of waits smaller.
    return { latencies: arrived.map((time, nth) => time - committed[nth]!), left };
  } finally {
    for (const child of children) child.kill();
  }
}

function openSqlite(): Promise<Backlogged> {
  const folder = mkdtempSync(join(tmpdir(), 'gazette-bench-'));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path);
  return Promise.resolve({
    ...{ store, address: [path, ''] },
    multiply(times) {
      const database = new DatabaseSync(path);
      database.exec(`WITH RECURSIVE copies (nth) AS (SELECT 1 UNION ALL SELECT nth + 1 FROM copies WHERE nth < ${times})
        INSERT INTO webhook_deliveries ${COPIES} copies, webhook_deliveries WHERE number = 1`);
      database.close();
      return Promise.resolve();
    },
    async close() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  });
}

async function openPostgres(): Promise<Backlogged> {
  const server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url });
  return {
    ...{ store: await PostgresStore.open(pool, { schema: SCHEMA }), address: [server.url, SCHEMA] },
    async multiply(times) {
      const table = `${SCHEMA}.webhook_deliveries`;
      await pool.query(`INSERT INTO ${table} ${COPIES} generate_series(1, ${times}), ${table} WHERE number = 1`);
    },
    async close() {
      await pool.end();
      await server.stop();
    },
  };
}
