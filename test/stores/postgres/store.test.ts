import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { accountStoreContract, type OpenServiceStore } from '../../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../../contracts/delivery-store-contract.ts';
import { storeContract } from '../../contracts/store-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;

afterAll(() => pool.end());

const open: OpenServiceStore = async () => {
  const schema = `contract_${++schemas}`;
  const store = await PostgresStore.open(pool, { schema });
  return {
    store,
    dispose: async () => {
      await pool.query(`DROP SCHEMA "${schema}" CASCADE`);
    },
  };
};

storeContract('PostgresStore', open);
accountStoreContract('PostgresStore', open);
deliveryStoreContract('PostgresStore', open);
