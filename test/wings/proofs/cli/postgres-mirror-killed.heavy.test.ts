import pg from 'pg';
import { inject, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { killSourceAndMirror } from './killed-mirror.ts';

it(
  'has a beginning of the log of its source wherever either is killed, on PostgreSQL',
  { timeout: 7_200_000 },
  async () => {
    const server = inject('postgresUrl');
    const admin = new pg.Client({ connectionString: server });
    await admin.connect();
    for (const name of ['killed_source', 'killed_mirror']) await admin.query(`CREATE DATABASE ${name}`);
    await admin.end();
    const pools = new Map<string, pg.Pool>();
    onTestFinished(async () => {
      for (const pool of pools.values()) await pool.end();
    });
    const placeOf = (name: string): string => {
      const connectionString = server.replace(/[^/]+$/, name);
      pools.set(connectionString, new pg.Pool({ connectionString }));
      return connectionString;
    };
    await killSourceAndMirror({
      ...{ source: placeOf('killed_source'), mirror: placeOf('killed_mirror') },
      open: (url) => PostgresStore.open(pools.get(url)!),
    });
  },
);
