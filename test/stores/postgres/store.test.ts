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
// Fewer than on SQLite: a schedule takes a multiple of the time here, and the whole effort has to end.
storeContract('PostgresStore', open, tries(10, 2000));
accountStoreContract('PostgresStore', open);
deliveryStoreContract('PostgresStore', open);
