import { longTextsContract } from '../../contracts/long-texts-contract.ts';
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { emptiedStores } from './emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

longTextsContract(emptiedStores(pool, 'long_texts'));
