// A receiver as a process of its own, to be killed: `receiver-process.ts STORE STOP` with a SQLite path or a PostgreSQL
// URL. It counts each event in a table of the same database, in the given transaction. STOP names the point at which it
// says so and then does nothing more: `work` (claimed, nothing committed), `answer` (committed, not answered), or `never`.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { toNodeListener } from '../../../src/adapters/node.ts';
import {
  PostgresIdempotencyStore,
  type ReceiveOptions,
  SqliteIdempotencyStore,
  webhookHandler,
} from '../../../src/webhooks/index.ts';
import { SECRET } from '../send/deliveries.ts';
import { letPass } from '../../until.ts';

const [, , store, stop] = process.argv as [string, string, string, string];

/** Short, for the tests; and long enough that a busy machine does not lose a living claim. */
const LEASE_MS = 1500;

async function pauseAt(point: string): Promise<void> {
  if (stop !== point) return;
  process.stdout.write(`${point}\n`);
  await letPass(60_000, 'it is killed here');
}

function sqliteOptions(db: DatabaseSync): Promise<ReceiveOptions<DatabaseSync>> {
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS effect (event TEXT)');
  return SqliteIdempotencyStore.open(db).then((opened) => ({
    secret: SECRET,
    store: opened,
    leaseMs: LEASE_MS,
    handle: async (event, transaction) => {
      await pauseAt('work');
      await transaction((inside) => inside.prepare('INSERT INTO effect VALUES (?)').run(event.id));
    },
  }));
}

async function postgresOptions(pool: pg.Pool): Promise<ReceiveOptions<pg.PoolClient>> {
  await pool.query('CREATE TABLE IF NOT EXISTS effect (event text)');
  return {
    secret: SECRET,
    store: await PostgresIdempotencyStore.open<pg.PoolClient>(pool),
    leaseMs: LEASE_MS,
    handle: (event, transaction) =>
      transaction(async (client) => {
        await client.query('INSERT INTO effect VALUES ($1)', [event.id]);
        await pauseAt('work');
      }),
  };
}

const handler = store.startsWith('postgres://')
  ? webhookHandler(await postgresOptions(new pg.Pool({ connectionString: store })))
  : webhookHandler(await sqliteOptions(new DatabaseSync(store)));

const server = createServer(
  toNodeListener(async (request) => {
    const answer = await handler(request);
    await pauseAt('answer');
    return answer;
  }),
).listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
