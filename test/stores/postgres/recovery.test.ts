import pg from 'pg';
import { afterAll, inject } from 'vitest';
import { PostgresStore } from '../../../src/stores/postgres/store.ts';
import { recoveryContract } from '../../contracts/recovery-contract.ts';

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

recoveryContract(async () => {
  const own: string[] = [];
  const make = async (): Promise<PostgresStore> => {
    own.push(`recovery_${++schemas}`);
    return PostgresStore.open(pool, { schema: own.at(-1)! });
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
});
