// Leases of claimants on three hosts whose clocks differ by up to an hour, while the clock of PostgreSQL jumps by up to 15 seconds.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import type { PostgresPool, PostgresQuery } from '../../../src/stores/postgres/connection.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { type Happened, runSchedule } from '../../contracts/lease-schedules.ts';
import { permits } from '../../contracts/store-register.ts';
import { tried, tries } from '../../effort.ts';

const SCHEDULES = tries(10, 1000);

it(`in ${SCHEDULES} schedules, nobody supersedes one that lives and renews`, async () => {
  const schema = `lease_schedules_${process.pid}`;
  const pool = new pg.Pool({ connectionString: inject('postgresUrl'), max: 2 });
  let clock = 0;
  const store = await PostgresStore.open(
    onClock(pool, () => clock),
    { schema },
  );
  await store.createRegister(permits());
  const hosts = await Promise.all([1, 2, 3].map((host) => mkdtemp(join(tmpdir(), `gazette-host-${host}-`))));
  const happened: Happened = { taken: 0, refused: 0, overGone: 0, overPaused: 0, lateWrites: 0 };
  const setClock = (ms: number): void => void (clock = ms);
  const world = { store, hosts, setClock, jump: 15, jumpsEvery: 45 };
  for (let number = 0; number < SCHEDULES; number++) await runSchedule(world, number, happened);
  tried(SCHEDULES);
  for (const [what, times] of Object.entries(happened)) expect(times, what).toBeGreaterThan(0);
  await Promise.all(hosts.map((host) => rm(host, { recursive: true })));
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});

/** Connections to a server whose clock shows this time, in milliseconds since 1970. */
function onClock(pool: pg.Pool, clock: () => number): PostgresPool {
  const timed = (query: PostgresQuery): PostgresQuery => {
    const time = `'${new Date(clock()).toISOString()}'::timestamptz`;
    return { ...query, text: query.text.replaceAll('clock_timestamp()', time) };
  };
  return {
    query: (query) => pool.query<unknown[]>(timed(query)),
    connect: async () => {
      const client = await pool.connect();
      return {
        query: (query) => client.query<unknown[]>(timed(query)),
        on: (event, listener) => client.on(event, listener),
        removeListener: (event, listener) => client.removeListener(event, listener),
        release: (error) => {
          client.release(error);
        },
      };
    },
  };
}
