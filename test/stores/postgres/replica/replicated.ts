// A PostgreSQL server with a streaming replica, for the tests of a file.
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { until } from '../../../until.ts';
import { type PostgresServer, startPostgres } from '../server.ts';
import { CONNECT_PATIENCE_MS, quiet } from '../way.ts';

/** Both servers, once the tests run. */
export interface Replicated {
  readonly primary: PostgresServer;
  readonly replica: PostgresServer;
  readonly pool: pg.Pool;
  readonly replicaPool: pg.Pool;
  /** Stops the replica from following. */
  readonly pause: () => Promise<void>;
  /** Has it go on. */
  readonly resume: () => Promise<void>;
  /** Waits until it has all that the primary has. */
  readonly caughtUp: () => Promise<void>;
}

/** Starts both before the tests of a file, and stops them after it. */
export function replicated(): () => Replicated {
  let servers: Replicated;
  beforeAll(async () => {
    servers = await startReplicated();
  });
  afterAll(async () => {
    const { primary, replica, pool, replicaPool } = servers;
    await Promise.all([pool.end(), replicaPool.end()]);
    await replica.stop();
    await primary.stop();
  });
  return () => servers;
}

/** Nothing here outlives the tests: no crash has to be survived. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', jit: 'off' };

async function startReplicated(): Promise<Replicated> {
  const primary = await startPostgres(SETTINGS);
  const replica = await primary.replicate();
  const [pool, replicaPool] = [primary, replica].map(({ url }) =>
    quiet(new pg.Pool({ connectionString: url, connectionTimeoutMillis: CONNECT_PATIENCE_MS })),
  ) as [pg.Pool, pg.Pool];
  return {
    ...{ primary, replica, pool, replicaPool },
    pause: async () => {
      await replicaPool.query('SELECT pg_wal_replay_pause()');
    },
    resume: async () => {
      await replicaPool.query('SELECT pg_wal_replay_resume() WHERE pg_is_in_recovery()');
    },
    caughtUp: async () => {
      const { rows } = await pool.query<{ lsn: string }>('SELECT pg_current_wal_insert_lsn()::text AS lsn');
      await until('the replica has all', async () => {
        const sql = 'SELECT pg_last_wal_replay_lsn() >= $1 AS has';
        const { rows: found } = await replicaPool.query<{ has: boolean }>(sql, [rows[0]!.lsn]);
        return found[0]!.has;
      });
    },
  };
}

/** A store that writes to a schema, and two that read it from the replica, one of which answers from memory. */
export async function openNodes(
  { pool, replicaPool }: Replicated,
  schema: string,
): Promise<{ readonly writer: PostgresStore; readonly nodes: readonly PostgresStore[] }> {
  const writer = await PostgresStore.open(pool, { schema });
  const nodes = [
    await PostgresStore.open(pool, { schema, replica: replicaPool }),
    await PostgresStore.open(pool, { schema, replica: replicaPool, answersFromMemory: true }),
  ];
  return { writer, nodes };
}
