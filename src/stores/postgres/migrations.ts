// The schema of PostgresStore.
import { INDEXED } from '../logic/finding/filter-index.ts';
import type { Migration } from '../logic/migration.ts';
import { firstMigration } from '../logic/schema/first.ts';
import { dialectOf } from './dialect.ts';
import { writtenSql } from './knowledge/written.ts';

/**
 * The indexes of filters contain hashes, because an index entry of PostgreSQL is limited to 2,704 bytes and a document type is
 * not. They also contain the slot negated: a query that orders by `-slot` cannot be answered by walking the primary key and
 * filtering. The planner considers that walk cheap where a type is common, but it reads half a register if the common records
 * are all in the other half.
 *
 * No plan depends on statistics of terms and keys of segments, and none of them can keep an erased word. Hashes cannot be
 * compressed.
 */
function ownSql(schema: string): string {
  const { type, facility } = INDEXED;
  return `
CREATE INDEX records_type ON ${schema}.records (hashtextextended(${type}, 0), (-slot))
  WHERE ${type} IS NOT NULL;
CREATE INDEX records_facility ON ${schema}.records (hashtextextended(${facility}, 0), (-slot))
  WHERE ${facility} IS NOT NULL;
CREATE INDEX records_type_facility
  ON ${schema}.records (hashtextextended(${type}, 0), hashtextextended(${facility}, 0), (-slot))
  WHERE ${type} IS NOT NULL AND ${facility} IS NOT NULL;
ALTER TABLE ${schema}.term_postings ALTER COLUMN term SET STATISTICS 0, ALTER COLUMN positions SET STATISTICS 0;
ALTER TABLE ${schema}.value_columns ALTER COLUMN lowest SET STATISTICS 0, ALTER COLUMN highest SET STATISTICS 0,
  ALTER COLUMN keys SET STATISTICS 0;${writtenSql(schema)}`;
}

/**
 * The migrations of PostgresStore, oldest first.
 *
 * @param schema the PostgreSQL schema of the tables, quoted.
 */
export function postgresMigrations(schema: string): readonly Migration[] {
  const migrations: readonly Migration[] = [firstMigration(dialectOf(`${schema}.`), ownSql(schema))];
  return migrations;
}
