// The first migrations of SqliteStore: registers and accounts. migrations.ts has the others.
import type { DatabaseSync } from 'node:sqlite';
import type { MigrationOf } from '../../logic/migration.ts';
import { CONTENT, RECORD } from '../old-versions.ts';

/** The first ones, oldest first. */
export const FIRST_MIGRATIONS: readonly MigrationOf<DatabaseSync>[] = [
  {
    name: 'registers, their records and the log of versions',
    compatibleFrom: 1,
    // `records` contains only live records: a page is a plain range of its key, however many were withdrawn in between.
    // The content of the current version is stored with the record, replaced content in `contents`; the log is
    // append-only. In a SQLite index every entry ends with the row's key: (document_type) is (document_type, slot).
    // There is no index of both filters: it would be the most expensive part of an import, and pages.ts can work
    // without it.
    sql: `
CREATE TABLE registers (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  definition TEXT NOT NULL,
  import_order TEXT,
  top INTEGER NOT NULL DEFAULT 0,
  change INTEGER NOT NULL DEFAULT 0,
  live INTEGER NOT NULL DEFAULT 0,
  last_change TEXT,
  is_removed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE records (${RECORD},${CONTENT}
) STRICT;
CREATE UNIQUE INDEX records_id ON records (id);
CREATE INDEX records_type ON records (document_type) WHERE document_type IS NOT NULL;
CREATE INDEX records_facility ON records (facility_id) WHERE facility_id IS NOT NULL;
CREATE TABLE withdrawn (${RECORD},${CONTENT},
  is_redacted INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX withdrawn_id ON withdrawn (id);
CREATE TABLE contents (
  slot INTEGER NOT NULL,
  version INTEGER NOT NULL,${CONTENT},
  PRIMARY KEY (slot, version)
) STRICT;
CREATE TABLE versions (
  entry INTEGER PRIMARY KEY,
  slot INTEGER NOT NULL,
  version INTEGER NOT NULL,
  content_version INTEGER NOT NULL,
  cause TEXT NOT NULL,
  recorded_at TEXT NOT NULL,
  changed TEXT,
  digest BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX versions_slot ON versions (slot, version);`,
  },
  {
    name: 'accounts and their keys',
    compatibleFrom: 2,
    // Only the SHA-256 of a key and its last four characters are stored.
    sql: `
CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  access_until TEXT,
  is_suspended INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE api_keys (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  digest BLOB NOT NULL UNIQUE,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  product TEXT NOT NULL,
  last_four TEXT NOT NULL,
  created_at TEXT NOT NULL,
  last_used_at TEXT,
  ends_at TEXT,
  revoked_at TEXT
) STRICT;
CREATE INDEX api_keys_account ON api_keys (account_id);`,
  },
];
