// Purchases in a PostgreSQL database.
import pg from 'pg';
import { afterAll, inject, it } from 'vitest';
import { PostgresConnection } from '../../../src/stores/postgres/connection.ts';
import { PostgresEngine } from '../../../src/stores/postgres/engine.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { expectDays, ledgerContract } from '../../contracts/ledger-contract.ts';
import { simulatePurchases } from '../../contracts/ledger-simulation.ts';
import { timeLimit, tried, tries } from '../../effort.ts';
import { emptiedStores } from './emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

ledgerContract('PostgreSQL', emptiedStores(pool, 'ledger'));

const PURCHASES = tries(160, 100_000);

it(
  `${PURCHASES} purchases in PostgreSQL with crashes, lost answers and retries add up`,
  { timeout: timeLimit(60_000) },
  async () => {
    const schema = 'ledger_simulation';
    const store = await PostgresStore.open(pool, { schema });
    const engine = new PostgresEngine(await PostgresConnection.open(pool, { schema }, postgresMigrations));
    await simulatePurchases({ store, engine, purchases: PURCHASES, atOnce: 8, random: Math.random });
    tried(PURCHASES);
  },
);

it('PostgreSQL counts what a key spends in a day by its own clock', async () => {
  const schema = 'ledger_days';
  const store = await PostgresStore.open(pool, { schema });
  await expectDays(store, (day) => pool.query(`UPDATE ${schema}.api_keys SET spent_day = $1`, [day]));
});
