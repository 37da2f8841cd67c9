// Whatever changes several deliveries or endpoints in a PostgreSQL database locks them in the order of their numbers, so
// that two processes cannot wait for each other. Each test holds the first row and looks whether the operation, which
// then waits for it, holds any other. The rows lie in the opposite order, and the planner may only read them as they lie.
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { DeliveryOutcome } from '../../../src/stores/contract/deliveries.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { accountNamed } from '../../contracts/accounts.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { until } from '../../until.ts';

const APPLICATION = 'lock order';
const observer = new pg.Pool({ connectionString: inject('postgresUrl') });
const pool = new pg.Pool({
  connectionString: inject('postgresUrl'),
  options: '-c enable_indexscan=off -c enable_indexonlyscan=off -c enable_bitmapscan=off',
  application_name: APPLICATION,
});
afterAll(() => Promise.all([observer.end(), pool.end()]));

const LEASE = 'lease';
const ENDPOINTS = ['ep_a', 'ep_b', 'ep_c'];
const fanningOut = {
  ...{ at: at(4), baseUrl: 'https://example.org' },
  toEvent: ({ recordId }: { readonly recordId: string }) => ({ id: recordId, type: 'record.published' }),
};

let schemas = 0;
let schema: string;
let store: PostgresStore;

/** An account with three endpoints, each of which waits for three versions of one record. */
beforeEach(async () => {
  schema = `lock_order_${++schemas}`;
  store = await PostgresStore.open(pool, { schema });
  await store.createRegister(permits());
  await store.accounts.createAccount(accountNamed('acme'));
  for (const id of ENDPOINTS) {
    const all = { feeds: null, types: null, filter: null, createdAt: at(0), secret: Uint8Array.from([1]) };
    await store.deliveries.createEndpoint({ id, accountId: 'acme', url: `https://${id}.example.org/`, ...all });
  }
  for (const minute of [1, 2, 3]) {
    await store.apply('permits', [say('a', { title: String(minute) })], { recordedAt: at(minute) });
  }
  while (await store.deliveries.fanOut(fanningOut));
});

/** An operation. */
type Act = () => Promise<unknown>;

/** Has the rows of a table lie in the opposite order: a changed row is written behind the others. */
async function turnAround(table: string): Promise<void> {
  const { rows } = await observer.query<{ number: string }>(
    `SELECT number FROM ${schema}.${table} ORDER BY number DESC`,
  );
  for (const { number } of rows) await observer.query(`UPDATE ${schema}.${table} SET created_at = created_at WHERE number = $1`, [number]); // prettier-ignore
}

/** Which other rows of a table an operation has locked by the time it waits for the first. */
async function heldBeside(table: string, prepare: () => Promise<Act>): Promise<readonly string[]> {
  const act = await prepare();
  await turnAround(table);
  const blocker = await observer.connect();
  try {
    await blocker.query('BEGIN');
    const first = await blocker.query<{ number: string }>(
      `SELECT number FROM ${schema}.${table} ORDER BY number LIMIT 1 FOR UPDATE`,
    );
    const acting = act();
    await until('the operation to wait', async () => {
      const { rows } = await observer.query(
        `SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'`,
        [APPLICATION],
      );
      return rows.length > 0;
    });
    const free = await blocker.query<{ number: string }>(
      `SELECT number FROM ${schema}.${table} WHERE number > $1 FOR UPDATE SKIP LOCKED`,
      [first.rows[0]!.number],
    );
    const all = await observer.query<{ number: string }>(`SELECT number FROM ${schema}.${table} WHERE number > $1`, [
      first.rows[0]!.number,
    ]);
    await blocker.query('ROLLBACK');
    await acting;
    const freed = new Set(free.rows.map(({ number }) => number));
    return all.rows.map(({ number }) => number).filter((number) => !freed.has(number));
  } finally {
    blocker.release(true);
  }
}

/** Claims everything, to say that each attempt failed, the last one first. */
async function failAll(): Promise<Act> {
  const room = { limit: 100, room: new Map<string, number>(), limitPerEndpoint: 100, accountRoom: new Map() };
  const claimed = await store.deliveries.claim({ now: at(5), lease: LEASE, until: at(9), ...room });
  expect(claimed).toHaveLength(9);
  const attempt = { at: at(6), durationMs: 1, status: 500, error: null, response: null };
  const outcomes = claimed.toReversed().map(({ id }): DeliveryOutcome => {
    const failed = { state: 'failed', reason: 'attempts_exhausted', nextAttemptAt: null, isGone: false } as const;
    return { id, lease: LEASE, attempt, ...failed };
  });
  return () => store.deliveries.settle(outcomes, { at: at(6), failingBefore: at(-9) });
}

/** Has them wait for access. */
async function skipAll(): Promise<Act> {
  await store.accounts.updateAccount('acme', { isSuspended: true });
  return () => store.deliveries.skipLapsed({ now: at(9), dueBefore: at(8) });
}

/** Has all of them be over. */
async function pruneAll(): Promise<Act> {
  await (
    await failAll()
  )();
  return () => store.deliveries.prune({ before: at(9) });
}

const now = (act: Act) => () => Promise.resolve(act);

describe('a PostgreSQL store locks deliveries in the order of their numbers', () => {
  it.each<[string, () => Promise<Act>]>([
    ['to record outcomes', failAll],
    ['to replay them', now(() => store.deliveries.replay({ endpointId: 'ep_a', since: at(0) }, { at: at(5) }))],
    ['to close those of a record that is erased', now(() => store.redact('permits:a', { recordedAt: at(5) }))],
    ['to remove their endpoint', now(() => store.deliveries.removeEndpoint('ep_a', { at: at(5) }))],
    ['to skip what waited too long for access', skipAll],
    ['to prune them', pruneAll],
  ])('%s', async (_, prepare) => {
    expect(await heldBeside('webhook_deliveries', prepare)).toEqual([]);
  });

  it('and endpoints, to record that their attempts failed', async () => {
    expect(await heldBeside('webhook_endpoints', failAll)).toEqual([]);
  });
});
