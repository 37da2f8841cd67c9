// The first migrations of SqliteStore: registers, accounts and webhooks. migrations.ts has the others.
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
  {
    name: 'webhooks: endpoints and deliveries',
    compatibleFrom: 3,
    // A cursor tells up to which change a register's log has been fanned out. A start tells from which change on an
    // endpoint receives events of a register; registers that are in neither table were created later. A claim moves
    // `due_at` to the end of its lease: one index finds what is due, and a delivery with an expired lease is due again.
    sql: `
CREATE TABLE webhook_endpoints (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL,
  url TEXT NOT NULL,
  feeds TEXT,
  types TEXT,
  created_at TEXT NOT NULL,
  disabled_at TEXT,
  disabled_reason TEXT,
  failing_since TEXT,
  secret BLOB NOT NULL,
  next_secret BLOB
) STRICT;
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id);
CREATE TABLE webhook_starts (
  endpoint INTEGER NOT NULL,
  register INTEGER NOT NULL,
  change INTEGER NOT NULL,
  PRIMARY KEY (register, endpoint)
) STRICT, WITHOUT ROWID;
CREATE TABLE webhook_cursors (
  register INTEGER PRIMARY KEY,
  change INTEGER NOT NULL
) STRICT;
CREATE TABLE webhook_deliveries (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  endpoint INTEGER NOT NULL,
  entry INTEGER,
  event_id TEXT NOT NULL,
  type TEXT NOT NULL,
  record_id TEXT,
  version INTEGER,
  base_url TEXT,
  created_at TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending',
  reason TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  tries INTEGER NOT NULL DEFAULT 0,
  due_at TEXT,
  lease TEXT
) STRICT;
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (endpoint);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint, due_at) WHERE state = 'pending';
CREATE TABLE webhook_attempts (
  delivery INTEGER NOT NULL,
  number INTEGER NOT NULL,
  at TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  status INTEGER,
  error TEXT,
  response TEXT,
  PRIMARY KEY (delivery, number)
) STRICT, WITHOUT ROWID;`,
  },
];
