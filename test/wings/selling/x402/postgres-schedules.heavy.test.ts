// Random schedules of payments on a chain that loses blocks, over PostgreSQL.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { chainSchedulesContract } from '../contracts/chain-schedules-contract.ts';
import { tries } from '../../../effort.ts';
import { emptiedStores } from '../../../stores/postgres/emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => pool.end());

chainSchedulesContract('PostgreSQL', emptiedStores(pool, 'schedules'), tries(200, 10_000));
