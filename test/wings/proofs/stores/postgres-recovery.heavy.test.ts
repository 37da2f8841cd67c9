import pg from 'pg';
import { afterAll, expect, inject, it } from 'vitest';
import { recoverLog } from '../../../../src/wings/proofs/mirror/recover.ts';
import { readRoot } from '../../../../src/wings/proofs/stores/tree-reader.ts';
import type { PostgresPool, PostgresQuery } from '../../../../src/stores/postgres/connection.ts';
import { PostgresStore } from '../../../../src/stores/postgres/store.ts';
import { sign } from '../signing.ts';
import { promotionContract } from '../contracts/promotion-contract.ts';
import { type RestorableStore, recoveryContract } from '../contracts/recovery-contract.ts';
import { at, permits, say } from '../../../contracts/store-register.ts';
import { watched } from '../../../stores/postgres/watched.ts';
import { logsOf } from '../logs-of.ts';

const pool = new pg.Pool({ connectionString: inject('postgresUrl') });
let schemas = 0;
afterAll(() => pool.end());

/** Makes `to` have what `from` has. */
async function copyRows(from: string, to: string): Promise<void> {
  const { rows } = await pool.query<{ name: string; columns: string; sequence: string | null }>(
    `SELECT table_name AS name, string_agg(format('%I', column_name), ', ') AS columns,
        max(pg_get_serial_sequence(format('%I.%I', table_schema, table_name), column_name)) AS sequence
       FROM information_schema.columns WHERE table_schema = $1 AND table_name <> 'migrations' GROUP BY 1`,
    [to],
  );
  for (const { name, columns, sequence } of rows) {
    await pool.query(`DELETE FROM ${to}.${name}`);
    await pool.query(
      `INSERT INTO ${to}.${name} (${columns}) OVERRIDING SYSTEM VALUE SELECT ${columns} FROM ${from}.${name}`,
    );
    if (sequence === null) continue;
    await pool.query('SELECT setval($1, nextval($2))', [sequence, sequence.replace(to, from)]);
  }
}

const restorable = async (over: PostgresPool = pool): Promise<RestorableStore> => {
  const own: string[] = [];
  const make = async (): Promise<PostgresStore> => {
    own.push(`recovery_${++schemas}`);
    return PostgresStore.open(over, { schema: own.at(-1)! });
  };
  return {
    store: await make(),
    copy: async () => {
      const store = await make();
      await copyRows(own[0]!, own.at(-1)!);
      return store;
    },
    run: async (sql) => {
      await pool.query(`SET LOCAL search_path TO ${own.at(-1)}; ${sql}`);
    },
    dispose: async () => {
      for (const schema of own) await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    },
  };
};

recoveryContract(restorable);
promotionContract(restorable);

it('looks for versions of the logs that it ends in their register alone', async () => {
  const asked: PostgresQuery[] = [];
  const { store, copy, dispose } = await restorable(
    watched(pool, (query) => {
      asked.push(query);
      return Promise.resolve();
    }),
  );
  await store.createRegister(permits());
  await store.apply('permits', [say('a')], { recordedAt: at(0) });
  await sign(store, 'permits');
  const older = await copy();
  await store.apply('permits', [say('a', { title: 'Later' }), say('b')], { recordedAt: at(1) });
  await sign(store, 'permits');
  await older.beginNewLogs({ at: at(2) });
  const { uuid, size } = await logsOf(store).of('permits');
  const root = (await readRoot(logsOf(store), 'permits', size))!;
  asked.length = 0;
  await recoverLog(older, store, { feedId: 'permits', signed: { uuid, size, root } });
  const removal = asked.find(({ text }) => /^DELETE FROM \S+logs\b/.test(text))!;
  const client = await pool.connect();
  // A plan that reads the whole table remains only where there is no other.
  await client.query('SET enable_seqscan = off');
  const { text, values = [] } = removal;
  const { rows } = await client.query<string[]>({ text: `EXPLAIN ${text}`, values, rowMode: 'array' });
  const plan = rows.flat().join('\n');
  expect(plan).toMatch(/versions_pkey.*\n +Index Cond: .*entry >.*entry </);
  expect(plan).not.toContain('Seq Scan on versions');
  client.release(true);
  await dispose();
});
