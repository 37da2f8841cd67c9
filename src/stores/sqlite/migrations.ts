// The schema of SqliteStore. `slot` and `entry` are register number × 2^32 + position or change number, so that the
// integer key alone orders a register's records and versions (rows/columns.ts).
import { noticesSql } from '../logic/webhooks/notices.ts';
import { configurationMigration } from '../logic/nodes/configuration.ts';
import type { DatabaseSync } from 'node:sqlite';
import type { MigrationOf } from '../logic/migration.ts';
import { postingsSql, termStatesSql } from '../logic/finding/term-state.ts';
import { columnsSql } from '../logic/finding/value-columns.ts';
import { countingSql, monthCountsSql, ownCountsSql } from '../logic/values.ts';
import { idempotencySql } from '../logic/idempotency.ts';
import { leaseWritesSql } from '../logic/leases.ts';
import { listedCheckpointsMigration, logOfLogsMigration } from '../logic/proofs/log-of-logs.ts';
import { logTreesSql } from '../logic/proofs/log-tree.ts';
import { ledgerSql, maxPriceSql, tokensSql, unendedHoldsSql } from '../logic/purchases/tables.ts';
import { accountLimitsSql, ownersSql } from '../rows/accounts.ts';
import { limitTablesSql } from '../logic/limits/tables.ts';
import { signInTablesSql } from '../logic/sign-in.ts';
import { renameFiltersSql } from '../rows/endpoint-lists.ts';
import { FIRST_MIGRATIONS } from './file/first-migrations.ts';
import { commitOldVersions, renameOldKeys } from './old-versions.ts';

/** A random UUID as an expression of SQL (RFC 9562 5.4). */
export const RANDOM_UUID = `lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2)
  || '-' || substr('89ab', (random() & 3) + 1, 1) || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))`;

/** The migrations of SqliteStore, oldest first. */
export const SQLITE_MIGRATIONS: readonly MigrationOf<DatabaseSync>[] = [
  ...FIRST_MIGRATIONS,
  {
    name: 'a UUID for every register',
    // Older code would take the uuid for a typing error.
    compatibleFrom: 4,
    // A definition is canonical JSON (RFC 8785), whose members are sorted: its end is always `"year":` with a year of
    // four digits or null, and the uuid (RFC 9562 5.4) belongs before it.
    sql: `
UPDATE registers SET definition = substr(definition, 1, length(definition) - 13)
  || ',"uuid":"' || ${RANDOM_UUID}
  || '"' || substr(definition, -13)
WHERE definition LIKE '%,"year":____}';`,
  },
  {
    name: 'leases of registers, and the log of imports',
    // Older code would write to a register that another process works on.
    compatibleFrom: 5,
    sql: `
CREATE TABLE leases (
  register INTEGER PRIMARY KEY,
  token TEXT NOT NULL UNIQUE,
  what TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  since TEXT NOT NULL,
  ends_at TEXT NOT NULL
) STRICT;
CREATE TABLE store_keys (name TEXT PRIMARY KEY, secret BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE imports (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  register INTEGER NOT NULL,
  file TEXT NOT NULL,
  cause TEXT NOT NULL,
  who TEXT,
  begun_at TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'running',
  added INTEGER NOT NULL DEFAULT 0,
  changed INTEGER NOT NULL DEFAULT 0,
  unchanged INTEGER NOT NULL DEFAULT 0,
  restored INTEGER NOT NULL DEFAULT 0,
  redacted INTEGER NOT NULL DEFAULT 0,
  withdrawn INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0,
  ended_at TEXT,
  error TEXT,
  last_change INTEGER NOT NULL DEFAULT 0,
  digest BLOB
) STRICT;
CREATE INDEX imports_register ON imports (register);`,
  },
  {
    name: 'a date for conditional requests',
    // Older code would commit without moving it.
    compatibleFrom: 6,
    // Above the date that older code sent, which several commits of an import shared.
    sql: `
ALTER TABLE registers ADD COLUMN last_modified INTEGER NOT NULL DEFAULT 0;
UPDATE registers SET last_modified = coalesce(CAST(strftime('%s', last_change) AS INTEGER) + 1, 0);`,
  },
  {
    name: 'versions commit to statements',
    compatibleFrom: 7,
    // The log is that to which a version was first written. Statements of before are partial: those stores kept declared
    // values alone, in their types. Every version written from now on says whether its statement is.
    sql: `
CREATE TABLE logs (number INTEGER PRIMARY KEY AUTOINCREMENT, register INTEGER NOT NULL, uuid TEXT NOT NULL UNIQUE) STRICT;
CREATE INDEX logs_register ON logs (register);
INSERT INTO logs (register, uuid) SELECT number, ${RANDOM_UUID} FROM registers ORDER BY number;
ALTER TABLE versions ADD COLUMN is_partial INTEGER NOT NULL DEFAULT 1;
ALTER TABLE versions ADD COLUMN salt BLOB;
ALTER TABLE versions ADD COLUMN commitment BLOB;
ALTER TABLE versions ADD COLUMN log INTEGER;`,
  },
  {
    name: 'no digest of a statement',
    compatibleFrom: 8,
    before: commitOldVersions,
    sql: `
ALTER TABLE records DROP COLUMN digest;
ALTER TABLE withdrawn DROP COLUMN digest;
ALTER TABLE versions DROP COLUMN digest;`,
  },
  {
    name: 'filters of webhook endpoints',
    // Older code would send what an endpoint did not ask for.
    compatibleFrom: 9,
    sql: `
ALTER TABLE webhook_endpoints ADD COLUMN filters TEXT;`,
  },
  {
    name: 'versions of definitions',
    // Older code would change a definition without counting it, and read a renamed field as empty.
    compatibleFrom: 10,
    before: renameOldKeys,
    sql: `
ALTER TABLE registers ADD COLUMN definition_version INTEGER NOT NULL DEFAULT 1;`,
  },
  {
    name: 'registers that had another one of their id before them',
    compatibleFrom: 11,
    // The log is the UUID of the last of its logs: every read of a register needs it.
    sql: `
CREATE TABLE removed_registers (
  id TEXT PRIMARY KEY,
  last_modified INTEGER NOT NULL
) STRICT;
INSERT INTO removed_registers (id, last_modified) SELECT id, last_modified FROM registers WHERE is_removed = 1;
ALTER TABLE registers ADD COLUMN is_successor INTEGER NOT NULL DEFAULT 0;
ALTER TABLE registers ADD COLUMN log TEXT NOT NULL DEFAULT '';
UPDATE registers
  SET log = coalesce((SELECT l.uuid FROM logs l WHERE l.register = registers.number ORDER BY l.number DESC LIMIT 1), '');`,
  },
  {
    name: 'purges that have not ended',
    compatibleFrom: 11,
    sql: `
CREATE TABLE purges (part TEXT PRIMARY KEY, number INTEGER NOT NULL, asked_at TEXT NOT NULL) STRICT;`,
  },
  {
    name: 'no two registers with one UUID',
    // Older code would not notice a second one. A store may have some already: the first one keeps it here.
    compatibleFrom: 13,
    sql: `
ALTER TABLE registers ADD COLUMN uuid TEXT;
UPDATE registers SET uuid = json_extract(definition, '$.uuid') WHERE number IN (SELECT min(number) FROM registers
  WHERE is_removed = 0 GROUP BY json_extract(definition, '$.uuid'));
CREATE UNIQUE INDEX registers_uuid ON registers (uuid);`,
  },
  { name: 'counts of values', compatibleFrom: 14, sql: countingSql('', 'TEXT', ' STRICT, WITHOUT ROWID') },
  {
    name: 'a second form of signature, and previous secrets',
    // Older code would send without what receivers were promised.
    compatibleFrom: 15,
    sql: `
ALTER TABLE webhook_endpoints ADD COLUMN standard_webhooks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhook_endpoints ADD COLUMN previous_secret BLOB;
ALTER TABLE webhook_endpoints ADD COLUMN previous_until TEXT;`,
  },
  { name: 'limits of accounts', compatibleFrom: 15, sql: accountLimitsSql('') },
  // Older code would send what an endpoint did not ask for.
  { name: 'filters by their names', compatibleFrom: 17, sql: renameFiltersSql('') },
  {
    name: 'an index of terms',
    // Older code would not keep it right.
    compatibleFrom: 18,
    sql: termStatesSql('', 'TEXT', 'INTEGER', ' STRICT'),
  },
  { name: 'sign-in links and sessions', compatibleFrom: 18, sql: signInTablesSql('', 'TEXT', 'BLOB', ' STRICT') },
  // Older code would let keys do what they may not.
  { name: 'owners of accounts, and what keys may do', compatibleFrom: 20, sql: ownersSql('', 'TEXT', 'INTEGER') },
  {
    name: 'counts of own values',
    // Older code would not keep them right.
    compatibleFrom: 21,
    sql: ownCountsSql('', { text: 'TEXT', position: 'INTEGER' }, 'json_group_object(field, total)', ' STRICT'),
  },
  {
    name: 'an index of terms by segments',
    compatibleFrom: 22,
    sql: postingsSql('', { text: 'TEXT', number: 'INTEGER', bytes: 'BLOB' }, ' STRICT, WITHOUT ROWID'),
  },
  {
    name: 'requests that must not take effect twice',
    compatibleFrom: 22,
    sql: idempotencySql('', 'TEXT', 'BLOB', ' STRICT'),
  },
  {
    name: 'a ledger of purchases',
    // Older code would let keys buy that may not, and forget what an account has.
    compatibleFrom: 24,
    sql: ledgerSql('', { text: 'TEXT', number: 'INTEGER', counter: 'INTEGER PRIMARY KEY AUTOINCREMENT' }, ' STRICT'),
  },
  {
    name: 'times and numbers by segments',
    // Older code would not keep them right.
    compatibleFrom: 25,
    sql: columnsSql('', { text: 'TEXT', number: 'INTEGER', bytes: 'BLOB' }, ' STRICT, WITHOUT ROWID'),
  },
  {
    name: 'counts of months',
    // Older code would not keep them right.
    compatibleFrom: 26,
    sql: monthCountsSql('', "json_set(totals, '$.' || field, total)"),
  },
  {
    name: 'trees over the logs',
    // Older code would erase what entries are made of.
    compatibleFrom: 27,
    sql: logTreesSql(
      '',
      { text: 'TEXT', number: 'INTEGER', bytes: 'BLOB', random: 'randomblob(32)' },
      { rows: ' STRICT', keyed: ' STRICT, WITHOUT ROWID' },
    ),
  },
  {
    name: 'indexes of the list of registers',
    compatibleFrom: 27,
    sql: `
CREATE INDEX registers_present ON registers (id) WHERE is_removed = 0;
CREATE INDEX registers_priced ON registers (id) WHERE definition LIKE '%"prices":{%';`,
  },
  {
    name: 'counters of limits',
    // Its processes count without them.
    compatibleFrom: 27,
    sql: limitTablesSql('', { text: 'TEXT', number: 'INTEGER', fleeting: 'CREATE TABLE' }, ' STRICT'),
  },
  {
    name: 'a log of logs',
    // Older code leaves it alone.
    compatibleFrom: 27,
    ...logOfLogsMigration('', { number: 'INTEGER', bytes: 'BLOB', uuid: RANDOM_UUID }, ' STRICT'),
  },
  listedCheckpointsMigration('', 'TEXT'),
  {
    name: 'the highest price that a key pays',
    // Older code would pay more.
    compatibleFrom: 32,
    sql: maxPriceSql('', { text: 'TEXT', number: 'INTEGER' }),
  },
  // Older code would end leases by its own clock.
  { name: 'the last write under a lease', compatibleFrom: 33, sql: leaseWritesSql('', 'TEXT') },
  {
    name: 'charges that may vanish',
    // Older code would not look at them again.
    compatibleFrom: 34,
    sql: unendedHoldsSql(''),
  },
  {
    name: 'what owners are told of endpoints',
    // Older code would send what it does not know as tests.
    compatibleFrom: 35,
    sql: noticesSql('', 'TEXT'),
  },
  {
    name: 'the configuration that a service last started with',
    // Older code would give a change the date of a configuration.
    compatibleFrom: 36,
    ...configurationMigration('', { text: 'TEXT', number: 'INTEGER' }, ' STRICT'),
  },
  {
    name: 'amounts of tokens as digits',
    // Older code would read none of them.
    compatibleFrom: 37,
    sql: tokensSql(
      '',
      'TEXT',
      `UPDATE registers SET definition = json_set(definition, '$.prices.x402', (
  SELECT json_group_array(json_set(value, '$.amount', CAST(value ->> '$.amount' AS TEXT)))
  FROM json_each(definition, '$.prices.x402')))
WHERE CASE WHEN json_valid(definition) THEN definition -> '$.prices.x402' END IS NOT NULL;`,
    ),
  },
];
