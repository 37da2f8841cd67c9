// Purchases by several processes, and by processes that are killed between any two steps.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { InspectedStore } from '../../../src/stores/contract/inspection.ts';
import { accountWithCredit, buy, itemOf, sold } from './contracts/ledger-contract.ts';
import { inspected } from '../../contracts/overwrites.ts';
import { at, say } from '../../contracts/store-register.ts';
import { tried, tries } from '../../effort.ts';
import { until } from '../../until.ts';
import { ledgerOf } from './ledger-of.ts';

const PROGRAM = fileURLToPath(new URL('buyer-process.ts', import.meta.url));

/** How often each step is the last one. */
const KILLS = tries(2, 20);

/** A database for one test: its store, and what processes open it by. */
export interface Shop {
  readonly store: InspectedStore;
  readonly url: string;
  /** Whether no buyer is connected: the database may still end what a killed one began. */
  readonly isLeft: () => Promise<boolean>;
  readonly dispose: () => Promise<void>;
}

async function stock({ store }: Shop, keys: readonly string[], budget: number): Promise<void> {
  await store.createRegister(sold());
  await store.apply('permits', keys.map((key) => say(key)), { recordedAt: at(0) }); // prettier-ignore
  await accountWithCredit(store, 10_000, { budget, perDay: null });
}

/** Runs a buyer; it is killed as soon as it says that it has come to its step. @returns what it said */
async function runBuyer(url: string, ...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, url, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.startsWith('at ')) child.kill('SIGKILL');
  });
  await ended;
  return said.trim();
}

/** Registers the suite for one database. */
export function killedBuyers(name: string, open: () => Promise<Shop>): void {
  it(`ten of 64 records are bought from a budget of ten by four processes on ${name}`, async () => {
    const shop = await open();
    await stock(shop, Array.from({ length: 64 }, (_, n) => `r${n}`), 20); // prettier-ignore
    const said = await Promise.all(
      [0, 16, 32, 48].map((from) => runBuyer(shop.url, 'many', String(from), String(from + 16))),
    );
    expect(said.map((text) => Number.parseInt(text, 10)).reduce((sum, n) => sum + n, 0)).toBe(10);
    const charges = (await ledgerOf(shop.store).entries({ limit: 1000 })).filter(({ kind }) => kind === 'charge');
    expect(charges).toHaveLength(10);
    expect((await shop.store.accounts.account('acme'))?.balance?.charged).toBe(20);
    expect(await inspected(shop.store)).toEqual([]);
    await shop.dispose();
  });

  it(`one record is charged once to 64 requests of four processes on ${name}`, async () => {
    const shop = await open();
    await stock(shop, ['a'], 20);
    const said = await Promise.all(
      [0, 16, 32, 48].map((from) => runBuyer(shop.url, 'same', String(from), String(from + 16))),
    );
    expect(said).toEqual(['16 bought', '16 bought', '16 bought', '16 bought']);
    const charges = (await ledgerOf(shop.store).entries({ limit: 1000 })).filter(({ kind }) => kind === 'charge');
    expect(charges).toHaveLength(1);
    await shop.dispose();
  });

  it(`a buyer killed ${KILLS} times between any two steps is charged once on ${name}, with access`, async () => {
    const shop = await open();
    const { store, url } = shop;
    const keys = Array.from({ length: KILLS * 20 }, (_, n) => `r${n}`);
    await stock(shop, keys, 10_000);
    const statements = Number.parseInt(await runBuyer(url, 'steps', keys.at(-1)!), 10);
    const all = [...Array.from({ length: statements }, (_, step) => String(step)), 'commit', 'answer'];
    expect(all.length).toBeGreaterThan(6);
    let next = keys.length - 2;
    for (const step of all) {
      for (let kill = 0; kill < KILLS; kill++) {
        const key = keys[next--]!;
        expect(await runBuyer(url, 'halt', step, key)).toBe(`at ${step}`);
        // Killed before it committed, a buyer has paid nothing; afterwards it has what it paid.
        const isPaid = step === 'answer';
        await until('the database to be done with it', async () => {
          return ((await ledgerOf(store).purchase('acme', itemOf(key))) !== null) === isPaid;
        });
        expect(await buy(store, itemOf(key), { idempotencyKey: `buy ${key}` })).toMatchObject({ isNew: !isPaid });
        expect(await ledgerOf(store).purchase('acme', itemOf(key))).not.toBeNull();
      }
    }
    tried(all.length * KILLS);
    const charges = (await ledgerOf(store).entries({ limit: 1000 })).filter(({ kind }) => kind === 'charge');
    expect(new Set(charges.map(({ item }) => item!.recordId)).size).toBe(charges.length);
    expect(await inspected(store)).toEqual([]);
    await shop.dispose();
  });
}
