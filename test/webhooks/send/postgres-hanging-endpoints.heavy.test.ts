import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { hangingEndpoints } from './hanging-endpoints.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;

afterAll(() => pool.end());

hangingEndpoints('PostgreSQL', () => PostgresStore.open(pool, { schema: `hanging_endpoints_${++schemas}` }));
