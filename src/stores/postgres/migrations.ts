// The schema of PostgresStore: the SQLite schema translated to PostgreSQL. Texts compare by bytes (COLLATE "C").
import { noticesSql } from '../logic/webhooks/notices.ts';
import { configurationMigration } from '../logic/nodes/configuration.ts';
import type { MigrationOf } from '../logic/migration.ts';
import { countingSql, monthCountsSql, ownCountsSql } from '../logic/values.ts';
import { idempotencySql } from '../logic/idempotency.ts';
import { leaseWritesSql } from '../logic/leases.ts';
import { listedCheckpointsMigration, logOfLogsMigration } from '../logic/proofs/log-of-logs.ts';
import { logTreesSql } from '../logic/proofs/log-tree.ts';
import { ledgerSql, maxPriceSql, tokensSql, unendedHoldsSql } from '../logic/purchases/tables.ts';
import { accountLimitsSql, ownersSql } from '../rows/accounts.ts';
import { limitTablesSql } from '../logic/limits/tables.ts';
import { signInTablesSql } from '../logic/sign-in.ts';
import { postingsSql, termStatesSql } from '../logic/finding/term-state.ts';
import { columnsSql } from '../logic/finding/value-columns.ts';
import { firstMigrations } from './first-migrations.ts';
import { writtenSql } from './knowledge/written.ts';
import { renameFiltersSql } from '../rows/endpoint-lists.ts';
import { commitOldVersions, renameOldKeys, type RunTransaction, TEXT } from './old-versions.ts';

/**
 * The migrations of PostgresStore, oldest first.
 *
 * @param schema the PostgreSQL schema of the tables, quoted.
 */
export function postgresMigrations(schema: string): readonly MigrationOf<RunTransaction>[] {
  return [
    ...firstMigrations(schema),
    {
      name: 'a UUID for every register',
      compatibleFrom: 4,
      sql: `
UPDATE ${schema}.registers SET definition = left(definition, -13)
  || ',"uuid":"' || gen_random_uuid() || '"' || right(definition, 13)
WHERE definition LIKE '%,"year":____}';`,
    },
    {
      name: 'leases of registers, and the log of imports',
      compatibleFrom: 5,
      sql: `
CREATE TABLE ${schema}.leases (
  register integer PRIMARY KEY,
  token ${TEXT} NOT NULL UNIQUE,
  what ${TEXT} NOT NULL,
  host ${TEXT} NOT NULL,
  pid integer NOT NULL,
  since ${TEXT} NOT NULL,
  ends_at ${TEXT} NOT NULL
);
CREATE TABLE ${schema}.store_keys (name ${TEXT} PRIMARY KEY, secret bytea NOT NULL);
CREATE TABLE ${schema}.imports (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  register integer NOT NULL,
  file ${TEXT} NOT NULL,
  cause ${TEXT} NOT NULL,
  who ${TEXT},
  begun_at ${TEXT} NOT NULL,
  state ${TEXT} NOT NULL DEFAULT 'running',
  added bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  unchanged bigint NOT NULL DEFAULT 0,
  restored bigint NOT NULL DEFAULT 0,
  redacted bigint NOT NULL DEFAULT 0,
  withdrawn bigint NOT NULL DEFAULT 0,
  refused bigint NOT NULL DEFAULT 0,
  ended_at ${TEXT},
  error ${TEXT},
  last_change bigint NOT NULL DEFAULT 0,
  digest bytea
);
CREATE INDEX imports_register ON ${schema}.imports (register, number);`,
    },
    {
      name: 'a date for conditional requests',
      compatibleFrom: 6,
      sql: `
ALTER TABLE ${schema}.registers ADD COLUMN last_modified bigint NOT NULL DEFAULT 0;
UPDATE ${schema}.registers
  SET last_modified = coalesce(floor(extract(epoch FROM last_change::timestamptz))::bigint + 1, 0);`,
    },
    {
      name: 'versions commit to statements',
      compatibleFrom: 7,
      sql: `
CREATE TABLE ${schema}.logs (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  register integer NOT NULL,
  uuid ${TEXT} NOT NULL UNIQUE
);
CREATE INDEX logs_register ON ${schema}.logs (register);
INSERT INTO ${schema}.logs (register, uuid)
  SELECT number, gen_random_uuid()::text FROM ${schema}.registers ORDER BY number;
ALTER TABLE ${schema}.versions ADD COLUMN is_partial smallint NOT NULL DEFAULT 1, ADD COLUMN salt bytea,
  ADD COLUMN commitment bytea, ADD COLUMN log integer;`,
    },
    {
      name: 'no digest of a statement',
      compatibleFrom: 8,
      before: (transaction) => commitOldVersions(`${schema}.`, transaction),
      sql: `
ALTER TABLE ${schema}.records DROP COLUMN digest;
ALTER TABLE ${schema}.withdrawn DROP COLUMN digest;
ALTER TABLE ${schema}.versions DROP COLUMN digest;`,
    },
    {
      name: 'filters of webhook endpoints',
      // Older code would send what an endpoint did not ask for.
      compatibleFrom: 9,
      sql: `
ALTER TABLE ${schema}.webhook_endpoints ADD COLUMN filters ${TEXT};`,
    },
    {
      name: 'versions of definitions',
      compatibleFrom: 10,
      before: (transaction) => renameOldKeys(`${schema}.`, transaction),
      sql: `
ALTER TABLE ${schema}.registers ADD COLUMN definition_version bigint NOT NULL DEFAULT 1;`,
    },
    {
      name: 'registers that had another one of their id before them',
      compatibleFrom: 11,
      sql: `
CREATE TABLE ${schema}.removed_registers (
  id ${TEXT} PRIMARY KEY,
  last_modified bigint NOT NULL
);
ALTER TABLE ${schema}.registers ADD COLUMN is_successor smallint NOT NULL DEFAULT 0,
  ADD COLUMN log ${TEXT} NOT NULL DEFAULT '';
UPDATE ${schema}.registers r
  SET log = (SELECT l.uuid FROM ${schema}.logs l WHERE l.register = r.number ORDER BY l.number DESC LIMIT 1);`,
    },
    {
      name: 'purges that have not ended',
      compatibleFrom: 11,
      sql: `
CREATE TABLE ${schema}.purges (part ${TEXT} PRIMARY KEY, number bigint NOT NULL, asked_at ${TEXT} NOT NULL);`,
    },
    {
      name: 'no two registers with one UUID',
      compatibleFrom: 13,
      // As in SQLite. No quotation mark in a text of JSON comes without a backslash.
      sql: `
ALTER TABLE ${schema}.registers ADD COLUMN uuid ${TEXT};
UPDATE ${schema}.registers r SET uuid = first.uuid FROM (SELECT min(number) AS number, uuid FROM (SELECT number,
    substring(definition FROM '"uuid":"([0-9a-f-]{36})"') AS uuid FROM ${schema}.registers) AS found GROUP BY uuid
  ) AS first WHERE first.number = r.number;
CREATE UNIQUE INDEX registers_uuid ON ${schema}.registers (uuid);`,
    },
    { name: 'counts of values', compatibleFrom: 14, sql: countingSql(`${schema}.`, TEXT) },
    {
      name: 'a second form of signature, and previous secrets',
      compatibleFrom: 15,
      sql: `
ALTER TABLE ${schema}.webhook_endpoints ADD COLUMN standard_webhooks smallint NOT NULL DEFAULT 0,
  ADD COLUMN previous_secret bytea, ADD COLUMN previous_until ${TEXT};`,
    },
    { name: 'limits of accounts', compatibleFrom: 15, sql: accountLimitsSql(`${schema}.`) },
    // Older code would send what an endpoint did not ask for.
    { name: 'filters by their names', compatibleFrom: 17, sql: renameFiltersSql(`${schema}.`) },
    {
      name: 'an index of terms',
      // Older code would not keep it right.
      compatibleFrom: 18,
      sql: termStatesSql(`${schema}.`, TEXT, 'bigint'),
    },
    { name: 'sign-in links and sessions', compatibleFrom: 18, sql: signInTablesSql(`${schema}.`, TEXT, 'bytea') },
    // Older code would let keys do what they may not.
    {
      name: 'owners of accounts, and what keys may do',
      compatibleFrom: 20,
      sql: ownersSql(`${schema}.`, TEXT, 'bigint'),
    },
    {
      name: 'counts of own values',
      // Older code would not keep them right.
      compatibleFrom: 21,
      sql: ownCountsSql(
        `${schema}.`,
        { text: TEXT, position: 'bigint' },
        'json_object_agg(field, total ORDER BY field)::text',
      ),
    },
    {
      name: 'an index of terms by segments',
      compatibleFrom: 22,
      // No plan depends on statistics of terms, and none of them can keep an erased word.
      sql: `${postingsSql(`${schema}.`, { text: TEXT, number: 'bigint', bytes: 'bytea' })}
ALTER TABLE ${schema}.term_postings ALTER COLUMN term SET STATISTICS 0, ALTER COLUMN positions SET STATISTICS 0;`,
    },
    {
      name: 'requests that must not take effect twice',
      compatibleFrom: 22,
      sql: idempotencySql(`${schema}.`, TEXT, 'bytea'),
    },
    {
      name: 'a ledger of purchases',
      // Older code would let keys buy that may not, and forget what an account has.
      compatibleFrom: 24,
      sql: ledgerSql(`${schema}.`, {
        text: TEXT,
        number: 'bigint',
        counter: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
      }),
    },
    {
      name: 'times and numbers by segments',
      compatibleFrom: 25,
      sql: `${columnsSql(`${schema}.`, { text: TEXT, number: 'bigint', bytes: 'bytea' })}
ALTER TABLE ${schema}.value_columns ALTER COLUMN lowest SET STATISTICS 0, ALTER COLUMN highest SET STATISTICS 0,
  ALTER COLUMN keys SET STATISTICS 0;`,
    },
    {
      name: 'counts of months',
      // Older code would not keep them right.
      compatibleFrom: 26,
      sql: monthCountsSql(`${schema}.`, '(totals::jsonb || jsonb_build_object(field, total))::text'),
    },
    {
      name: 'trees over the logs',
      compatibleFrom: 27,
      // Hashes cannot be compressed.
      sql: `${logTreesSql(`${schema}.`, {
        ...{ text: TEXT, number: 'bigint', bytes: 'bytea' },
        random: 'sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea)',
      })}
ALTER TABLE ${schema}.log_tiles ALTER COLUMN hashes SET STORAGE EXTERNAL;`,
    },
    {
      name: 'indexes of the list of registers',
      compatibleFrom: 27,
      sql: `CREATE INDEX registers_priced ON ${schema}.registers (id) WHERE definition LIKE '%"prices":{%';`,
    },
    {
      name: 'counters of limits',
      compatibleFrom: 27,
      sql: limitTablesSql(`${schema}.`, { text: TEXT, number: 'bigint', fleeting: 'CREATE UNLOGGED TABLE' }),
    },
    {
      name: 'a log of logs',
      compatibleFrom: 27,
      ...logOfLogsMigration(`${schema}.`, { number: 'bigint', bytes: 'bytea', uuid: 'gen_random_uuid()::text' }),
    },
    { name: 'which transaction last changed a register or an account', compatibleFrom: 27, sql: writtenSql(schema) },
    listedCheckpointsMigration(`${schema}.`, TEXT),
    {
      name: 'the highest price that a key pays',
      // Older code would pay more.
      compatibleFrom: 33,
      sql: maxPriceSql(`${schema}.`, { text: TEXT, number: 'bigint' }),
    },
    // Older code would end leases by its own clock.
    { name: 'the last write under a lease', compatibleFrom: 34, sql: leaseWritesSql(`${schema}.`, TEXT) },
    // Older code would not look at them again.
    { name: 'charges that may vanish', compatibleFrom: 35, sql: unendedHoldsSql(`${schema}.`) },
    {
      name: 'what owners are told of endpoints',
      // Older code would send what it does not know as tests.
      compatibleFrom: 36,
      sql: noticesSql(`${schema}.`, TEXT),
    },
    {
      name: 'the configuration that a service last started with',
      // Older code would give a change the date of a configuration.
      compatibleFrom: 37,
      ...configurationMigration(`${schema}.`, { text: TEXT, number: 'bigint' }),
    },
    {
      name: 'amounts of tokens as digits',
      // Older code would read none of them.
      compatibleFrom: 38,
      sql: tokensSql(
        `${schema}.`,
        TEXT,
        // The members of canonical JSON (RFC 8785) are sorted, and a quote within a text has a backslash before it.
        `UPDATE ${schema}.registers SET definition = regexp_replace(definition, '"amount":([0-9]+),"asset":', '"amount":"\\1","asset":', 'g')
WHERE definition LIKE '%"x402":%';`,
      ),
    },
  ];
}
