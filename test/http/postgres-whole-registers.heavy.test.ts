// Whole registers while they are sent, from PostgreSQL.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { wholeRegistersContract } from '../contracts/whole-registers-contract.ts';
import { emptiedStores } from '../stores/postgres/emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

wholeRegistersContract('PostgreSQL', emptiedStores(pool, 'whole_registers'));
