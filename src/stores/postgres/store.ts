// The store for more than one machine: a PostgreSQL schema, accessed through a `pg` pool that the caller creates and
// ends.
import type { InspectedStore } from '../contract/inspection.ts';
import type { LimitCounter } from '../contract/nodes/counter.ts';
import type { KnowledgeFigures, ReplicaFigures } from '../contract/nodes/figures.ts';
import type { StorePlugin } from '../logic/plugins/plugin.ts';
import { STORED } from '../../wings/stored.ts';
import type { StoreHooks } from '../hooks.ts';
import { Store } from '../store.ts';
import { PostgresConnection, type PostgresOptions, type PostgresPool } from './connection.ts';
import { findIndexDamage } from './damage.ts';
import { PostgresDeliveries } from './deliveries.ts';
import { PostgresEngine } from './engine.ts';
import { PostgresKeys } from './keys.ts';
import { PostgresLimitCounter } from './limits/counter.ts';
import { postgresMigrations } from './migrations.ts';
import { postgresPurge } from './purge.ts';
import { PostgresReads } from './reads.ts';
import { joinPlugins } from './schema/join.ts';
import { postgresRemoval } from './removal.ts';
import { PostgresWrites } from './writes.ts';

/**
 * A store ({@link InspectedStore}) in a PostgreSQL database (14 or later). Any number of processes may write to it: those of one
 * register wait for each other, so that no position ever appears below one that was already read. PostgreSQL keeps the rows
 * that a redaction deletes in its data files until a purge, and in its write-ahead log and backups for as long as they are
 * kept. The operator of the database must erase those.
 *
 * @example
 * import pg from 'pg';
 * const pool = new pg.Pool({ connectionString: 'postgres://localhost/registers' });
 * const store = await PostgresStore.open(pool);
 */
export class PostgresStore extends Store implements InspectedStore {
  readonly limitCounter: LimitCounter;
  readonly #connection: PostgresConnection;
  readonly #reads: PostgresReads;

  private constructor(connection: PostgresConnection, reads: PostgresReads, plugins: readonly StorePlugin[]) {
    super(hooksOf(connection, reads, plugins), plugins);
    this.#connection = connection;
    this.#reads = reads;
    this.limitCounter = new PostgresLimitCounter(connection);
  }

  /**
   * Opens the store in a schema of the pool's database and updates its tables to the current version.
   *
   * @throws GazetteError `invalid_option` for a malformed schema name, `schema_too_new`, `invalid_store`, `store_busy`.
   */
  static async open(pool: PostgresPool, options: PostgresOptions = {}): Promise<PostgresStore> {
    const { plugins = STORED } = options;
    const connection = await PostgresConnection.open(pool, options, postgresMigrations);
    await joinPlugins(connection, plugins);
    const replica = options.replica === undefined ? null : connection.over(options.replica);
    return new PostgresStore(connection, new PostgresReads(connection, replica), plugins);
  }

  /** Undefined unless the store was opened with `answersFromMemory`. @internal */
  stamp(): number | undefined {
    return this.#connection.knowledge?.stamp();
  }

  isUnchanged(feedId: string, since: number): boolean {
    return this.#connection.knowledge?.isUnchanged(feedId, since) ?? false;
  }

  /** Undefined unless the store was opened with `answersFromMemory`. @internal */
  knowledge(): KnowledgeFigures | undefined {
    return this.#connection.knowledge?.figures();
  }

  /** Undefined unless the store was opened with a replica. @internal */
  replica(): ReplicaFigures | undefined {
    return this.#reads.replica?.figures();
  }

  /** Null unless the store was opened with a replica. */
  async replicaLag(): Promise<number | null> {
    return (await this.#reads.replica?.lag()) ?? null;
  }
}

function hooksOf(connection: PostgresConnection, reads: PostgresReads, plugins: readonly StorePlugin[]): StoreHooks {
  const engine = new PostgresEngine(connection, plugins);
  const writes = new PostgresWrites(connection.prefix);
  return {
    engine,
    reads,
    writes,
    read: (rule) => engine.read(rule),
    removal: postgresRemoval(connection.prefix, writes, plugins),
    keys: new PostgresKeys(connection),
    deliveries: new PostgresDeliveries(connection, engine),
    purge: postgresPurge(connection),
    alwaysPurges: false,
    waitMs: connection.lockTimeoutMs,
    damage: () => findIndexDamage(connection, plugins),
    marks: null,
    isOpen: () => connection.isOpen,
    // The store itself opened nothing: the caller ends the pool.
    close: async () => undefined,
  };
}
