// Purchases while something else happens, over PostgreSQL.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { purchaseEventsContract } from './contracts/purchase-events-contract.ts';
import { emptiedStores } from '../../stores/postgres/emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

purchaseEventsContract('PostgreSQL', emptiedStores(pool, 'purchase_events'));
