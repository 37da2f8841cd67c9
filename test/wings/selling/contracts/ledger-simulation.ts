// Purchases of a made-up town: accounts with keys and credit, payers on chain, records that change meanwhile, processes that
// end at any step, answers that are lost, and clients that try again with the same and with other idempotency keys. Whatever
// happens, each item is charged once, what is charged is owned, and what is owned was charged.
import { expect } from 'vitest';
import type { InspectedStore } from '../../../../src/stores/contract/inspection.ts';
import {
  type Item,
  type LedgerEntry,
  type LedgerStore,
  type Payer,
} from '../../../../src/wings/selling/stores/contract/ledger.ts';
import { isGazetteError } from '../../../../src/errors.ts';
import type { Engine } from '../../../../src/stores/logic/rule.ts';
import { accountNamed, keyOfAccount } from '../../../contracts/accounts.ts';
import { ChainPayers, LOST } from './chain-payers.ts';
import { inspected } from '../../../contracts/overwrites.ts';
import { type Step, steppedLedger } from '../../../contracts/stepped-engine.ts';
import { sold } from './ledger-contract.ts';
import { at, say } from '../../../contracts/store-register.ts';
import { ledgerOf } from '../ledger-of.ts';

const ACCOUNTS = ['anna', 'bert', 'carl'];
const RECORDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/** What refusals a client must expect. */
const EXPECTED: ReadonlySet<string> = new Set([
  ...[
    'insufficient_credit',
    'budget_exhausted',
    'day_budget_exhausted',
    'price_changed',
    'item_changed',
    'idempotency_mismatch',
  ],
]);

/** How a simulation is run. */
export interface Simulation {
  readonly store: InspectedStore;
  /** The engine of the same store. */
  readonly engine: Engine;
  /** How many purchases are tried. */
  readonly purchases: number;
  /** How many at once. */
  readonly atOnce: number;
  /** Numbers from 0 to below 1. */
  readonly random: () => number;
}

/** Runs it, and checks the ledger now and then and at the end. */
export async function simulatePurchases({ store, engine, purchases, atOnce, random }: Simulation): Promise<void> {
  const below = (n: number): number => Math.floor(random() * n);
  const one = <T>(list: readonly T[]): T => list[below(list.length)]!;
  await store.createRegister(sold());
  await store.apply('permits', RECORDS.map((key) => say(key)), { recordedAt: at(0) }); // prettier-ignore
  for (const id of ACCOUNTS) {
    await store.accounts.createAccount({ ...accountNamed(id), accessUntil: null });
    const budget = { budget: purchases, perDay: id === 'carl' ? Math.ceil(purchases / 3) : null };
    await store.accounts.createKey({ ...keyOfAccount(id, id), ...(id === 'anna' ? {} : { budget }) });
  }
  let minute = 1;
  /** What clients were told they own, by payer, record and content version. */
  const told = new Set<string>();
  const nameOf = (payer: Payer, { recordId, contentVersion }: Item): string => `${payer} ${recordId} ${contentVersion}`;

  /** The ledger of a process that ends at a random step, or not at all. */
  const process = (): LedgerStore => {
    const end: Step | null =
      random() < 0.5 ? null : one<Step>([0, 1, 2, 3, 4, 5, 6, 7, 8, 'commit', 'answer', 'answer']);
    return steppedLedger(engine, (step) => {
      if (step === end) throw LOST;
    });
  };
  /** Tries again until it knows what became of the request. */
  const persist = async <T>(request: (ledger: LedgerStore) => Promise<T>): Promise<T | null> => {
    for (;;) {
      try {
        return await request(process());
      } catch (error) {
        if (error === LOST) continue;
        if (isGazetteError(error) && EXPECTED.has(error.code)) return null;
        throw error;
      }
    }
  };

  const buy = async (): Promise<void> => {
    const accountId = one(ACCOUNTS);
    const [item] = (await ledgerOf(store).items([`permits:${one(RECORDS)}`])).values();
    if (item === undefined) return;
    const expected = random() < 0.5 ? null : { amount: 1 + below(3), currency: 'EUR' };
    const keyId = random() < 0.8 ? `key_${accountId}` : null;
    // The same for every try, another one for every try, or none; now and then one that was used before.
    const kept = `request ${random() < 0.1 ? below(50) : random()}`;
    const kind = below(3);
    const bought = await persist((ledger) => {
      const idempotencyKey = kind === 0 ? null : kind === 1 ? kept : `request ${random()}`;
      return ledger.buy({ accountId, keyId, item, expected, idempotencyKey });
    });
    if (bought?.isNew === true && expected !== null) {
      expect(bought.charge.price.amount).toBeLessThanOrEqual(expected.amount);
    }
    if (bought !== null) told.add(nameOf(accountId, bought.item));
  };
  const payers = new ChainPayers({
    ...{ process, ledger: ledgerOf(store), random },
    onBought: ({ payer, item }) => void told.add(nameOf(payer, item)),
  });
  const payOnChain = (): Promise<void> => payers.pay(one(RECORDS));
  const disturb = async (): Promise<void> => {
    const key = one(RECORDS);
    const cause = random() < 0.5 ? {} : { cause: 'extraction_correction' as const };
    const titled = say(key, { title: `Title ${minute}` });
    const recordedAt = at(minute++);
    if (random() < 0.2) await store.withdraw('permits', [`permits:${key}`], { recordedAt });
    else await store.apply('permits', [titled], { recordedAt, ...cause });
  };
  const credit = async (): Promise<void> => {
    const [accountId, reference] = [one(ACCOUNTS), `INV-${random()}`];
    const price = { amount: 5 + below(20), currency: 'EUR' };
    await persist((ledger) => ledger.grantCredit({ accountId, price, reference, reason: null }));
  };
  const refund = async (): Promise<void> => {
    const charges = (await ledgerOf(store).entries({ limit: 50 })).filter(({ kind }) => kind === 'charge');
    if (charges.length === 0) return;
    const { number, payer, item } = one(charges);
    told.delete(nameOf(payer, item!));
    await persist((ledger) => ledger.refund(number, { reason: 'simulated' }));
  };

  for (let done = 0; done < purchases; done += atOnce) {
    const round = Array.from({ length: atOnce }, () => (random() < 0.75 ? buy : payOnChain)());
    await Promise.all(round);
    if (random() < 0.4) await disturb();
    if (random() < 0.1) await store.updateRegister(sold(1 + below(3)), { recordedAt: at(minute++) });
    if (random() < 0.12) await credit();
    if (random() < 0.1) await refund();
    if (random() < 0.2) await payers.reconcile();
    if (done % 5000 < atOnce) await checkLedger(store, told);
  }
  await payers.settleAll();
  const all = await checkLedger(store, told);
  payers.expectTransfers(all);
  // The town is busy: nothing is proved by refusals alone. A short run may have none of a kind.
  if (purchases < 1000) return;
  const counts = Map.groupBy(all, ({ provider, kind }) => (kind === 'refund' ? kind : `${provider} ${kind}`));
  for (const kind of ['prepaid charge', 'x402 hold', 'x402 charge', 'x402 release', 'refund']) {
    expect(counts.get(kind)?.length ?? 0, kind).toBeGreaterThan(purchases / 1000);
  }
}

/** Compares what was charged with what is owned. @returns all entries */
async function checkLedger(store: InspectedStore, told: ReadonlySet<string>): Promise<readonly LedgerEntry[]> {
  const all: LedgerEntry[] = [];
  for (let below = Number.MAX_SAFE_INTEGER; ;) {
    const part = await ledgerOf(store).entries({ below, limit: 1000 });
    all.push(...part);
    if (part.length < 1000) break;
    below = part.at(-1)!.number;
  }
  const refunded = new Set(all.filter(({ kind }) => kind === 'refund').map(({ reverses }) => reverses));
  const charges = all.filter(({ kind, number }) => kind === 'charge' && !refunded.has(number));
  const charged = charges.map(({ payer, item }) => `${payer} ${item!.recordId} ${item!.contentVersion}`).sort();
  expect(charged, 'double charges').toEqual([...new Set(charged)]);
  const payers = [...new Set([...all.map(({ payer }) => payer), ...ACCOUNTS])];
  const owned: string[] = [];
  for (const payer of payers) {
    const items = await ledgerOf(store).owned(payer, RECORDS.map((key) => `permits:${key}`)); // prettier-ignore
    owned.push(...items.map(({ recordId, contentVersion }) => `${payer} ${recordId} ${contentVersion}`));
  }
  // Charges without access, and access without a charge.
  expect(owned.sort()).toEqual(charged);
  expect(
    [...told].filter((name) => !owned.includes(name)),
    'told to be owned',
  ).toEqual([]);
  for (const { balance } of await store.accounts.accounts()) expect(balance?.left ?? 0).toBeGreaterThanOrEqual(0);
  expect(await inspected(store)).toEqual([]);
  return all;
}
