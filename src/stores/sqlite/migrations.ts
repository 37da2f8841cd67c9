// The schema of SqliteStore.
import { INDEXED } from '../logic/finding/filter-index.ts';
import type { Migration } from '../logic/migration.ts';
import { firstMigration } from '../logic/schema/first.ts';
import { DIALECT } from './dialect.ts';

// In a SQLite index every entry ends with the row's key: (document_type) is (document_type, slot). There is no index of both
// filters: it would be the most expensive part of an import, and pages.ts can work without it.
const OWN = `
CREATE INDEX registers_present ON registers (id) WHERE is_removed = 0;
CREATE INDEX records_type ON records (${INDEXED.type}) WHERE ${INDEXED.type} IS NOT NULL;
CREATE INDEX records_facility ON records (${INDEXED.facility}) WHERE ${INDEXED.facility} IS NOT NULL;`;

/** The migrations of SqliteStore, oldest first. */
export const SQLITE_MIGRATIONS: readonly Migration[] = [firstMigration(DIALECT, OWN)];
