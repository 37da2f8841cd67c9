import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { rowKeysContract } from '../../contracts/row-keys-contract.ts';
import { emptiedStores } from '../../stores/postgres/emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

rowKeysContract('An import into PostgreSQL', emptiedStores(pool, 'row_keys'));
