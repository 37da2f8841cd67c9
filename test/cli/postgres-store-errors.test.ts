// What the command line says of a PostgreSQL server that fails in the middle of its work.
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { ending, gazette, start } from './run.ts';
import { until } from '../until.ts';

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

it('names the store and the reason when the server ends the connection of a command', async () => {
  const url = inject('postgresUrl');
  const name = `cli_${process.pid}`;
  const admin = await connect(url);
  await admin.query(`CREATE DATABASE ${name}`);
  onTestFinished(async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  const store = url.replace(/[^/]+$/, name);
  await gazette(['register', 'add', 'r', '--title', 'R', '--store', store]);
  const holder = await connect(store);
  await holder.query('BEGIN; LOCK TABLE gazette.accounts');
  const end = ending(start(['account', 'add', 'acme', '--until', '2030-12-31', '--store', store]));
  const stop = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`;
  await until('the command to wait', async () => (await admin.query(stop, [name])).rowCount !== 0);
  const { code, stderr } = await end;
  await holder.end();
  expect(stderr).toMatch(
    /^gazette: the store postgres:\/\/…@[^ ]+ failed: terminating connection due to administrator command \(store_unavailable\)\n$/,
  );
  expect(code).toBe(1);
});
