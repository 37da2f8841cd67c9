// What a PostgreSQL store reads for the worst questions. Each statement is one read: the server reads nothing else for it than
// its plan says, whatever the server knows of the tables.
import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import type { PostgresPool, PostgresQuery } from '../../../src/stores/postgres/connection.ts';
import { TERM_STATE } from '../../../src/stores/logic/finding/term-state.ts';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { COSTS, hostileContract, type Read, textIn } from '../../contracts/hostile-contract.ts';

const SCHEMA = 'hostile';

/** Where a row of a look has the list of the segments that a range chose. */
const LISTED_AT = TERM_STATE.columns.length + 2;

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
const asked = new Map<string, PostgresQuery>();
let reads: Read[] = [];
const watched: PostgresPool = {
  query: async (query) => {
    const result = await pool.query<unknown[]>(query);
    note(query, result.rows);
    return result;
  },
  connect: () => pool.connect(),
};
afterAll(() => pool.end());

hostileContract('PostgresStore', async () => {
  const store = await PostgresStore.open(watched, { schema: SCHEMA });
  const plansNow = async (): Promise<string[]> => {
    const plans: string[] = [];
    for (const { text, values = [] } of asked.values()) {
      const { rows } = await pool.query<string[]>({ text: `EXPLAIN ${text}`, values, rowMode: 'array' });
      plans.push(rows.flat().join('\n'));
    }
    return plans;
  };
  return {
    store,
    reads: () => {
      const last = reads;
      reads = [];
      return last;
    },
    plans: async () => {
      const before = await plansNow();
      await pool.query(`ANALYZE ${SCHEMA}.records; ANALYZE ${SCHEMA}.term_postings; ANALYZE ${SCHEMA}.registers`);
      const known = await plansNow();
      await pool.query(`VACUUM ANALYZE ${SCHEMA}.term_postings`);
      const plans = [...before, ...known, ...(await plansNow())];
      for (const plan of plans.filter((text) => text.includes('term_postings'))) {
        expect(plan).toMatch(/Index Scan (?:using|on) term_postings_pkey.*\n +Index Cond: .*segment.*term/);
      }
      return plans;
    },
    settle: async () => {
      asked.clear();
      reads = [];
      // What the server does by itself within a minute.
      await pool.query(`VACUUM ${SCHEMA}.records`);
    },
    refused: /Seq Scan on (?:records|term_postings)\b|records_(?:type|facility|id)/,
    dispose: async () => {
      await pool.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
    },
  };
});

it('learns nothing from statistics of terms and values, because there are none', async () => {
  const schema = 'hostile_statistics';
  await PostgresStore.open(pool, { schema });
  const { rows } = await pool.query<{ attname: string; attstattarget: number | null }>(
    `SELECT attname, attstattarget FROM pg_attribute WHERE attnum > 0 AND attrelid IN
      ('${schema}.term_postings'::regclass, '${schema}.value_columns'::regclass) ORDER BY attname`,
  );
  const kept = rows.filter(({ attstattarget }) => attstattarget !== 0).map(({ attname }) => attname);
  expect(kept).toEqual(['field', 'segment', 'segment']);
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
});

function note(query: PostgresQuery, rows: readonly (readonly unknown[])[]): void {
  const { text, values = [] } = query;
  const isLook = /term_postings|value_columns/.test(text);
  const isRecords = /\brecords\b/.test(text);
  if (!isLook && !isRecords) return;
  asked.set(text, query);
  const found = isRecords ? rows : [];
  // How many names there are in each segment: of terms, of beginnings of words, of fields.
  const names = (pattern: RegExp): number => {
    const [, parameter] = pattern.exec(text) ?? [];
    return parameter === undefined ? 0 : (values[Number(parameter) - 1] as readonly unknown[]).length;
  };
  const cost =
    names(/unnest\(\$(\d+)::text\[\]\)/) +
    names(/unnest\(\$(\d+)::text\[\], \$\d+::text\[\]\)/) * COSTS.beginning +
    names(/unnest\(\$(\d+)::text\[\], \$\d+::bigint\[\]/) * COSTS.range;
  // The segments are given, or chosen by a range: they come as a list then.
  const chosen = isLook ? ((rows[0]?.[LISTED_AT] ?? '') as string).split(' ').filter((one) => one !== '') : [];
  reads.push({
    records: found.length,
    text: found.reduce((sum, row) => sum + textIn(row), 0),
    looks: isLook ? (names(/unnest\(\$(\d+)::bigint\[\]\)/) || chosen.length) * cost : 0,
  });
}
