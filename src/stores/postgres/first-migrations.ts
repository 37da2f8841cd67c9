// The first migrations of PostgresStore: registers, accounts and webhooks. migrations.ts has the others.
import type { MigrationOf } from '../logic/migration.ts';
import { CONTENT, RECORD, type RunTransaction, TEXT } from './old-versions.ts';

/**
 * The first ones, oldest first.
 *
 * @param schema the PostgreSQL schema of the tables, quoted.
 */
export function firstMigrations(schema: string): readonly MigrationOf<RunTransaction>[] {
  return [
    {
      name: 'registers, their records and the log of versions',
      compatibleFrom: 1,
      // The same as in SQLite except for the filters' indexes. These contain hashes, because an index entry of
      // PostgreSQL is limited to 2,704 bytes and a document type is not. They also contain the slot negated: a query
      // that orders by `-slot` cannot be answered by walking the primary key and filtering. The planner considers that
      // walk cheap where a type is common, but it reads half a register if the common records are all in the other
      // half.
      sql: `
CREATE TABLE ${schema}.registers (
  number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id ${TEXT} NOT NULL UNIQUE,
  definition ${TEXT} NOT NULL,
  import_order ${TEXT},
  top bigint NOT NULL DEFAULT 0,
  change bigint NOT NULL DEFAULT 0,
  live bigint NOT NULL DEFAULT 0,
  last_change ${TEXT}
);
CREATE TABLE ${schema}.records (${RECORD},${CONTENT}
);
CREATE UNIQUE INDEX records_id ON ${schema}.records (id);
CREATE INDEX records_type ON ${schema}.records (hashtextextended(document_type, 0), (-slot))
  WHERE document_type IS NOT NULL;
CREATE INDEX records_facility ON ${schema}.records (hashtextextended(facility_id, 0), (-slot))
  WHERE facility_id IS NOT NULL;
CREATE INDEX records_type_facility
  ON ${schema}.records (hashtextextended(document_type, 0), hashtextextended(facility_id, 0), (-slot))
  WHERE document_type IS NOT NULL AND facility_id IS NOT NULL;
CREATE TABLE ${schema}.withdrawn (${RECORD},${CONTENT},
  is_redacted smallint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX withdrawn_id ON ${schema}.withdrawn (id);
CREATE TABLE ${schema}.contents (
  slot bigint NOT NULL,
  version integer NOT NULL,${CONTENT},
  PRIMARY KEY (slot, version)
);
CREATE TABLE ${schema}.versions (
  entry bigint PRIMARY KEY,
  slot bigint NOT NULL,
  version integer NOT NULL,
  content_version integer NOT NULL,
  cause ${TEXT} NOT NULL,
  recorded_at ${TEXT} NOT NULL,
  changed ${TEXT},
  digest bytea NOT NULL
);
CREATE UNIQUE INDEX versions_slot ON ${schema}.versions (slot, version);`,
    },
    {
      name: 'accounts and their keys',
      compatibleFrom: 2,
      sql: `
CREATE TABLE ${schema}.accounts (
  id ${TEXT} PRIMARY KEY,
  access_until ${TEXT},
  is_suspended smallint NOT NULL DEFAULT 0,
  created_at ${TEXT} NOT NULL
);
CREATE TABLE ${schema}.api_keys (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  digest bytea NOT NULL UNIQUE,
  id ${TEXT} NOT NULL UNIQUE,
  account_id ${TEXT} NOT NULL REFERENCES ${schema}.accounts (id),
  product ${TEXT} NOT NULL,
  last_four ${TEXT} NOT NULL,
  created_at ${TEXT} NOT NULL,
  last_used_at ${TEXT},
  ends_at ${TEXT},
  revoked_at ${TEXT}
);
CREATE INDEX api_keys_account ON ${schema}.api_keys (account_id, number);`,
    },
    {
      name: 'webhooks: endpoints and deliveries',
      compatibleFrom: 3,
      sql: `
CREATE TABLE ${schema}.webhook_endpoints (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id ${TEXT} NOT NULL UNIQUE,
  account_id ${TEXT} NOT NULL REFERENCES ${schema}.accounts (id),
  url ${TEXT} NOT NULL,
  feeds ${TEXT},
  types ${TEXT},
  created_at ${TEXT} NOT NULL,
  disabled_at ${TEXT},
  disabled_reason ${TEXT},
  failing_since ${TEXT},
  secret bytea NOT NULL,
  next_secret bytea
);
CREATE INDEX webhook_endpoints_account ON ${schema}.webhook_endpoints (account_id, number);
CREATE TABLE ${schema}.webhook_starts (
  endpoint bigint NOT NULL,
  register integer NOT NULL,
  change bigint NOT NULL,
  PRIMARY KEY (register, endpoint)
);
CREATE TABLE ${schema}.webhook_cursors (
  register integer PRIMARY KEY,
  change bigint NOT NULL
);
CREATE TABLE ${schema}.webhook_deliveries (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  endpoint bigint NOT NULL,
  entry bigint,
  event_id ${TEXT} NOT NULL,
  type ${TEXT} NOT NULL,
  record_id ${TEXT},
  version integer,
  base_url ${TEXT},
  created_at ${TEXT} NOT NULL,
  state ${TEXT} NOT NULL DEFAULT 'pending',
  reason ${TEXT},
  attempts integer NOT NULL DEFAULT 0,
  tries integer NOT NULL DEFAULT 0,
  due_at ${TEXT},
  lease ${TEXT}
);
CREATE INDEX webhook_deliveries_endpoint ON ${schema}.webhook_deliveries (endpoint, number);
CREATE INDEX webhook_deliveries_due ON ${schema}.webhook_deliveries (endpoint, due_at, number) WHERE state = 'pending';
CREATE TABLE ${schema}.webhook_attempts (
  delivery bigint NOT NULL,
  number integer NOT NULL,
  at ${TEXT} NOT NULL,
  duration_ms integer NOT NULL,
  status integer,
  error ${TEXT},
  response ${TEXT},
  PRIMARY KEY (delivery, number)
);`,
    },
  ];
}
