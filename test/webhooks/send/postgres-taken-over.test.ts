import pg from 'pg';
import { inject, it, onTestFinished } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { expectTakenOver } from './killed-sender.ts';

it('a sender on PostgreSQL takes over at once what a killed one of its host had claimed', async () => {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  await admin.query('CREATE DATABASE taken_over');
  await admin.end();
  const url = inject('postgresUrl').replace(/\/postgres$/, '/taken_over');
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  await expectTakenOver(await PostgresStore.open(pool), url);
});
