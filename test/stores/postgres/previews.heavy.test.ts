// What a buyer finds in previews of a PostgresStore.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { previewsContract } from '../../contracts/previews-contract.ts';
import { emptiedStores } from './emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

previewsContract('PostgresStore', emptiedStores(pool, 'previews'));
