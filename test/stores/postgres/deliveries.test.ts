// Deliveries in a PostgreSQL database, beside the contract: upgrades, and processes that work on the same rows.
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { dialectOf } from '../../../src/stores/postgres/dialect.ts';
import { type PostgresPool, type PostgresQuery } from '../../../src/stores/postgres/connection.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { BACKLOG_COUNTED } from '../../../src/stores/contract/sending.ts';
import { backlog } from '../../../src/stores/logic/webhooks/backlog.ts';
import { selectClaimedEndpoints } from '../../../src/stores/rows/deliveries.ts';
import { endpointsDue } from '../../../src/stores/logic/webhooks/claims.ts';
import { yieldedSql } from '../../../src/stores/logic/rule.ts';
import { accountNamed } from '../../contracts/accounts.ts';
import { at, permits, say } from '../../contracts/store-register.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;

afterAll(() => pool.end());

const endpoint = {
  ...{
    id: 'ep_a',
    accountId: 'acme',
    url: 'https://a.example.org/',
    feeds: null,
    types: null,
    filter: null,
    createdAt: at(0),
  },
  secret: Uint8Array.from([1]),
};
const options = {
  ...{ at: at(1), baseUrl: 'https://example.org' },
  toEvent: ({ recordId }: { readonly recordId: string }) => ({ id: recordId, type: 'record.published' }),
};
const claiming = {
  ...{ now: at(2), lease: 'a', until: at(3), limit: 100, room: new Map<string, number>(), limitPerEndpoint: 100 },
  accountRoom: new Map<string, number>(),
};

/** Connections on which something happens just before the first statement that begins like this. */
function poolWith(statement: string, happen: () => Promise<void>): PostgresPool {
  let isAhead = true;
  const before = async ({ text }: PostgresQuery): Promise<void> => {
    if (!isAhead || !text.startsWith(statement)) return;
    isAhead = false;
    await happen();
  };
  return {
    query: async (query) => {
      await before(query);
      return pool.query(query);
    },
    connect: async () => {
      const client = await pool.connect();
      return {
        query: async (query) => {
          await before(query);
          return client.query(query);
        },
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (error) => {
          client.release(error);
        },
      };
    },
  };
}

describe('deliveries in a database', () => {
  let schema: string;
  beforeEach(() => {
    schema = `deliveries_${++schemas}`;
  });

  it('are passed over, not waited for, while another process works on them', async () => {
    const store = await PostgresStore.open(pool, { schema });
    await store.createRegister(permits());
    await store.accounts.createAccount(accountNamed('acme'));
    await store.deliveries.createEndpoint(endpoint);
    await store.apply('permits', [say('a'), say('b')], { recordedAt: at(1) });
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query(`SELECT 1 FROM ${schema}.webhook_cursors FOR UPDATE`);
      expect(await store.deliveries.fanOut(options)).toBe(false);
      await other.query('ROLLBACK');
      while (await store.deliveries.fanOut(options));
      await other.query('BEGIN');
      await other.query(`SELECT 1 FROM ${schema}.webhook_deliveries WHERE record_id = 'permits:a' FOR UPDATE`);
      expect((await store.deliveries.claim(claiming)).map(({ event }) => event.id)).toEqual(['permits:b']);
      await other.query('ROLLBACK');
      expect((await store.deliveries.claim(claiming)).map(({ event }) => event.id)).toEqual(['permits:a']);
    } finally {
      other.release(true);
    }
  });

  it('go to every endpoint that there was when their version was committed, however late it came', async () => {
    const other = await PostgresStore.open(pool, { schema });
    await other.createRegister(permits());
    await other.accounts.createAccount(accountNamed('acme'));
    await other.deliveries.createEndpoint(endpoint);
    await other.apply('permits', [say('a')], { recordedAt: at(1) });
    const come = async (): Promise<void> => {
      await other.deliveries.createEndpoint({ ...endpoint, id: 'ep_late' });
      await other.apply('permits', [say('b')], { recordedAt: at(2) });
    };
    // Between the lock of the cursor and the look at what there is to fan out.
    const store = await PostgresStore.open(poolWith(`SELECT change, definition FROM "${schema}".registers`, come), {
      schema,
    });
    while (await store.deliveries.fanOut(options));
    const eventsOf = async (id: string): Promise<readonly string[]> =>
      (await other.deliveries.deliveries(id, { limit: 10 })).map(({ event }) => event.id);
    expect(await eventsOf('ep_a')).toEqual(['permits:b', 'permits:a']);
    expect(await eventsOf('ep_late')).toContain('permits:b');
  });

  it('are not sent if their endpoint is removed while they are claimed', async () => {
    const other = await PostgresStore.open(pool, { schema });
    await other.createRegister(permits());
    await other.accounts.createAccount(accountNamed('acme'));
    for (const id of ['ep_a', 'ep_b']) await other.deliveries.createEndpoint({ ...endpoint, id });
    await other.apply('permits', [say('a')], { recordedAt: at(1) });
    while (await other.deliveries.fanOut(options));
    let isRemoved = false;
    const remove = async (): Promise<void> => {
      await other.deliveries.removeEndpoint('ep_a', { at: at(2) });
      isRemoved = true;
    };
    // Between the claim of the deliveries and the look at their endpoints.
    const look = selectClaimedEndpoints(`"${schema}".`);
    const store = await PostgresStore.open(poolWith(look, remove), { schema });
    const claimed = await store.deliveries.claim(claiming);
    expect([isRemoved, claimed.map(({ endpoint }) => endpoint.id)]).toEqual([true, ['ep_b']]);
  });

  it('cost a claim as many reads as it takes of them, however many more are due', async () => {
    // One connection, which can be told to publish what it has counted.
    const single = new pg.Pool({ connectionString: inject('postgresUrl'), max: 1 });
    onTestFinished(() => single.end());
    const store = await PostgresStore.open(single, { schema });
    await store.createRegister(permits());
    for (const id of ['large', 'small']) {
      await store.accounts.createAccount(accountNamed(id));
      await store.deliveries.createEndpoint({ ...endpoint, id: `ep_${id}`, accountId: id });
    }
    await store.apply('permits', [say('a')], { recordedAt: at(1) });
    while (await store.deliveries.fanOut(options));
    const columns = 'endpoint, entry, event_id, type, record_id, version, base_url, created_at, due_at';
    await single.query(`INSERT INTO ${schema}.webhook_deliveries (${columns}) SELECT ${columns}
      FROM generate_series(1, ${5 * BACKLOG_COUNTED}), ${schema}.webhook_deliveries WHERE number = 1`);
    const reads = async (): Promise<number> => {
      await single.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await single.query<{ reads: string }>(
        `SELECT seq_tup_read + idx_tup_fetch AS reads FROM pg_stat_all_tables
        WHERE schemaname = $1 AND relname = 'webhook_deliveries'`,
        [schema],
      );
      return Number(rows[0]!.reads);
    };
    const before = await reads();
    const claimed = await store.deliveries.claim({ ...claiming, limitPerEndpoint: 10 });
    const counts = Object.groupBy(claimed, ({ endpoint: { accountId } }) => accountId);
    expect([counts.large?.length, counts.small?.length]).toEqual([10, 1]);
    // Each is found and locked, then changed; and each endpoint is looked at.
    expect((await reads()) - before).toBeLessThan(100);
    // What the index gives is counted, and what the table gives for it.
    const beforeBacklog = await reads();
    expect((await store.deliveries.backlog({ now: at(9) })).deliveries).toBe(BACKLOG_COUNTED);
    expect((await reads()) - beforeBacklog).toBeLessThan(2.1 * BACKLOG_COUNTED);
  });

  it('are found by an index: those due, and an endpoint’s newest', async () => {
    await PostgresStore.open(pool, { schema });
    const client = await pool.connect();
    // Of empty tables the planner would read the whole.
    await client.query('SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off');
    const planOf = async (sql: string): Promise<string> => {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    const deliveries = `${schema}.webhook_deliveries`;
    expect(
      await planOf(`SELECT number FROM ${deliveries} WHERE endpoint = 1 AND state = 'pending' AND due_at <= 'x'
        ORDER BY due_at, number LIMIT 1`),
    ).toMatch(/Index (Only )?Scan using webhook_deliveries_due/);
    expect(
      await planOf(`SELECT * FROM ${deliveries} WHERE endpoint = 1 AND number < 9 ORDER BY number DESC LIMIT 1`),
    ).toMatch(/Index Scan Backward using webhook_deliveries_(endpoint|pkey)/);
    const sql = yieldedSql({ ...dialectOf(`${schema}.`), parameter: () => `'x'` });
    const due = endpointsDue(sql, 'x').next({ rows: [], count: 0 });
    // One look for each endpoint, however many are due to it: no join reads them.
    const oneEach = /SubPlan 1\n +-> +Limit.*\n +-> +Index (Only )?Scan using webhook_deliveries_due/;
    const plan = await planOf(due.done === true ? '' : due.value.text);
    expect(plan).toMatch(oneEach);
    expect(plan.match(/on webhook_deliveries/g)).toHaveLength(1);
    // What monitoring asks every few seconds: a bounded number of them, and one for each endpoint.
    const asked = backlog(sql, 'x');
    const plans: string[] = [];
    for (let step = asked.next(); step.done !== true; step = asked.next({ rows: [], count: 0 })) {
      plans.push(await planOf(step.value.text));
    }
    const [counted, , oldest, ...others] = plans;
    expect(counted).toMatch(/-> +Limit.*\n +InitPlan 1\n.*\n +-> +Index Only Scan using webhook_deliveries_due/);
    expect(oldest).toMatch(oneEach);
    expect([plans[1], ...others].join('\n')).not.toContain('webhook_deliveries');
    client.release(true);
  });
});
