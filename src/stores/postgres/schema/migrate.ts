// The migrations of a schema of PostgreSQL, while processes work in it: those that the migrations permit go on.
import { setTimeout as sleep } from 'node:timers/promises';
import { isGazetteError, quote } from '../../../errors.ts';
import { type MigrationOf, nextMigrations, pendingMigrations, type SchemaState } from '../../logic/migration.ts';
import type { SqlRow } from '../../rows/columns.ts';
import type { RunTransaction } from '../old-versions.ts';

/**
 * The lock that separates the migrations of two processes. Any number that others are unlikely to use: "gzte" twice.
 */
const MIGRATION_LOCK = '7456000551412790373';

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
 * @throws GazetteError `schema_too_new`; `store_busy` if others keep what is migrated for longer than they may
 */
export async function migrate(
  connection: MigratedConnection,
  schema: string,
  migrations: readonly MigrationOf<RunTransaction>[],
): Promise<void> {
  const store = `the schema ${quote(schema)}`;
  const table = `${connection.prefix}migrations`;
  // Queries the catalogue's own tables: to_regclass() may use a cache that is older than a lock just waited for.
  const schemas = 'SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1';
  const tables = `SELECT oid FROM pg_catalog.pg_class WHERE relnamespace = (${schemas}) AND relname = $2`;
  const stateOf = async (query: RunQuery): Promise<SchemaState> => {
    if ((await query(tables, [schema, 'migrations'])).length === 0) return { version: 0, compatibleFrom: 0 };
    // Tables from before the column existed have no value: then only code that knows the schema may open the store.
    const compatible = `coalesce(max((to_jsonb(m) ->> 'compatible_from')::int), max(version), 0)`;
    const [row] = await query(`SELECT coalesce(max(version), 0), ${compatible} FROM ${table} m`);
    return { version: row![0] as number, compatibleFrom: row![1] as number };
  };
  const locked: RunTransaction = (work) => {
    return connection.transaction(async (query) => {
      await query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
      return work(query);
    });
  };
  for (;;) {
    const state = await stateOf((text, values) => connection.query(text, values));
    const [next] = pendingMigrations(store, state, migrations);
    if (next === undefined) return;
    if (next.version > 1) await next.before?.(locked);
    await givingWay(connection.lockTimeoutMs, async (begun, tries) => {
      await locked(async (query) => {
        begun();
        await query(`SET LOCAL lock_timeout = ${Math.min(GIVE_WAY_MS, connection.lockTimeoutMs)}`);
        if (tries % 2 === 0 && (await query(tables, [schema, FIRST_TABLE])).length > 0) {
          await query(`LOCK TABLE ${connection.prefix}${FIRST_TABLE}`);
        }
        await migrateSome(query);
      });
    });
  }

  async function migrateSome(query: RunQuery): Promise<void> {
    // Read again under the lock: another process may have been first.
    const pending = nextMigrations(pendingMigrations(store, await stateOf(query), migrations));
    if ((await query(schemas, [schema])).length === 0) await query(`CREATE SCHEMA "${schema}"`);
    await query(`CREATE TABLE IF NOT EXISTS ${table} (version integer PRIMARY KEY, name text NOT NULL)`);
    await query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS compatible_from integer`);
    for (const { version, name, sql, rows, compatibleFrom } of pending) {
      // Without parameters PostgreSQL accepts several statements at once.
      await query(sql);
      if (rows !== undefined) await query(rows);
      const noted = `INSERT INTO ${table} (version, name, compatible_from) VALUES ($1, $2, $3)`;
      await query(noted, [version, name, compatibleFrom]);
    }
  }
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
