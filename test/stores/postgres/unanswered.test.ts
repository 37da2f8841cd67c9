// A database that vanishes without a word, as a host does that loses its network: connections stay open, and nothing
// comes over them.
import pg from 'pg';
import { beforeAll, expect, inject, it } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { permits } from '../../contracts/store-register.ts';
import { until } from '../../until.ts';
import { startWay, type Way } from './way.ts';

let way: Way;
let pool: pg.Pool;
let store: PostgresStore;

const schema = `unanswered_${process.pid}`;

beforeAll(async () => {
  way = await startWay(inject('postgresUrl'));
  const direct = new pg.Pool({ connectionString: inject('postgresUrl') });
  await PostgresStore.open(direct, { schema });
  // Logging in takes some tenths of a second on a busy machine.
  pool = new pg.Pool({ connectionString: way.url, connectionTimeoutMillis: 1000, max: 10 });
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
    way.isSilent = true;
    const results = await Promise.allSettled(WORKS.map((work) => work()));
    const codes = results.map((result) => result.status === 'rejected' && (result.reason as { code: string }).code);
    expect(codes).toEqual(WORKS.map(() => 'store_unavailable'));
    way.isSilent = false;
    expect(await until('an answer', () => store.registers().catch(() => null))).toEqual([]);
    // None is left waiting.
    expect(pool.waitingCount).toBe(0);
  },
);
