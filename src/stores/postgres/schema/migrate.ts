// The migrations of a schema of PostgreSQL, while processes work in it: those that the migrations permit go on.
import { setTimeout as sleep } from 'node:timers/promises';
import { isGazetteError, quote } from '../../../errors.ts';
import { lastNumber, type Migration, type Numbered, pendingMigrations } from '../../logic/migration.ts';
import type { SqlRow } from '../../rows/columns.ts';

/**
 * The lock that separates the migrations of two processes. Any number that others are unlikely to use: "gzte" twice.
 */
export const MIGRATION_LOCK = '7456000551412790373';

/**
 * How long a migration waits for a table, in milliseconds; then it is rolled back, so that those go first who use the table,
 * and tried again. A process that works and a migration may wait for each other: after a second PostgreSQL would end
 * either. And whatever comes meanwhile waits behind a migration that waits.
 */
const GIVE_WAY_MS = 200;

/** Between two tries, in milliseconds. */
const PAUSE_MS = 50;

/**
 * The table that every other try takes first, once a migration had to give way. Writers of registers have it before the other
 * tables, so that none of those is held any more by one that waits: without it, a migration of all tables beside a process
 * that writes without a pause gave way up to 228 times. The other tries do without, for it may be read for longer than all that
 * the migration needs.
 */
const FIRST_TABLE = 'registers';

type RunQuery = (text: string, values?: readonly unknown[]) => Promise<SqlRow[]>;

/** What migrations need of a connection. */
export interface MigratedConnection {
  /** The prefix of table names: the quoted schema and a dot. */
  readonly prefix: string;
  /** For how long tables are tried to be had, in milliseconds. */
  readonly lockTimeoutMs: number;
  /** Runs one statement outside a transaction. */
  readonly query: RunQuery;
  /** Runs `work` in one transaction. */
  transaction<T>(work: (query: RunQuery) => Promise<T>): Promise<T>;
}

/**
 * Runs the migrations that the schema still needs.
 *
 * @throws GazetteError `schema_too_new`, `invalid_store`; `store_busy` if others keep what is migrated for longer than they may
 */
export async function migrate(
  connection: MigratedConnection,
  schema: string,
  migrations: readonly Migration[],
): Promise<void> {
  const store = `the schema ${quote(schema)}`;
  const table = `${connection.prefix}migrations`;
  // Queries the catalogue's own tables: to_regclass() may use a cache that is older than a lock just waited for.
  const schemas = 'SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1';
  const tables = `SELECT oid FROM pg_catalog.pg_class WHERE relnamespace = (${schemas}) AND relname = $2`;
  const pendingIn = async (query: RunQuery): Promise<readonly Numbered[]> => {
    const isNew = (await query(tables, [schema, 'migrations'])).length === 0;
    const numberIn = async (column: string): Promise<number> =>
      (await query(`SELECT coalesce(max(${column}), 0) FROM ${table}`))[0]![0] as number;
    const version = isNew ? 0 : await numberIn('version');
    const compatibleFrom = version > lastNumber(migrations) ? await numberIn('compatible_from') : null;
    return pendingMigrations(store, { version, compatibleFrom }, migrations);
  };
  if ((await pendingIn((text, values) => connection.query(text, values))).length === 0) return;
  await givingWay(connection.lockTimeoutMs, async (begun, tries) => {
    await connection.transaction(async (query) => {
      await query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      begun();
      await query(`SET LOCAL lock_timeout = ${Math.min(GIVE_WAY_MS, connection.lockTimeoutMs)}`);
      if (tries % 2 === 0 && (await query(tables, [schema, FIRST_TABLE])).length > 0) {
        await query(`LOCK TABLE ${connection.prefix}${FIRST_TABLE}`);
      }
      // Read again under the lock: another process may have been first.
      const pending = await pendingIn(query);
      if ((await query(schemas, [schema])).length === 0) await query(`CREATE SCHEMA "${schema}"`);
      await query(
        `CREATE TABLE IF NOT EXISTS ${table} (version integer PRIMARY KEY, name text NOT NULL, compatible_from integer NOT NULL)`,
      );
      for (const { version, name, sql, compatibleFrom } of pending) {
        // Without parameters PostgreSQL accepts several statements at once.
        await query(sql);
        const noted = `INSERT INTO ${table} (version, name, compatible_from) VALUES ($1, $2, $3)`;
        await query(noted, [version, name, compatibleFrom]);
      }
    });
  });
}

/** Runs `work` until it gets what others hold, for so long; whoever waits before it has `begun` has waited for long enough. */
async function givingWay(totalMs: number, work: (begun: () => void, tries: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries++) {
    const tried = { hasBegun: false };
    try {
      await work(() => {
        tried.hasBegun = true;
      }, tries);
      return;
    } catch (error) {
      const waitedMs = performance.now() - startedAt;
      if (!isGazetteError(error, 'store_busy') || !tried.hasBegun || waitedMs >= totalMs) throw error;
    }
    await sleep(PAUSE_MS);
  }
}
