// Mirrors of a PostgreSQL store.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { mirrorContract } from '../../contracts/mirror-contract.ts';
import { emptiedStores } from './emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

mirrorContract('PostgresStore', emptiedStores(pool, 'mirrored'));
