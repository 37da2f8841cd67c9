// A store against a model of plain arrays: what every filter finds, page for page, while the register changes.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { findingModelContract } from '../../contracts/finding-model-contract.ts';
import { emptiedStores } from './emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

findingModelContract('PostgresStore', emptiedStores(pool, 'finding_model'));
