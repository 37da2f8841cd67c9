import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { closedPagesContract } from '../contracts/closed-pages-contract.ts';
import { emptiedStores } from '../stores/postgres/emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

closedPagesContract('PostgresStore', emptiedStores(pool, 'closed_pages'));
