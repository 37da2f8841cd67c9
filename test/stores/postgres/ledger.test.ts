// Purchases in a PostgreSQL database.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { ledgerContract } from '../../contracts/ledger-contract.ts';
import { emptiedStores } from './emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

ledgerContract('PostgreSQL', emptiedStores(pool, 'ledger'));
