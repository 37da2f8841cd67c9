import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { accountStoreContract } from '../../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../../contracts/delivery-store-contract.ts';
import { storeContract } from '../../contracts/store-contract.ts';
import { emptiedStores } from './emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

const open = emptiedStores(pool, 'contract');
storeContract('PostgresStore', open);
accountStoreContract('PostgresStore', open);
deliveryStoreContract('PostgresStore', open);
