// What a reader may take from a date alone, over PostgreSQL.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { configurationContract } from '../contracts/configuration-contract.ts';
import { emptiedStores } from '../stores/postgres/emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

configurationContract('PostgreSQL', emptiedStores(pool, 'configurations'));
