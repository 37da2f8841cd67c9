// Purchases in a SQLite file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { SELLING } from '../../../../src/wings/selling/stores/plugin.ts';
import { SqliteConnection } from '../../../../src/stores/sqlite/connection.ts';
import { SqliteEngine } from '../../../../src/stores/sqlite/engine.ts';
import { SQLITE_MIGRATIONS } from '../../../../src/stores/sqlite/migrations.ts';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { simulatePurchases } from '../contracts/ledger-simulation.ts';
import { tried, tries } from '../../../effort.ts';
import { accountWithCredit, buy, expectDays, itemOf, ledgerContract, sold } from '../contracts/ledger-contract.ts';
import { at, say } from '../../../contracts/store-register.ts';
import { freshStores } from '../../../stores/sqlite/fresh-store.ts';
import { ledgerOf } from '../ledger-of.ts';

ledgerContract('SQLite', freshStores());

const PURCHASES = tries(300, 100_000);

it(`${PURCHASES} purchases in SQLite with crashes, lost answers and retries add up`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path);
  const connection = SqliteConnection.open(path, { plugins: [SELLING] }, SQLITE_MIGRATIONS);
  const engine = new SqliteEngine(connection, [SELLING]);
  await simulatePurchases({ store, engine, purchases: PURCHASES, atOnce: 4, random: Math.random });
  tried(PURCHASES);
  connection.close();
  await store.close();
});

it('SQLite counts what a key spends in a day by its own clock', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path);
  const database = new DatabaseSync(path);
  await expectDays(store, async (day) => database.prepare('UPDATE api_keys SET spent_day = ?').run(day));
  database.close();
  await store.close();
});

it('SQLite sells nothing of a register whose rows are being removed', async () => {
  const store = SqliteStore.open(':memory:');
  await store.createRegister(sold());
  await store.apply('permits', [say('a')], { recordedAt: at(0) });
  await accountWithCredit(store, 10);
  const removed = store.removeRegister('permits');
  // The register is marked by now, and its rows go one step after another.
  const [found, bought] = [ledgerOf(store).items(['permits:a']), buy(store, itemOf('a'))];
  expect(await found).toEqual(new Map());
  await expect(bought).rejects.toMatchObject({ code: 'item_changed' });
  await removed;
  expect((await store.accounts.account('acme'))?.balance).toMatchObject({ charged: 0 });
  await store.close();
});
