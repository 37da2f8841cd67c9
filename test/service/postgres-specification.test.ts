import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../src/stores/postgres/store.ts';
import { agentContract } from '../contracts/agent-contract.ts';
import { clientLoopsContract } from '../contracts/client-loops-contract.ts';
import type { OpenServiceStore } from '../contracts/deployment.ts';
import { specificationContract } from '../contracts/specification-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;

afterAll(() => pool.end());

const open: OpenServiceStore = async () => {
  const schema = `service_${++schemas}`;
  const store = await PostgresStore.open(pool, { schema });
  return {
    store,
    dispose: async () => {
      await pool.query(`DROP SCHEMA "${schema}" CASCADE`);
    },
  };
};

specificationContract('PostgresStore', open);
clientLoopsContract('PostgresStore', open);
agentContract('PostgresStore', open);
