// What a moment costs: as many looks as the versions of a record have halves, and no row of all the others.
import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import type { PostgresQuery } from '../../../src/stores/postgres/connection.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { watched } from './watched.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
const SCHEMA = 'moments';
afterAll(async () => {
  await pool.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
  await pool.end();
});

it('looks for the version of then in halves of all that there are', async () => {
  const asked: PostgresQuery[] = [];
  const seen = watched(pool, (query) => {
    asked.push(query);
    return Promise.resolve();
  });
  const store = await PostgresStore.open(seen, { schema: SCHEMA });
  await store.createRegister(permits());
  for (let n = 0; n < 130; n++) await store.apply('permits', [say('a', { title: `${n}` })], { recordedAt: at(n) });
  const source = await store.source('permits');
  asked.length = 0;
  const { records } = await source.page({ asOf: at(40), offset: 0, limit: 1 });
  expect(records).toMatchObject([{ version: 41 }]);
  const ofVersions = asked.map(({ text }) => text).filter((text) => /FROM \S*versions/.test(text));
  // Two searches for the moment, at most nine looks for the version, and the version itself.
  expect(ofVersions.length).toBeLessThanOrEqual(16);
  const ranges = ofVersions.filter((text) => /slot (?:>|BETWEEN)/.test(text));
  expect(ranges).toEqual([]);
  await store.close();
});
