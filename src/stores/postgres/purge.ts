// Rewrites what PostgreSQL keeps of erased content: dead rows, the entries of indexes for them, and statistics. CLUSTER
// rewrites a table with its indexes as VACUUM FULL does, but inside a transaction, where the wait for a lock can be
// limited also on a connection that a pooler shares.
// https://www.postgresql.org/docs/current/sql-cluster.html
import { setTimeout as sleep } from 'node:timers/promises';
import { isGazetteError } from '../../errors.ts';
import type { PurgeHooks } from '../logic/purges.ts';
import type { PostgresConnection } from './connection.ts';

/** The tables that hold content, or what can confirm a guess of it. */
const TABLES = [
  'records',
  'withdrawn',
  'contents',
  'versions',
  'webhook_attempts',
  'imports',
  'proposals',
  'proposed_records',
  'kept_by_hand',
  'value_counts',
  'term_postings',
  'value_columns',
];

/** The table of the server with frequent values of columns. */
const STATISTICS = 'pg_statistic';

/** How often to ask whether others have ended, in milliseconds. */
const ASK_AGAIN_MS = 50;

/** PostgreSQL takes a lock timeout of 0 for none. */
const SHORTEST_WAIT_MS = 50;

/**
 * Whether a transaction may still see the rows that the erasure deleted, which a rewritten table would keep. The row of
 * a part was written by the transaction that erased: its xmin. Snapshots of other databases do not count, but their
 * writing transactions do: a new snapshot looks back to the oldest of all that run.
 */
const isSeen = (prefix: string): string => `SELECT 1 FROM ${prefix}purges p, (
  SELECT backend_xid AS xid FROM pg_stat_activity WHERE pid <> pg_backend_pid()
  UNION ALL SELECT backend_xmin FROM pg_stat_activity WHERE pid <> pg_backend_pid()
    AND (datname = current_database() OR datname IS NULL)
  UNION ALL SELECT transaction FROM pg_prepared_xacts
  UNION ALL SELECT xmin FROM pg_replication_slots
  UNION ALL SELECT catalog_xmin FROM pg_replication_slots WHERE $1 = '${STATISTICS}'
) other WHERE p.part = $1 AND age(other.xid) >= age(p.xmin) LIMIT 1`;

/**
 * The columns that may be null, and the values that are counted: among them are all that hold content. Each is given its
 * own type, which removes its statistics and those of its indexes. ANALYZE alone would leave them where a table has no
 * rows.
 */
const RETYPED = `SELECT string_agg(format('ALTER COLUMN %I TYPE %s%s', attname, format_type(atttypid, atttypmod),
    CASE WHEN attcollation = 0 THEN '' ELSE ' COLLATE "C"' END), ', ')
  FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
    AND (NOT attnotnull OR attname = 'value')`;

/** Purges the tables of a store. */
export function postgresPurge(connection: PostgresConnection): PurgeHooks {
  const { prefix } = connection;

  async function rewrite(part: string, waitMs: number): Promise<boolean> {
    const deadline = performance.now() + waitMs;
    while ((await connection.query(isSeen(prefix), [part])).length > 0) {
      if (performance.now() >= deadline) return false;
      await sleep(ASK_AGAIN_MS);
    }
    return part === STATISTICS ? rewriteStatistics(deadline) : rewriteTable(part, deadline);
  }

  async function rewriteTable(name: string, deadline: number): Promise<boolean> {
    const table = `${prefix}${name}`;
    const waitMs = Math.max(SHORTEST_WAIT_MS, Math.round(deadline - performance.now()));
    try {
      await connection.transaction(async (query) => {
        await query(`SET LOCAL lock_timeout = ${waitMs}`);
        const [columns] = await query(RETYPED, [table]);
        if (columns![0] !== null) await query(`ALTER TABLE ${table} ${columns![0] as string}`);
        await query(`CLUSTER ${table} USING ${name}_pkey`);
        await query(`ANALYZE ${table}`);
        // From here on, the statistics have rows that this transaction deleted.
        await query(`UPDATE ${prefix}purges SET number = number + 1 WHERE part = '${STATISTICS}'`);
      });
      return true;
    } catch (error) {
      if (isGazetteError(error, 'store_busy')) return false;
      throw error;
    }
  }

  async function rewriteStatistics(deadline: number): Promise<boolean> {
    if (!(await ownsDatabase())) return true;
    const file = `SELECT pg_relation_filenode('pg_catalog.${STATISTICS}')`;
    const [before] = await connection.query(file);
    for (;;) {
      // Every query is planned with this table: one that waited for it would hold up all that come later.
      await connection.query(`VACUUM (FULL, SKIP_LOCKED) pg_catalog.${STATISTICS}`);
      const [after] = await connection.query(file);
      if (after![0] !== before![0]) return true;
      if (performance.now() >= deadline) return false;
      await sleep(ASK_AGAIN_MS);
    }
  }

  /** Only the owner of a database, and a superuser, may rewrite the server's tables in it. */
  async function ownsDatabase(): Promise<boolean> {
    const owner = "SELECT pg_has_role(datdba, 'USAGE') FROM pg_database WHERE datname = current_database()";
    const [row] = await connection.query(owner);
    return row![0] === true;
  }

  async function beyond({ isPurged }: { readonly isPurged: boolean }): Promise<readonly string[]> {
    const held = isPurged
      ? (await ownsDatabase())
        ? []
        : [
            'the server’s statistics, which only the owner of the database can rewrite, until that owner runs: VACUUM FULL pg_catalog.pg_statistic',
          ]
      : ['the files of the tables, their indexes and statistics, until you run the command again with --purge'];
    return [
      ...held,
      'the server’s write-ahead log (pg_wal) until its files have been used again, and its archive for as long as it is kept',
      'the server’s own log, if it logs statements with their values, for as long as it is kept',
      'dumps, base backups and logical replicas, for as long as they are kept; physical replicas until they have caught up',
      'blocks of the disk that the tables no longer use, and snapshots of the disk, until the system overwrites them',
    ];
  }

  return { parts: [...TABLES, STATISTICS], rewrite, beyond };
}
