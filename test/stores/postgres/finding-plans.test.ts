// What PostgreSQL does for the worst questions: the plans of their statements, whatever it knows of the tables, and how much
// is asked of it.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RegisterRecord } from '../../../src/register/record.ts';
import type { PostgresPool, PostgresQuery } from '../../../src/stores/postgres/connection.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { HOSTILE_FILTERS, HOSTILE_REGISTER, hostileRecord } from '../../contracts/hostile-filters.ts';
import { at } from '../../contracts/store-register.ts';
import { plainMatches } from '../../register/finding/plain-filter.ts';

const SCHEMA = 'finding_plans';
const RECORDS = 1500;
/** The plain filter is slow: so many are compared with it. */
const NEWEST = 100;

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let sent: PostgresQuery[] = [];
const watched: PostgresPool = {
  query: (query) => {
    sent.push(query);
    return pool.query<unknown[]>(query);
  },
  connect: () => pool.connect(),
};
let store: PostgresStore;
let newest: readonly RegisterRecord[];
beforeAll(async () => {
  store = await PostgresStore.open(watched, { schema: SCHEMA });
  await store.createRegister(HOSTILE_REGISTER);
  const batch = Array.from({ length: RECORDS }, (_, index) => hostileRecord(index + 1));
  await store.apply('permits', batch, { recordedAt: at(0) });
  const source = await store.source('permits');
  ({ records: newest } = await source.page({ offset: 0, limit: NEWEST }));
}, 60_000);
afterAll(async () => {
  await pool.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
  await pool.end();
});

describe('the worst questions', () => {
  it('are fifty', () => {
    expect(Object.keys(HOSTILE_FILTERS)).toHaveLength(50);
  });

  it.each(Object.entries(HOSTILE_FILTERS))('are answered in few looks: %s', async (_, filter) => {
    const source = await store.source('permits');
    sent = [];
    const page = await source.page({ offset: 0, limit: 25, filter });
    const expected = newest.filter((record) => plainMatches(record, filter, HOSTILE_REGISTER.fields));
    const found = page.records.filter(({ position }) => position! > RECORDS - NEWEST);
    expect(found).toEqual(expected.slice(0, 25));
    // The head, the sets of one segment, a first page and the slices of all records.
    expect(sent.length).toBeLessThanOrEqual(3 + Math.ceil(RECORDS / 500));
  });

  it('are read by the indexes alone, whatever the server knows of the tables', async () => {
    const source = await store.source('permits');
    const statements = new Map<string, PostgresQuery>();
    for (const filter of Object.values(HOSTILE_FILTERS)) {
      sent = [];
      await source.page({ offset: 0, limit: 25, filter });
      for (const query of sent) statements.set(query.text, query);
    }
    const plans = async (): Promise<string[]> => {
      const texts: string[] = [];
      for (const { text, values = [] } of statements.values()) {
        const { rows } = await pool.query<string[]>({ text: `EXPLAIN ${text}`, values, rowMode: 'array' });
        texts.push(rows.flat().join('\n'));
      }
      return texts;
    };
    const unknown = await plans();
    await pool.query(`ANALYZE ${SCHEMA}.records; ANALYZE ${SCHEMA}.term_postings`);
    const known = await plans();
    await pool.query(`VACUUM ANALYZE ${SCHEMA}.term_postings`);
    for (const plan of [...unknown, ...known, ...(await plans())]) {
      expect(plan).not.toMatch(/Seq Scan on (?:records|term_postings)\b/);
      if (plan.includes('term_postings')) {
        expect(plan).toMatch(/Index Scan (?:using|on) term_postings_pkey.*\n +Index Cond: .*segment.*term/);
      }
      if (plan.includes('on records')) expect(plan).toContain('records_pkey');
    }
    expect(statements.size).toBe(4);
  });

  it('learn nothing from statistics of terms, because there are none', async () => {
    await pool.query(`ANALYZE ${SCHEMA}.term_postings`);
    const { rows } = await pool.query<{ attname: string }>(
      "SELECT attname FROM pg_stats WHERE schemaname = $1 AND tablename IN ('term_postings')",
      [SCHEMA],
    );
    expect(rows.map(({ attname }) => attname).toSorted()).toEqual(['segment']);
  });
});
