// A database that vanishes without a word, as a host does that loses its network: connections stay open, and nothing
// comes over them.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { beforeAll, expect, inject, it } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { permits } from '../../contracts/store-register.ts';
import { until } from '../../until.ts';

let isSilent = false;
let pool: pg.Pool;
let store: PostgresStore;

/** A way to the server that can be made to swallow everything. */
async function startWay(): Promise<{ readonly port: number; readonly stop: () => void }> {
  const { hostname, port } = new URL(inject('postgresUrl'));
  const sockets = new Set<Socket>();
  const way = createServer((client) => {
    const server = connect(Number(port), hostname);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => !isSilent && to.write(chunk));
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
    }
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const stop = (): void => {
    way.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: (way.address() as AddressInfo).port, stop };
}

const schema = `unanswered_${process.pid}`;

beforeAll(async () => {
  const way = await startWay();
  const direct = new pg.Pool({ connectionString: inject('postgresUrl') });
  await PostgresStore.open(direct, { schema });
  const url = new URL(inject('postgresUrl'));
  url.port = String(way.port);
  // Logging in takes some tenths of a second on a busy machine.
  pool = new pg.Pool({ connectionString: url.href, connectionTimeoutMillis: 1000, max: 10 });
  pool.on('error', () => undefined);
  store = await until('a store', () => PostgresStore.open(pool, { schema, answerTimeoutMs: 300 }).catch(() => null));
  return async () => {
    way.stop();
    await direct.query(`DROP SCHEMA ${schema} CASCADE`);
    await Promise.all([pool.end(), direct.end()]);
  };
});

/** One of each kind of work that a service does. */
const WORKS: readonly (() => Promise<unknown>)[] = [
  () => store.registers(),
  () => store.accounts.account('acme'),
  () => store.accounts.findKey(Buffer.alloc(32)),
  () => store.createRegister(permits()),
  () => store.apply('permits', [], { recordedAt: '2026-10-01T10:00:00Z' }),
];

it.each([['over open connections'], ['where none can be made']])(
  'ends all work with store_unavailable %s, and recovers',
  async (where) => {
    if (where === 'over open connections') await Promise.all(WORKS.map(() => store.registers()));
    isSilent = true;
    const results = await Promise.allSettled(WORKS.map((work) => work()));
    const codes = results.map((result) => result.status === 'rejected' && (result.reason as { code: string }).code);
    expect(codes).toEqual(WORKS.map(() => 'store_unavailable'));
    isSilent = false;
    expect(await until('an answer', () => store.registers().catch(() => null))).toEqual([]);
    // None is left waiting.
    expect(pool.waitingCount).toBe(0);
  },
);
