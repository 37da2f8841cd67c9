// The first schema of both databases. What only one of them has is with its migrations.
import type { Dialect, Fragment } from '../../rows/sql.ts';
import type { Table } from '../../rows/table.ts';
import { WEBHOOK_TABLES } from '../../rows/webhook-tables.ts';
import { ACCOUNT_TABLES } from '../accounts.ts';
import { EDITOR_TABLES } from '../desk/editors.ts';
import { TERM_TABLES } from '../finding/term-state.ts';
import { IDEMPOTENCY_TABLES } from '../idempotency.ts';
import { IMPORT_TABLES } from '../imports/table.ts';
import { KEY_TABLES } from '../keys.ts';
import { LEASE_TABLES } from '../leases.ts';
import { LIMIT_TABLES } from '../limits/tables.ts';
import { FIRST_SCHEMA, type Migration } from '../migration.ts';
import { MIRROR_TABLES } from '../mirrors/mirrored.ts';
import { CONFIGURATION_ROW, CONFIGURATION_TABLES } from '../nodes/configuration.ts';
import { PLUGIN_TABLES } from '../plugins/joined.ts';
import { HAND_TABLES } from '../imports/by-hand.ts';
import { PROPOSAL_TABLES } from '../imports/proposals.ts';
import { ERASED_KEY_TABLES } from '../record-keys.ts';
import { PURGE_TABLES } from '../purges.ts';
import { SIGN_IN_TABLES } from '../sign-in.ts';
import { COUNT_TABLES } from '../values.ts';
import { PRICED_INDEX, REGISTER_TABLES } from './register-tables.ts';

/** All tables. What keys and endpoints refer to comes before them. */
export const TABLES: readonly Table[] = [
  ...[PLUGIN_TABLES, REGISTER_TABLES, TERM_TABLES, COUNT_TABLES],
  ...[
    LEASE_TABLES,
    IMPORT_TABLES,
    PROPOSAL_TABLES,
    HAND_TABLES,
    ERASED_KEY_TABLES,
    PURGE_TABLES,
    CONFIGURATION_TABLES,
    LIMIT_TABLES,
    MIRROR_TABLES,
  ],
  ...[ACCOUNT_TABLES, KEY_TABLES, EDITOR_TABLES, SIGN_IN_TABLES, IDEMPOTENCY_TABLES, WEBHOOK_TABLES],
].flat();

/** The rows that every store has. */
export const FIRST_ROWS: readonly Fragment[] = [CONFIGURATION_ROW];

/** The migration that makes it. @param own what only this database has */
export function firstMigration(dialect: Dialect, own: string): Migration {
  const text = (parts: readonly Fragment[]): string => parts.map((part) => part.in(dialect)).join('');
  return {
    name: 'the first schema',
    compatibleFrom: FIRST_SCHEMA,
    sql: `${text(TABLES.map(({ made }) => made))}${own}${text([PRICED_INDEX, ...FIRST_ROWS])}`,
  };
}
