import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { agentContract } from '../contracts/agent-contract.ts';
import { clientLoopsContract } from '../contracts/client-loops-contract.ts';
import { describedAnswersContract } from '../contracts/described-answers-contract.ts';
import { specificationContract } from '../contracts/specification-contract.ts';
import { emptiedStores } from '../stores/postgres/emptied-store.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });

afterAll(() => pool.end());

const open = emptiedStores(pool, 'service');
specificationContract('PostgresStore', open);
clientLoopsContract('PostgresStore', open);
agentContract('PostgresStore', open);
describedAnswersContract('PostgresStore', open);
