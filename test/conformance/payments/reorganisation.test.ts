// A real chain (anvil) that loses blocks: what was paid in them, with the protocol's own client and facilitator, over both
// databases.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HoldState } from '../../../src/wings/selling/stores/contract/ledger.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { keyAt } from '../../world.ts';
import { type PostgresServer, startPostgres } from '../../stores/postgres/server.ts';
import { until } from '../../until.ts';
import { openStall, PRICE, type Stall, type StallStore } from './stall.ts';
import { ledgerOf } from '../../wings/selling/ledger-of.ts';

let server: PostgresServer;
let pool: pg.Pool;
beforeAll(async () => {
  server = await startPostgres();
  pool = new pg.Pool({ connectionString: server.url });
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

const ENGINES: readonly (readonly [name: string, open: () => Promise<StallStore>])[] = [
  ['SQLite', async () => SqliteStore.open(':memory:')],
  ['PostgreSQL', () => PostgresStore.open(pool, { schema: 'reorganisation' })],
];

describe.each(ENGINES)('a chain that loses blocks, over %s', (_, openStore) => {
  let stall: Stall;
  beforeAll(async () => {
    stall = await openStall(await openStore());
  });
  afterAll(() => stall.close());

  const head = async (): Promise<number> => Number(await stall.market.ask('eth_blockNumber', []));
  const mine = (count: number): Promise<unknown> => stall.market.ask('anvil_mine', [`0x${count.toString(16)}`]);
  const urlOf = (index: number): string => `${stall.server.url}/api/v1/records/permits:${keyAt(index)}/full`;
  /** Pays for a record. */
  const pay = async (index: number): Promise<{ response: Response; signed: object; authorization: string }> => {
    const decoded = (response: Response, name: string): Record<string, unknown> =>
      JSON.parse(Buffer.from(response.headers.get(name) ?? 'e30=', 'base64').toString()) as Record<string, unknown>;
    const required = decoded(await fetch(urlOf(index)), 'payment-required') as { accepts: object[] };
    const paymentPayload = await stall.client.createPaymentPayload(required);
    const signature = Buffer.from(JSON.stringify(paymentPayload)).toString('base64');
    const response = await fetch(urlOf(index), { headers: { 'payment-signature': signature } });
    const { extensions } = decoded(response, 'payment-response') as {
      extensions: { 'gazette-receipt': { info: { receipt: string } } };
    };
    const authorization = `Bearer ${extensions['gazette-receipt'].info.receipt}`;
    return { response, signed: { paymentPayload, paymentRequirements: required.accepts[0] }, authorization };
  };
  const reads = async (index: number, authorization: string): Promise<number> =>
    (await fetch(urlOf(index), { headers: { authorization } })).status;
  /** The states of all payments that have not ended. */
  const unended = async (): Promise<readonly HoldState[]> =>
    (await ledgerOf(stall.store).openHolds({ limit: 10 })).map(({ state }) => state);
  const kinds = async (): Promise<readonly string[]> =>
    (await ledgerOf(stall.store).entries({ limit: 100 })).map(({ kind }) => kind).reverse();
  /**
   * Loses the newest blocks, with what was paid in them; as many without anything take their place. No block is made meanwhile: it
   * would be lost instead of the oldest.
   */
  const loseAll = async (since: number): Promise<void> => {
    await stall.market.ask('evm_setIntervalMining', [0]);
    await stall.market.ask('anvil_reorg', [(await head()) - since, []]);
    await stall.market.ask('evm_setIntervalMining', [1]);
  };

  it('charges what lands below the head seen at its check', async () => {
    const snapshot = await stall.market.ask('evm_snapshot', []);
    await mine(20);
    const checkedAt = await head();
    stall.market.beforeSettling = async () => {
      stall.market.beforeSettling = null;
      expect(await stall.market.ask('evm_revert', [snapshot])).toBe(true);
      expect(await head()).toBeLessThan(checkedAt - 10);
    };
    const { response, authorization } = await pay(1);
    expect(response.status).toBe(200);
    expect(await head()).toBeLessThan(checkedAt);
    await mine(2);
    expect(await stall.reconciler.run()).toMatchObject({ open: 1, settled: 1, reversed: 0, failed: 0 });
    expect(await reads(1, authorization)).toBe(200);
    expect(await kinds()).toEqual(['hold', 'charge']);
  });

  it('keeps a charge whose transfer comes into another block', async () => {
    const [since, before] = [await head(), await stall.market.balance(stall.market.buyer.address)];
    const { response, signed, authorization } = await pay(2);
    expect(response.status).toBe(200);
    await loseAll(since);
    expect(await stall.market.balance(stall.market.buyer.address)).toBe(before);
    await mine(3);
    expect(await stall.reconciler.run()).toMatchObject({ open: 1, settled: 0, reversed: 0, failed: 0 });
    expect([await unended(), await reads(2, authorization)]).toEqual([['charged'], 200]);
    const sent = await fetch(`${stall.market.facilitator}/settle`, { method: 'POST', body: JSON.stringify(signed) });
    expect(await sent.json()).toMatchObject({ success: true });
    await mine(3);
    expect(await stall.reconciler.run()).toMatchObject({ open: 1, settled: 1, reversed: 0, failed: 0 });
    expect([await unended(), await reads(2, authorization)]).toEqual([[], 200]);
    expect(await stall.market.balance(stall.market.buyer.address)).toBe(before - PRICE);
    expect(await kinds()).toEqual(['hold', 'charge', 'hold', 'charge']);
  });

  it('reverses a charge whose transfer is gone when the authorization has ended', async () => {
    const [since, before] = [await head(), await stall.market.balance(stall.market.buyer.address)];
    const { response, authorization } = await pay(3);
    expect(response.status).toBe(200);
    await loseAll(since);
    expect(await stall.market.balance(stall.market.buyer.address)).toBe(before);
    expect(await reads(3, authorization)).toBe(200);
    await stall.market.ask('evm_increaseTime', [1000]);
    await mine(3);
    await until('the charge to be reversed', async () => (await stall.reconciler.run()).reversed === 1);
    expect([await unended(), await reads(3, authorization)]).toEqual([[], 402]);
    expect(await kinds()).toEqual(['hold', 'charge', 'hold', 'charge', 'hold', 'charge', 'reversed']);
  });
});
