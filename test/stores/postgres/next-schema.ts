// The schema after the present one, as an upgrade makes it that only adds.
import type pg from 'pg';
import { PostgresConnection } from '../../../src/stores/postgres/connection.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import { nextMigrations } from '../next-migrations.ts';

/** Upgrades a schema to it, or makes one, and runs `meanwhile` before its last step. */
export async function toNextSchema(pool: pg.Pool, schema: string, meanwhile?: () => Promise<void>): Promise<void> {
  await PostgresConnection.open(pool, { schema }, postgresMigrations);
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname = $1 AND tablename <> 'migrations'`,
    [schema],
  );
  const [columns, table] = nextMigrations(
    rows.map(({ name }) => name),
    `"${schema}".`,
  );
  const known = postgresMigrations(`"${schema}"`);
  await PostgresConnection.open(pool, { schema }, [...known, columns]);
  await meanwhile?.();
  await PostgresConnection.open(pool, { schema }, [...known, columns, table]);
}
