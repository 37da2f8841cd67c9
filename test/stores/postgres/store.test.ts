import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { accountStoreContract } from '../../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../../contracts/delivery-store-contract.ts';
import { storeContract } from '../../contracts/store-contract.ts';
import { tries } from '../../effort.ts';
import { emptiedStores } from './emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

const open = emptiedStores(pool, 'contract');
// A schedule takes some fifty times as long as in a file: so many end in an hour at the whole effort.
storeContract('PostgresStore', open, tries(20, 2000));
accountStoreContract('PostgresStore', open);
deliveryStoreContract('PostgresStore', open);
