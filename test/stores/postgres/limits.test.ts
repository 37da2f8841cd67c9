// Limits that nodes share through a PostgreSQL database.
import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import { PostgresConnection } from '../../../src/stores/postgres/connection.ts';
import { PostgresLimitCounter } from '../../../src/stores/postgres/limits/counter.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { limitCounterContract } from '../../contracts/limit-counter-contract.ts';
import { sharedLimitsContract } from '../../contracts/shared-limits-contract.ts';
import { quiet } from './way.ts';

const url = inject('postgresUrl');
const pool = new pg.Pool({ connectionString: url });
let schemas = 0;

afterAll(() => pool.end());

limitCounterContract(async () => {
  return new PostgresLimitCounter(await PostgresConnection.open(pool, { schema: 'limits' }, postgresMigrations));
});

sharedLimitsContract(async () => {
  const schema = `limits_${++schemas}`;
  await PostgresStore.open(pool, { schema });
  return {
    openNode: async () => {
      const own = quiet(new pg.Pool({ connectionString: url }));
      return { store: await PostgresStore.open(own, { schema }), close: () => own.end() };
    },
    takeAway: async () => {
      const locking = await pool.connect();
      await locking.query(`BEGIN; LOCK TABLE ${schema}.limit_counts IN ACCESS EXCLUSIVE MODE`);
      return async () => {
        await locking.query('COMMIT');
        locking.release();
      };
    },
  };
}, ['its table is locked']);

it('counts keys that do not work in a table that a crash does not empty', async () => {
  await PostgresStore.open(pool, { schema: 'limits_kept' });
  const { rows } = await pool.query<{ relname: string; relpersistence: string }>(
    `SELECT relname, relpersistence FROM pg_class WHERE relname IN ('failure_counts', 'limit_counts')
       AND relnamespace = 'limits_kept'::regnamespace ORDER BY relname`,
  );
  expect(rows.map(({ relname, relpersistence }) => `${relname} ${relpersistence}`)).toEqual([
    'failure_counts p',
    'limit_counts u',
  ]);
});
