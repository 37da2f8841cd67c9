// A store against a model of plain arrays: what every filter finds, page for page, while the register changes.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { findingModelContract } from '../../contracts/finding-model-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
const schema = 'finding_model';

afterAll(() => pool.end());

findingModelContract('PostgresStore', async () => {
  const store = await PostgresStore.open(pool, { schema });
  return {
    store,
    setTop: async (feedId, top) => {
      await pool.query(`UPDATE ${schema}.registers SET top = $1 WHERE id = $2`, [top, feedId]);
    },
    dispose: () => store.close(),
  };
});
