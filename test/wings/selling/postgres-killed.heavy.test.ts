// Purchases by several processes on a PostgreSQL database, and by processes that are killed.
import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { killedBuyers, type Shop } from './killed-buyers.ts';
import { BUYER_NAME } from './opened-engine.ts';
import { killedPayers } from './x402/killed-payers.ts';

const admin = new pg.Pool({ connectionString: inject('postgresUrl') });
afterAll(() => admin.end());
let databases = 0;

const open = async (): Promise<Shop> => {
  const name = `buyers_${++databases}`;
  await admin.query(`CREATE DATABASE ${name}`);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href });
  const isLeft = async (): Promise<boolean> => {
    const others = 'SELECT FROM pg_stat_activity WHERE datname = $1 AND application_name = $2';
    return (await pool.query(others, [name, BUYER_NAME])).rowCount === 0;
  };
  return { store: await PostgresStore.open(pool), url: url.href, isLeft, dispose: () => pool.end() };
};

killedBuyers('PostgreSQL', open);
killedPayers('PostgreSQL', open);
