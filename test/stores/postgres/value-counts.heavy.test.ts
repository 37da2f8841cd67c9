// Counters of values in PostgreSQL: the contract of every store, and the plan by which they are read.
import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { at, permits, say } from '../../contracts/store-register.ts';
import { valueCountsContract } from '../../contracts/value-counts-contract.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;
afterAll(() => pool.end());

valueCountsContract('PostgresStore', async () => {
  const schema = `value_counts_${++schemas}`;
  const store = await PostgresStore.open(pool, { schema });
  return {
    store,
    rows: async () => {
      const { rows } = await pool.query<{ value: string }>(`SELECT value FROM ${schema}.value_counts`);
      return rows.map(({ value }) => value).toSorted();
    },
    dispose: async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
});

it('reads counters in the order of their index, and takes document types of any length', async () => {
  const schema = 'value_counts_plan';
  const store = await PostgresStore.open(pool, { schema });
  await store.createRegister(permits());
  // A text that cannot be compressed into an entry of an index.
  const long = Array.from({ length: 4000 }, (_, index) =>
    String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
  ).join('');
  const batch = Array.from({ length: 2000 }, (_, index) => say(`k${index}`, { document_type: `type ${index % 1500}` }));
  await store.apply('permits', [...batch, say('long', { document_type: long })], { recordedAt: at(0) });
  await store.withdraw('permits', ['permits:long'], { recordedAt: at(1) });
  await pool.query(`ANALYZE ${schema}.value_counts`);
  const planOf = async (condition: string): Promise<string> => {
    const { rows } = await pool.query<string[]>({
      text: `EXPLAIN SELECT value, records FROM ${schema}.value_counts
        WHERE register = 1 AND field = 'document_type' AND ${condition} LIMIT 100`,
      rowMode: 'array',
    });
    return rows.flat().join('\n');
  };
  for (const [condition, index] of [
    ['records > 1 ORDER BY records DESC, value', 'value_counts_common'],
    ['records = 1 ORDER BY value', 'value_counts_pkey'],
  ] as const) {
    const plan = await planOf(condition);
    expect(plan).toContain(`using ${index}`);
    expect(plan).not.toContain('Sort');
  }
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
});
