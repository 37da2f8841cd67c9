// pgbouncer in front of PostgreSQL, handing out its few connections for one transaction at a time: stores keep their contracts, and
// nodes know what was changed by asking alone.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createGazette } from '../../src/service/create-gazette.ts';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { accountStoreContract } from '../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../contracts/delivery-store-contract.ts';
import { world, type OpenServiceStore, PRODUCT } from '../world.ts';
import { storeContract } from '../contracts/store-contract.ts';
import { at, say } from '../contracts/store-register.ts';
import { freePort } from '../docs/free-port.ts';
import { EFFORT } from '../effort.ts';
import { emptiedStores } from '../stores/postgres/emptied-store.ts';
import { type PostgresServer, startPostgres } from '../stores/postgres/server.ts';
import { quiet } from '../stores/postgres/way.ts';
import { until } from '../until.ts';
import { missing } from './tools.ts';

/** Where Debian puts it, which is not in everybody's path. */
const PROGRAM = '/usr/sbin/pgbouncer';

const why = missing(PROGRAM, '--version');

/** Connections to the server, for all who connect to the pooler. */
const SERVER_CONNECTIONS = 5;

let server: PostgresServer;
let bouncer: ChildProcess;
let folder: string;
let url: string;
let pool: pg.Pool;

describe.skipIf(why !== null)(`through pgbouncer in transaction mode${why === null ? '' : `: ${why}`}`, () => {
  beforeAll(async () => {
    server = await startPostgres({ fsync: 'off' });
    folder = await mkdtemp(join(tmpdir(), 'gazette-pgbouncer-'));
    const { port: serverPort, password } = new URL(server.url);
    const port = await freePort();
    await writeFile(join(folder, 'users'), `"postgres" "${password}"\n`);
    await writeFile(
      join(folder, 'ini'),
      `[databases]
postgres = host=127.0.0.1 port=${serverPort}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, 'users')}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 200
`,
    );
    // It refuses to run as root.
    await chmod(folder, 0o755);
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    bouncer = spawn(PROGRAM, [...user, join(folder, 'ini')], { stdio: ['ignore', 'ignore', 'pipe'] });
    const target = new URL(server.url);
    target.port = String(port);
    url = target.href;
    let said = '';
    await new Promise<void>((resolve, reject) => {
      bouncer.stderr!.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('process up')) resolve();
      });
      bouncer.once('exit', () => {
        reject(new Error(`pgbouncer ended: ${said}`));
      });
    });
    pool = quiet(new pg.Pool({ connectionString: url }));
  });

  afterAll(async () => {
    await pool.end();
    const ended = once(bouncer, 'exit');
    bouncer.kill('SIGKILL');
    await ended;
    await server.stop();
    await rm(folder, { recursive: true });
  });

  let emptied: OpenServiceStore | undefined;
  const open: OpenServiceStore = () => (emptied ??= emptiedStores(pool, 'pooled'))();
  // Half a minute of processor time: whole once, as `npm run prove` runs it.
  if (EFFORT === 'whole') storeContract('PostgresStore', open, 10_000);
  accountStoreContract('PostgresStore', open);
  deliveryStoreContract('PostgresStore', open);

  it('shares a few connections among many who ask at once', async () => {
    const pools = Array.from({ length: 4 }, () => quiet(new pg.Pool({ connectionString: url, max: 20 })));
    onTestFinished(async () => {
      await Promise.all(pools.map((one) => one.end()));
    });
    const stores = await Promise.all(pools.map((one) => PostgresStore.open(one, { schema: 'shared' })));
    await world({ store: stores[0]! });
    const pages = await Promise.all(
      Array.from({ length: 200 }, (_, number) =>
        stores[number % 4]!.source('permits').then((one) => one.page({ offset: 0, limit: 100 })),
      ),
    );
    expect(new Set(pages.map(({ records }) => records.length))).toEqual(new Set([25]));
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend'`,
    );
    expect(rows[0]!.n).toBeLessThanOrEqual(SERVER_CONNECTIONS);
  });

  it('lets a node answer from memory, and know of what another one changed within a second', async () => {
    const schema = 'known';
    const direct = quiet(new pg.Pool({ connectionString: server.url }));
    const writer = await PostgresStore.open(direct, { schema });
    const service = await world({ store: writer });
    const own = quiet(new pg.Pool({ connectionString: url }));
    const store = await PostgresStore.open(own, { schema, answersFromMemory: true });
    const { now } = service.clock;
    const node = createGazette({ store, product: PRODUCT, limits: null, now: () => now });
    onTestFinished(async () => {
      await node.close();
      await service.close();
      await Promise.all([own.end(), direct.end()]);
    });
    const ask = async (etag: string | null): Promise<Response> => {
      const headers = {
        authorization: `Bearer ${service.key}`,
        ...(etag === null ? {} : { 'if-none-match': etag }),
      };
      return node.fetch(new Request('https://registers.example.org/api/v1/feeds/permits/records', { headers }));
    };
    let taken = 0;
    own.on('acquire', () => taken++);
    const changed = async (status: number, change: () => Promise<unknown>): Promise<void> => {
      const etag = (await ask(null)).headers.get('etag');
      await until('an answer from memory', async () => {
        const before = taken;
        return (await ask(etag)).status === 304 && taken === before;
      });
      await change();
      const changedAt = performance.now();
      await until(`the answer ${status}`, async () => {
        const startedAt = performance.now();
        const answer = await ask(etag);
        if (startedAt >= changedAt + 1000) expect(answer.status).toBe(status);
        return answer.status === status;
      });
    };
    await changed(200, () => writer.apply('permits', [say('new')], { recordedAt: at(61) }));
    await changed(401, async () => {
      const [key] = await writer.accounts.keys(service.accountId);
      await writer.accounts.revokeKey(key!.id, { revokedAt: at(60) });
    });
  });
});
