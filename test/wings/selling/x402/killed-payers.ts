// Payments on chain by several processes, and by processes that are killed between any two of their steps: statements and
// commits of the ledger, questions to the facilitator and to the chain. Another process ends what a killed one began.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Reconciler } from '../../../../src/wings/selling/purchases/x402/index.ts';
import { x402Payer } from '../../../../src/wings/selling/purchases/x402/options.ts';
import { inspected } from '../../../contracts/overwrites.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { stride, tried, tries } from '../../../effort.ts';
import { letPass, until } from '../../../until.ts';
import type { Shop } from '../killed-buyers.ts';
import { authorization, BUYER, LocalChain, NETWORK } from './local-chain.ts';
import { takePayments } from './paying.ts';
import { identifier, paymentOf, type Presented } from './shop.ts';
import { ledgerOf } from '../ledger-of.ts';

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
] as const;

/** More statements and commits than a payment has. */
const MOST_WRITES = 40;

const encoded = (presented: Presented, chain: LocalChain): string =>
  `${presented.record ?? 'a'}=${Buffer.from(JSON.stringify(paymentOf(presented, authorization(chain.time)))).toString('base64')}`;

/** Registers the suite for one database. */
export function killedPayers(name: string, open: () => Promise<Shop>): void {
  describe(`a process that takes payments over ${name}`, () => {
    it.each(STEPS)(
      `charges nothing without access, and the other way round, when it is killed ${KILLS} times after: %s`,
      async (step) => {
        const shop = await stocked();
        for (let kill = 0; kill < KILLS; kill++) await paysOnce(shop, `r${kill}`, { step });
        tried(KILLS);
        await shop.dispose();
      },
    );

    it(`does so when it is killed ${KILLS} times before ${stride(3) === 1 ? 'each' : 'some'} of its writes, and after it`, async () => {
      const shop = await stocked();
      let halts = 0;
      for (let isThere = true; isThere; halts += isThere ? stride(3) : 0) {
        expect(halts).toBeLessThan(MOST_WRITES);
        for (let kill = 0; kill < KILLS && isThere; kill++) {
          isThere = await paysOnce(shop, `r${halts * KILLS + kill}`, { halt: halts });
        }
      }
      // Two transactions, each with statements, a commit and an answer.
      expect(halts).toBeGreaterThan(10);
      tried((halts / stride(3)) * KILLS);
      expect(await inspected(shop.store)).toEqual([]);
      await shop.dispose();
    });

    it('is paid once, when four of them are paid for one record eight times each', async () => {
      const shop = await stocked();
      const chain = await new LocalChain().start();
      const payments = (): string[] => Array.from({ length: 8 }, () => encoded({ identifier: identifier() }, chain));
      const said = await Promise.all(Array.from({ length: 4 }, () => pay(shop.url, chain, '', payments())));
      expect(said).toEqual(Array.from({ length: 4 }, () => Array.from({ length: 8 }, () => 'settled').join(' ')));
      expect(chain.asked.filter((what) => what === 'settle')).toHaveLength(1);
      expect(await chargesOf(shop, 'a')).toBe(1);
      await chain.stop();
      await shop.dispose();
    });

    it('charges one authorization once, when four of them are shown it at once', async () => {
      const shop = await stocked();
      const chain = await new LocalChain().start();
      const payment = encoded({ identifier: identifier() }, chain);
      const four = Array.from({ length: 4 }, () => pay(shop.url, chain, '', [payment, payment]));
      expect(await Promise.all(four)).toEqual(Array.from({ length: 4 }, () => 'settled settled'));
      expect(transfersOn(chain)).toBe(1);
      expect(await chargesOf(shop, 'a')).toBe(1);
      await chain.stop();
      await shop.dispose();
    });

    /** A database with more records than payments are tried. */
    async function stocked(): Promise<Shop> {
      const shop = await open();
      const keys = ['a', ...Array.from({ length: KILLS * MOST_WRITES }, (_, n) => `r${n}`)];
      await shop.store.createRegister(permits());
      await shop.store.apply('permits', keys.map((key) => say(key)), { recordedAt: at(0) }); // prettier-ignore
      return shop;
    }

    /** Pays for a record in a process that is killed, and again in this one. @returns whether the first one was killed */
    async function paysOnce(
      { store, url, isLeft }: Shop,
      record: string,
      { step, halt = -1 }: { readonly step?: string; readonly halt?: number },
    ): Promise<boolean> {
      const chain = await new LocalChain().start();
      const expectWhole = async (paid?: number): Promise<void> => {
        await until('the database to be done with it', isLeft);
        chain.mine(40, 240);
        const chains = [{ network: NETWORK, url: chain.url }];
        expect(await new Reconciler({ store, chains }).run()).toMatchObject({ failed: 0 });
        expect(await ledgerOf(store).openHolds({ limit: 10 })).toEqual([]);
        const transfers = transfersOn(chain);
        const owned = await ledgerOf(store).owned(x402Payer(NETWORK, BUYER), [`permits:${record}`]);
        expect([await chargesOf({ store }, record), owned.length]).toEqual([transfers, transfers]);
        expect(transfers).toBeLessThanOrEqual(1);
        if (paid !== undefined) expect(transfers).toBe(paid);
      };
      try {
        const said = await pay(url, chain, String(halt), [encoded({ record }, chain)], step);
        await expectWhole();
        // The payer tries again: it costs once, whatever became of the first attempt.
        expect(await takePayments(ledgerOf(store), chain.url, [encoded({ record }, chain)])).toBe('settled');
        await expectWhole(1);
        return said !== 'settled';
      } finally {
        await chain.stop();
      }
    }
  });
}

/** Makes payments in a process of its own, and kills it where it halts, or at a step. @returns what it said */
async function pay(
  url: string,
  chain: LocalChain,
  halt: string,
  payments: readonly string[],
  step?: string,
): Promise<string> {
  const child = spawn(process.execPath, [PROGRAM, url, chain.url, halt, ...payments], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.startsWith('halted')) child.kill('SIGKILL');
  });
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
  return said.trim();
}

/** How often the shop was paid: each block has an authorization and its transfer. */
function transfersOn(chain: LocalChain): number {
  return chain.blocks.flatMap(({ logs }) => logs).length / 2;
}

async function chargesOf({ store }: Pick<Shop, 'store'>, record: string): Promise<number> {
  const entries = await ledgerOf(store).entries({ payer: x402Payer(NETWORK, BUYER), limit: 1000 });
  return entries.filter(({ kind, item }) => kind === 'charge' && item?.recordId === `permits:${record}`).length;
}
