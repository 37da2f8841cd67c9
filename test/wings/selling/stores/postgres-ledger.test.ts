// Purchases in a PostgreSQL database.
import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import { SELLING } from '../../../../src/wings/selling/stores/plugin.ts';
import { PostgresConnection } from '../../../../src/stores/postgres/connection.ts';
import { PostgresEngine } from '../../../../src/stores/postgres/engine.ts';
import { postgresMigrations } from '../../../../src/stores/postgres/migrations.ts';
import { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { accountWithCredit, buy, expectDays, itemOf, ledgerContract, sold } from '../contracts/ledger-contract.ts';
import { simulatePurchases } from '../contracts/ledger-simulation.ts';
import { at, say } from '../../../contracts/store-register.ts';
import { tried, tries } from '../../../effort.ts';
import { emptiedStores } from '../../../stores/postgres/emptied-store.ts';
import { GatedPool, takingTurns } from '../../../stores/postgres/interleavings.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

ledgerContract('PostgreSQL', emptiedStores(pool, 'ledger'));

const PURCHASES = tries(80, 100_000);

it(`${PURCHASES} purchases in PostgreSQL with crashes, lost answers and retries add up`, async () => {
  const schema = 'ledger_simulation';
  const store = await PostgresStore.open(pool, { schema });
  const engine = new PostgresEngine(await PostgresConnection.open(pool, { schema }, postgresMigrations), [SELLING]);
  await simulatePurchases({ store, engine, purchases: PURCHASES, atOnce: 8, random: Math.random });
  tried(PURCHASES);
});

it('PostgreSQL counts what a key spends in a day by its own clock', async () => {
  const schema = 'ledger_days';
  const store = await PostgresStore.open(pool, { schema });
  await expectDays(store, (day) => pool.query(`UPDATE ${schema}.api_keys SET spent_day = $1`, [day]));
});

it('two purchases whose statements take turns in PostgreSQL are charged one after the other', async () => {
  const schema = 'ledger_turns';
  const store = await PostgresStore.open(pool, { schema });
  await store.createRegister(sold());
  await store.apply('permits', ['a', 'b', 'c'].map((key) => say(key)), { recordedAt: at(0) }); // prettier-ignore
  await accountWithCredit(store, 4, { budget: 10, perDay: null });
  const pools = [new GatedPool(pool, pool), new GatedPool(pool, pool)] as const;
  const [one, other] = [await PostgresStore.open(pools[0], { schema }), await PostgresStore.open(pools[1], { schema })];
  const run = (first: string, second: string): Promise<{ readonly outcome: readonly unknown[] }> =>
    takingTurns({
      ...{ pools, prepare: () => Promise.resolve() },
      start: () => [buy(one, itemOf(first)), buy(other, itemOf(second))],
      outcome: (results) => Promise.resolve(results),
    });
  const same = await run('a', 'a');
  expect(same.outcome).toMatchObject([{ isNew: true }, { isNew: false }]);
  // There is credit for one of them.
  const different = await run('b', 'c');
  expect(different.outcome).toMatchObject([{ isNew: true }, { error: 'insufficient_credit' }]);
  expect((await store.accounts.account('acme'))?.balance).toMatchObject({ charged: 4, left: 0 });
});
