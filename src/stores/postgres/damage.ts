// Asks PostgreSQL whether its indexes agree with their tables. The extension amcheck reads both; without it, only an index
// that is missing or was never completed is found.
import { isGazetteError } from '../../errors.ts';
import type { Finding, StoreInspection } from '../contract/inspection.ts';
import { findingAt } from '../logic/inspect/forms.ts';
import type { PostgresConnection } from './connection.ts';
import { migrationsOf } from '../logic/plugins/joined.ts';
import type { StorePlugin } from '../logic/plugins/plugin.ts';
import { dialectOf } from './dialect.ts';
import { postgresMigrations } from './migrations.ts';

// https://www.postgresql.org/docs/current/errcodes-appendix.html: damage; no right to call a function of amcheck.
const DAMAGE = 'XX';
const NO_RIGHT = '42501';

/** The indexes of the schema, with their tables. */
const INDEXES = `SELECT c.relname, t.relname, i.indisvalid AND i.indisready, c.oid::text
  FROM pg_catalog.pg_index i
  JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 ORDER BY c.relname`;

const AMCHECK = `SELECT quote_ident(n.nspname) FROM pg_catalog.pg_extension e
  JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'amcheck'`;

/** What is wrong with the indexes of a store. */
export async function findIndexDamage(
  connection: PostgresConnection,
  plugins: readonly StorePlugin[],
): ReturnType<StoreInspection['damage']> {
  const findings: Finding[] = [];
  const notes: string[] = [];
  const schema = connection.prefix.slice(1, -2);
  const indexes = await connection.query(INDEXES, [schema]);
  const names = new Set(indexes.map(([name]) => name));
  for (const [name, table] of expectedIndexes(schema, plugins)) {
    if (!names.has(name)) findings.push(findingAt({ table, row: null }, `the index ${name} is missing`));
  }
  const [amcheck] = await connection.query(AMCHECK);
  if (amcheck === undefined) {
    notes.push('indexes were not compared with their tables: the extension amcheck is not installed in the database');
  }
  for (const [name, table, isComplete, oid] of indexes) {
    const problem =
      isComplete !== true
        ? 'it was never completed'
        : amcheck === undefined
          ? null
          : await difference(connection, String(amcheck[0]), String(oid), notes);
    if (problem === null) continue;
    findings.push(findingAt({ table: String(table), row: null }, `the index ${String(name)} is damaged: ${problem}`));
  }
  return { findings, notes: [...notes, ...(await noteOnReplicas(connection))] };
}

/** The indexes that the migrations make, with their tables. */
function expectedIndexes(schema: string, plugins: readonly StorePlugin[]): ReadonlyMap<string, string> {
  const own = plugins.flatMap((plugin) => migrationsOf(plugin, dialectOf(`"${schema}".`)));
  const made = [...postgresMigrations(`"${schema}"`), ...own].flatMap(({ sql }) => [
    ...sql.matchAll(/CREATE (?:UNIQUE )?INDEX (\w+)\s+ON "\w+"\.(\w+)/g),
  ]);
  return new Map(made.map(([, name, table]) => [name!, table!]));
}

// https://www.postgresql.org/docs/current/runtime-config-wal.html#GUC-SYNCHRONOUS-COMMIT: `off` and `local` wait for no replica.
const REPLICAS = `SELECT (SELECT count(*) FROM pg_catalog.pg_stat_replication)::int,
  current_setting('synchronous_standby_names') <> '' AND current_setting('synchronous_commit') NOT IN ('off', 'local')`;

/** Whether a replica that takes the place of the server has every commit that was acknowledged. */
async function noteOnReplicas(connection: PostgresConnection): Promise<readonly string[]> {
  const [[replicas, isAwaited]] = (await connection.query(REPLICAS)) as [[number, boolean]];
  if (replicas === 0) return [];
  return [
    isAwaited
      ? 'a commit is acknowledged when a synchronous replica has it too: none is lost if that takes the place of the server'
      : 'a commit is acknowledged before a replica has it: if a replica takes the place of the server, the last ones may be lost (synchronous_standby_names is not set, or synchronous_commit waits for no replica)',
  ];
}

async function difference(
  connection: PostgresConnection,
  amcheck: string,
  index: string,
  notes: string[],
): Promise<string | null> {
  try {
    await connection.query(`SELECT ${amcheck}.bt_index_check($1::oid::regclass, true)`, [index]);
    return null;
  } catch (error) {
    const { code, message } = (isGazetteError(error, 'invalid_store') ? error.cause : error) as {
      readonly code?: unknown;
      readonly message?: unknown;
    };
    if (code === NO_RIGHT) {
      const note = 'indexes were not compared with their tables: the user of the store may not call amcheck';
      if (!notes.includes(note)) notes.push(note);
      return null;
    }
    if (typeof code === 'string' && code.startsWith(DAMAGE)) return String(message);
    throw error;
  }
}
