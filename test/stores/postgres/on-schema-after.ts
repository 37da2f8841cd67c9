// A suite for the code of the schema before, which is given a copy of this file: its stores are made by newer code.
import pg from 'pg';
import { afterAll } from 'vitest';
import { accountStoreContract } from '../../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../../contracts/delivery-store-contract.ts';
import { findingContract } from '../../contracts/finding-contract.ts';
import { ledgerContract } from '../../contracts/ledger-contract.ts';
import { previewsContract } from '../../contracts/previews-contract.ts';
import { storeContract } from '../../contracts/store-contract.ts';
import { emptiedStores } from './emptied-store.ts';

const pool = new pg.Pool({ connectionString: process.env.GAZETTE_TEST_STORE! });
afterAll(() => pool.end());

const open = emptiedStores(pool, 'schema_after');
storeContract('PostgresStore', open);
accountStoreContract('PostgresStore', open);
deliveryStoreContract('PostgresStore', open);
ledgerContract('PostgresStore', open);
findingContract('PostgresStore', open);
previewsContract('PostgresStore', open);
