// This code on the schema after its own, which only adds: its processes work on while others are upgraded already.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { accountStoreContract } from '../../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../../contracts/delivery-store-contract.ts';
import { findingContract } from '../../contracts/finding-contract.ts';
import { ledgerContract } from '../../wings/selling/contracts/ledger-contract.ts';
import { previewsContract } from '../../contracts/previews-contract.ts';
import { storeContract } from '../../contracts/store-contract.ts';
import { tries } from '../../effort.ts';
import { emptiedStores } from './emptied-store.ts';
import { toNextSchema } from './next-schema.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

const open = emptiedStores(pool, 'next_schema', (schema) => toNextSchema(pool, schema));
// What is tried at random is nothing of schemas: a few show it.
storeContract('PostgresStore of the schema before', open, tries(5, 500));
accountStoreContract('PostgresStore of the schema before', open);
deliveryStoreContract('PostgresStore of the schema before', open);
ledgerContract('PostgresStore of the schema before', open);
findingContract('PostgresStore of the schema before', open);
previewsContract('PostgresStore of the schema before', open);
