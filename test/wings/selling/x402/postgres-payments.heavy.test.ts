// Payments by x402, and the reconciler, over PostgreSQL.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { x402LostBlocksContract } from '../contracts/x402-lost-blocks-contract.ts';
import { x402PaymentContract } from '../contracts/x402-payment-contract.ts';
import { x402ReconcilerContract } from '../contracts/x402-reconciler-contract.ts';
import { emptiedStores } from '../../../stores/postgres/emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

const openStore = emptiedStores(pool, 'x402');

x402PaymentContract('PostgreSQL', openStore);
x402ReconcilerContract('PostgreSQL', openStore);
x402LostBlocksContract('PostgreSQL', openStore);
