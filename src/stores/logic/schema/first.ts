// The first schema of both databases. What only one of them has is with its migrations.
import type { Dialect, Fragment } from '../../rows/sql.ts';
import { ACCOUNT_TABLE } from '../accounts.ts';
import { COLUMN_TABLE } from '../finding/value-columns.ts';
import { TERM_TABLES } from '../finding/term-state.ts';
import { IDEMPOTENCY_TABLE } from '../idempotency.ts';
import { IMPORT_TABLES } from '../imports.ts';
import { KEY_TABLE } from '../keys.ts';
import { LEASE_TABLE } from '../leases.ts';
import { LIMIT_TABLES } from '../limits/tables.ts';
import { FIRST_SCHEMA, type Migration } from '../migration.ts';
import { CONFIGURATION_ROW, CONFIGURATION_TABLE } from '../nodes/configuration.ts';
import { LOG_OF_LOGS_ROWS, LOG_OF_LOGS_TABLE } from '../proofs/log-of-logs.ts';
import { TREE_TABLES } from '../proofs/log-tree.ts';
import { LEDGER_TABLES } from '../purchases/tables.ts';
import { PURGE_TABLE } from '../purges.ts';
import { SIGN_IN_TABLES } from '../sign-in.ts';
import { COUNT_TABLES } from '../values.ts';
import { WEBHOOK_TABLES } from '../webhooks/tables.ts';
import { PRICED_INDEX, REGISTER_TABLES } from './register-tables.ts';

/** What keys and endpoints refer to comes before them. */
const TABLES: readonly Fragment[] = [
  ...[REGISTER_TABLES, TERM_TABLES, COLUMN_TABLE, COUNT_TABLES, TREE_TABLES, LOG_OF_LOGS_TABLE],
  ...[LEASE_TABLE, IMPORT_TABLES, PURGE_TABLE, CONFIGURATION_TABLE, LIMIT_TABLES],
  ...[ACCOUNT_TABLE, KEY_TABLE, SIGN_IN_TABLES, IDEMPOTENCY_TABLE, LEDGER_TABLES, WEBHOOK_TABLES],
];

/** The rows that every store has. */
export const FIRST_ROWS: readonly Fragment[] = [LOG_OF_LOGS_ROWS, CONFIGURATION_ROW];

/** The migration that makes it. @param own what only this database has */
export function firstMigration(dialect: Dialect, own: string): Migration {
  const text = (parts: readonly Fragment[]): string => parts.map((part) => part.in(dialect)).join('');
  return {
    name: 'the first schema',
    compatibleFrom: FIRST_SCHEMA,
    sql: `${text(TABLES)}${own}${text([PRICED_INDEX, ...FIRST_ROWS])}`,
  };
}
