// A process that takes a payment is killed between any two of its steps; another one ends what it began.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Reconciler } from '../../../src/purchases/x402/index.ts';
import { x402Payer } from '../../../src/stores/contract/ledger.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { timeLimit, tried, tries } from '../../effort.ts';
import { letPass } from '../../until.ts';
import { authorization, BUYER, LocalChain, NETWORK } from './local-chain.ts';
import { paymentOf } from './shop.ts';

const KILLS = tries(1, 20);
const PROGRAM = join(import.meta.dirname, 'paying-process.ts');

/** Its steps, as a facilitator and a chain see them: a question came, or was answered. */
const STEPS = [
  'verify asked',
  'verify answered',
  'settle asked',
  'settle answered',
  'eth_getLogs asked',
  'eth_getTransactionReceipt asked',
  'eth_getTransactionReceipt answered',
  'it has ended',
] as const;

describe('a process that takes a payment', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gazette-test-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(STEPS)(
    `charges nothing without access, and the other way round, when it is killed ${KILLS} times after: %s`,
    { timeout: timeLimit(60_000) },
    async (step) => {
      for (let kill = 0; kill < KILLS; kill++) {
        const path = join(folder, `${STEPS.indexOf(step)}-${kill}.db`);
        const chain = await new LocalChain().start();
        try {
          await withStore(path, async (store) => {
            await store.createRegister(permits());
            await store.apply('permits', [say('a')], { recordedAt: at(0) });
          });
          await payAndDie(path, chain, step);
          await withStore(path, (store) => expectWhole(store, chain));
          // The payer tries again: it costs once, whatever became of the first attempt.
          await payAndDie(path, chain, 'it has ended');
          await withStore(path, (store) => expectWhole(store, chain, 1));
        } finally {
          await chain.stop();
        }
      }
      tried(KILLS);
    },
  );

  /** Pays in a process of its own, and kills it at a step. */
  async function payAndDie(path: string, chain: LocalChain, step: string): Promise<void> {
    const payment = Buffer.from(JSON.stringify(paymentOf({}, authorization(chain.time)))).toString('base64');
    const child = spawn(process.execPath, [PROGRAM, path, chain.url, payment], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const ended = once(child, 'exit');
    const at =
      (when: string) =>
      async (what: string): Promise<void> => {
        if (`${what} ${when}` !== step) return;
        // After an answer the next step begins within a few milliseconds: the kill is before, in or after it.
        if (when === 'answered')
          void letPass(Math.random() * 6, 'a moment at random within the next step').then(() => child.kill('SIGKILL'));
        else child.kill('SIGKILL');
        if (when === 'asked') await ended;
      };
    chain.onAsked = at('asked');
    chain.onAnswer = at('answered');
    await ended;
    chain.onAsked = chain.onAnswer = () => undefined;
    chain.mine(40, 240);
  }

  /** The ledger says what the chain says, and nothing stays open. @param paid how often must have been paid. Default: 0 or 1 */
  async function expectWhole(store: SqliteStore, chain: LocalChain, paid?: number): Promise<void> {
    const chains = [{ network: NETWORK, url: chain.url }];
    expect(await new Reconciler({ ledger: store.ledger, chains }).run()).toMatchObject({ failed: 0 });
    expect(await store.ledger.openHolds({ limit: 10 })).toEqual([]);
    const kinds = (await store.ledger.entries({ limit: 100 })).map(({ kind }) => kind);
    const count = (kind: string): number => kinds.filter((one) => one === kind).length;
    const transfers = chain.blocks.flatMap(({ logs }) => logs).length / 2;
    const owned = await store.ledger.owned(x402Payer(NETWORK, BUYER), ['permits:a']);
    expect([count('charge'), owned.length]).toEqual([transfers, transfers]);
    expect(count('hold')).toBe(count('charge') + count('release'));
    expect(transfers).toBeLessThanOrEqual(1);
    if (paid !== undefined) expect(transfers).toBe(paid);
  }
});

async function withStore(path: string, use: (store: SqliteStore) => Promise<unknown>): Promise<void> {
  const store = SqliteStore.open(path);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}
