// The schema after the present one, as an upgrade makes it that only adds.
import type pg from 'pg';
import { PostgresConnection } from '../../../src/stores/postgres/connection.ts';
import { postgresMigrations } from '../../../src/stores/postgres/migrations.ts';
import type { RunTransaction } from '../../../src/stores/postgres/old-versions.ts';
import type { MigrationOf } from '../../../src/stores/logic/migration.ts';
import { nextMigration } from '../next-migration.ts';

/** Upgrades a schema to it, or makes one, and runs `meanwhile` before its last step. */
export async function toNextSchema(pool: pg.Pool, schema: string, meanwhile?: () => Promise<void>): Promise<void> {
  await PostgresConnection.open(pool, { schema }, postgresMigrations);
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname = $1 AND tablename <> 'migrations'`,
    [schema],
  );
  await PostgresConnection.open(pool, { schema }, (quoted) => {
    const known = postgresMigrations(quoted);
    const next: MigrationOf<RunTransaction> = {
      ...nextMigration(
        known.length,
        rows.map(({ name }) => name),
        `${quoted}.`,
      ),
      ...(meanwhile === undefined ? {} : { before: meanwhile }),
    };
    return [...known, next];
  });
}
