import pg from 'pg';
import { inject, it } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { expectJoined, expectWhole, KILLS } from '../kill-in-rules.ts';

it(`a database is whole after ${KILLS} processes that ended inside a rule of a plugin`, async () => {
  const url = inject('postgresUrl');
  const pool = new pg.Pool({ connectionString: url });
  const schema = 'killed_in_rule';
  await expectWhole(() => PostgresStore.open(pool, { schema }), 'postgres', url, schema);
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});

it('a log joins a database with a long history', async () => {
  const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
  const schema = 'joined_late';
  await expectJoined((plugins) => PostgresStore.open(pool, { schema, ...(plugins && { plugins }) }));
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});
