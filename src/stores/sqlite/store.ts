// The embedded store: one SQLite file in WAL mode, through node:sqlite. Any number of processes can read it while one
// writes. Reads are synchronous and short; writes never block the event loop.
import { isGazetteError } from '../../errors.ts';
import type { InspectedStore } from '../contract/inspection.ts';
import { migrationsOf } from '../logic/plugins/joined.ts';
import type { StorePlugin } from '../logic/plugins/plugin.ts';
import { STORED } from '../../wings/stored.ts';
import type { StoreHooks } from '../hooks.ts';
import { Store } from '../store.ts';
import { SqliteConnection, type SqliteOptions } from './connection.ts';
import { SqliteDeliveries } from './deliveries.ts';
import { SqliteEngine } from './engine.ts';
import { copyStore } from './file/backup.ts';
import { inspectFile } from './file/damage.ts';
import { damaged } from './file/errors.ts';
import { SqliteKeys } from './keys.ts';
import { DIALECT } from './dialect.ts';
import { SQLITE_MIGRATIONS } from './migrations.ts';
import { sqlitePurge } from './purge.ts';
import { SqliteReads } from './reads.ts';
import { SqliteRemoval } from './removal.ts';
import { SqliteWrites } from './writes.ts';

/**
 * A store ({@link InspectedStore}) in a SQLite file, or in memory: `SqliteStore.open(':memory:')`, for as long as its process.
 *
 * @example
 * const store = SqliteStore.open('./gazette.db');
 * for (const { definition, total } of await store.registers()) console.log(definition.title, total);
 */
export class SqliteStore extends Store implements InspectedStore {
  readonly #connection: SqliteConnection;

  private constructor(connection: SqliteConnection, plugins: readonly StorePlugin[]) {
    super(hooksOf(connection, plugins), plugins);
    this.#connection = connection;
  }

  /**
   * Opens the store in a file, creates the file if it does not exist, and updates its schema to the current version.
   *
   * @param path of the file; `:memory:` for a store in memory
   * @throws GazetteError `invalid_store` for a file that cannot be opened or is not a store, `schema_too_new`,
   *   `store_busy`.
   */
  static open(path: string, options: SqliteOptions = {}): SqliteStore {
    const { plugins = STORED } = options;
    const connection = SqliteConnection.open(path, { ...options, plugins });
    try {
      return new SqliteStore(connection, plugins);
    } catch (error) {
      connection.close();
      // A table is missing, or not as our migrations made it.
      throw isGazetteError(error) ? error : damaged(path, error);
    }
  }

  /** Whether every write fails, because the file cannot be written or {@link SqliteOptions.readOnly} was given. */
  get isReadOnly(): boolean {
    return this.#connection.isReadOnly;
  }

  stamp(): number {
    return this.#connection.stamp();
  }

  /**
   * Writes a copy of the whole store in its current state to a new file, while others go on reading and writing. The
   * copy contains no deleted content and is an independent store: once it is opened for writing, its registers have new
   * logs, and change numbers of the original are refused (`log_restarted`).
   *
   * @param path of a file that does not exist yet; only its owner can read it
   * @throws the errors of the file system and of SQLite: the file exists, the disk is full
   */
  async backup(path: string): Promise<void> {
    return copyStore(this.#connection, path);
  }
}

function hooksOf(connection: SqliteConnection, plugins: readonly StorePlugin[]): StoreHooks {
  const engine = new SqliteEngine(connection, plugins);
  const reads = new SqliteReads(connection);
  return {
    engine,
    reads,
    writes: new SqliteWrites(connection, reads),
    read: async (rule) => connection.read(() => engine.within(rule)),
    removal: new SqliteRemoval(connection, plugins),
    keys: new SqliteKeys(connection),
    deliveries: new SqliteDeliveries(connection, engine),
    purge: sqlitePurge(connection.file),
    alwaysPurges: true,
    waitMs: connection.busyTimeoutMs,
    damage: () =>
      inspectFile(connection, [...SQLITE_MIGRATIONS, ...plugins.flatMap((plugin) => migrationsOf(plugin, DIALECT))]),
    marks: connection.folder,
    isOpen: () => connection.isOpen,
    close: async () => {
      connection.close();
    },
  };
}
