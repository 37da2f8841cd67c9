import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { handleOnce } from '../../../src/webhooks/receive/idempotency.ts';
import { PostgresIdempotencyStore } from '../../../src/webhooks/receive/postgres-idempotency.ts';
import { until } from '../../until.ts';
import { idempotencyContract } from '../../contracts/idempotency-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
const otherPool = new pg.Pool({ connectionString: inject('postgresUrl'), max: 2 });
let schemas = 0;

afterAll(() => Promise.all([pool.end(), otherPool.end()]));

idempotencyContract(
  'PostgresIdempotencyStore',
  async () => {
    const schema = `events_${++schemas}`;
    const [store, other] = await Promise.all([
      PostgresIdempotencyStore.open(pool, { schema }),
      PostgresIdempotencyStore.open(otherPool, { schema }),
    ]);
    await pool.query(`CREATE TABLE "${schema}".effect (n serial, text text)`);
    return {
      store,
      other,
      write: (client, effect) => client.query(`INSERT INTO "${schema}".effect (text) VALUES ($1)`, [effect]),
      effects: async () => {
        const { rows } = await pool.query<{ text: string }>(`SELECT text FROM "${schema}".effect ORDER BY n`);
        return rows.map(({ text }) => text);
      },
      fill: (count) =>
        pool.query(
          `INSERT INTO "${schema}".handled_events
          SELECT 'evt_' || n, 'old', now(), now() FROM generate_series(1, $1::int) AS n`,
          [count],
        ),
      dispose: async () => {
        await pool.query(`DROP SCHEMA "${schema}" CASCADE`);
      },
    };
  },
  { undoes: true },
);

describe('PostgresIdempotencyStore', () => {
  let store: PostgresIdempotencyStore<pg.PoolClient>;
  beforeAll(async () => {
    store = await PostgresIdempotencyStore.open<pg.PoolClient>(pool, { schema: 'events_own' });
    await pool.query('CREATE TABLE events_own.effect (text text UNIQUE)');
  });

  it('does not call handled what a failed statement has undone, when the write swallows its error', async () => {
    const swallowing = handleOnce({ id: 'evt_swallowed' }, store, (transaction) =>
      transaction(async (client) => {
        await client.query(`INSERT INTO events_own.effect VALUES ('lost')`);
        await client.query('SELECT 1 / 0').catch(() => undefined);
      }),
    );
    await expect(swallowing).rejects.toMatchObject({ code: '25P02' });
    expect((await pool.query('SELECT * FROM events_own.effect')).rows).toEqual([]);
    expect(await handleOnce({ id: 'evt_swallowed' }, store, () => undefined)).toBe('done');
  });

  it('waits for the disk also where the database would not', async () => {
    let setting: unknown;
    await handleOnce({ id: 'evt_durable' }, store, (transaction) =>
      transaction(async (client) => {
        setting = (await client.query<{ synchronous_commit: string }>('SHOW synchronous_commit')).rows[0];
      }),
    );
    expect((await pool.query('SHOW synchronous_commit')).rows).toEqual([{ synchronous_commit: 'off' }]);
    expect(setting).toEqual({ synchronous_commit: 'on' });
  });

  it('undoes the work whose connection breaks, and lets the event come again', async () => {
    const broken = handleOnce({ id: 'evt_broken' }, store, (transaction) =>
      transaction(async (client) => {
        await client.query(`INSERT INTO events_own.effect VALUES ('broken')`);
        const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await pool.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
      }),
    );
    await expect(broken).rejects.toThrow();
    expect(
      await handleOnce({ id: 'evt_broken' }, store, (transaction) =>
        transaction((client) => client.query(`INSERT INTO events_own.effect VALUES ('broken')`)),
      ),
    ).toBe('done');
    expect((await pool.query('SELECT * FROM events_own.effect')).rows).toEqual([{ text: 'broken' }]);
  });

  it('lets an event come again at once whose claim was given back while it was asked about', async () => {
    await store.claim('evt_released', 'first', 60_000);
    // Between the attempt to claim and the look at who holds the claim.
    const releasing: typeof pool = Object.create(pool, {
      query: {
        value: async (query: pg.QueryConfig) => {
          if (query.text.includes('SELECT handled_at')) await store.release('evt_released', 'first');
          return pool.query(query);
        },
      },
    }) as typeof pool;
    const other = await PostgresIdempotencyStore.open(releasing, { schema: 'events_own' });
    expect(await other.claim('evt_released', 'second', 60_000)).toEqual({ state: 'in_progress', leaseMs: 0 });
    expect(await store.claim('evt_released', 'second', 60_000)).toEqual({ state: 'claimed' });
  });

  it('leaves for the next time what others use while it deletes what is old', async () => {
    await handleOnce({ id: 'evt_locked' }, store, () => undefined);
    await until('some time to pass since', async () => {
      const { rows } = await pool.query(`SELECT 1 FROM events_own.handled_events
        WHERE id = 'evt_locked' AND handled_at < clock_timestamp() - interval '1 millisecond'`);
      return rows.length > 0;
    });
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`SELECT 1 FROM events_own.handled_events WHERE id = 'evt_locked' FOR UPDATE`);
      await store.prune({ olderThan: 0 });
      await client.query('ROLLBACK');
    } finally {
      client.release();
    }
    expect(await handleOnce({ id: 'evt_locked' }, store, () => undefined)).toBe('repeated');
    await store.prune({ olderThan: 0 });
    expect(await handleOnce({ id: 'evt_locked' }, store, () => undefined)).toBe('done');
  });
});
