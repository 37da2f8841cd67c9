// Requests that must not take effect twice, with two processes on one PostgreSQL database.
import pg from 'pg';
import { inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { onceContract } from '../../contracts/once-contract.ts';

onceContract('PostgreSQL', async () => {
  const schema = 'once';
  const pools = [0, 1].map(() => new pg.Pool({ connectionString: inject('postgresUrl') }));
  await pools[0]!.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  const open = (pool: pg.Pool): Promise<PostgresStore> => PostgresStore.open(pool, { schema });
  const stores = [await open(pools[0]!), await open(pools[1]!)] as const;
  return {
    stores,
    async dispose() {
      await Promise.all(stores.map((store) => store.close()));
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
});
