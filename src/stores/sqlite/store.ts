// The embedded store: one SQLite file in WAL mode, through node:sqlite. Any number of processes can read it while one
// writes. Reads are synchronous and short; writes never block the event loop.
import { randomBytes, randomUUID } from 'node:crypto';
import { isGazetteError } from '../../errors.ts';
import type { Order } from '../../register/sources/order.ts';
import type { RecordVersion, RegisterDefinition } from '../../register/record.ts';
import type { RegisterSource } from '../../register/sources/source.ts';
import type { DeliveryStore } from '../contract/deliveries.ts';
import { accountsOn } from '../logic/account-store.ts';
import type { ConfigurationStore } from '../contract/nodes/configuration.ts';
import { configurationOn } from '../logic/nodes/configuration.ts';
import { idempotencyOn } from '../logic/idempotency.ts';
import type { InspectedStore, NewLog, StoreInspection } from '../contract/inspection.ts';
import { importsOn } from '../logic/imports.ts';
import type { UnderLease } from '../contract/leases.ts';
import type { PurgeStore, RedactOptions } from '../contract/purges.ts';
import { inspectionOn } from '../logic/inspect/inspection.ts';
import { findingOn } from '../logic/finding/term-postings.ts';
import { valuesOn } from '../logic/values.ts';
import { ledgerOn } from '../logic/purchases/ledger-store.ts';
import { logsOn } from '../logic/proofs/log-store.ts';
import { recoveryOn } from '../logic/proofs/recovery.ts';
import type { LogRecovery } from '../contract/proofs/recovery.ts';
import * as leases from '../logic/leases.ts';
import { signInsOn } from '../logic/sign-in.ts';
import { type PurgeHooks, purgesOn } from '../logic/purges.ts';
import { deliveriesOn } from '../logic/webhooks/delivery-store.ts';
import { liftRedaction, redactRecord } from '../logic/redaction.ts';
import { beginNewLogs, catalogueOn, createRegister, setOrder, updateRegister } from '../logic/registers.ts';
import * as heads from '../rows/register.ts';
import { sourceOf } from '../rows/register-source.ts';
import type { ServiceStore } from '../contract/accounts.ts';
import { SqliteConnection, type SqliteOptions } from './connection.ts';
import { SqliteDeliveries } from './deliveries.ts';
import { SqliteEngine } from './engine.ts';
import { copyStore } from './file/backup.ts';
import { inspectFile } from './file/damage.ts';
import { damaged } from './file/errors.ts';
import { SqliteKeys } from './keys.ts';
import { SQLITE_MIGRATIONS } from './migrations.ts';
import { prepareBatch } from '../rows/prepare.ts';
import type { Batch } from '../contract/prepared-record.ts';
import { sqlitePurge } from './purge.ts';
import { SqliteRemoval } from './removal.ts';
import { SqliteReads } from './reads.ts';
import { SqliteWalks } from './walks.ts';
import { SqliteWrites } from './writes.ts';
import type {
  ApplyOptions,
  BatchResult,
  ChangesOptions,
  ChangesPage,
  HistoryRange,
  RegisterEntry,
  SourceOptions,
  StoredRecord,
  WithdrawResult,
  WriteOptions,
} from '../contract/registers.ts';

/**
 * A store ({@link InspectedStore}) in a SQLite file, or in memory: `SqliteStore.open(':memory:')`, for as long as its process.
 *
 * @example
 * const store = SqliteStore.open('./gazette.db');
 * for (const { definition, total } of await store.registers()) console.log(definition.title, total);
 */
export class SqliteStore implements InspectedStore {
  readonly accounts: InspectedStore['accounts'];
  readonly deliveries: DeliveryStore;
  readonly idempotency: ServiceStore['idempotency'];
  readonly configuration: ConfigurationStore;
  readonly catalogue: InspectedStore['catalogue'];
  readonly leases: InspectedStore['leases'];
  readonly ledger: InspectedStore['ledger'];
  readonly signIns: ServiceStore['signIns'];
  readonly imports: InspectedStore['imports'];
  readonly logs: InspectedStore['logs'];
  readonly purges: PurgeStore;
  readonly #purge: PurgeHooks;
  readonly inspection: StoreInspection;
  readonly recovery: LogRecovery;
  readonly values: InspectedStore['values'];
  readonly finding: InspectedStore['finding'];
  readonly #connection: SqliteConnection;
  readonly #engine: SqliteEngine;
  readonly #reads: SqliteReads;
  readonly #walks: SqliteWalks;
  readonly #writes: SqliteWrites;
  readonly #removal: SqliteRemoval;

  private constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#reads = new SqliteReads(connection);
    this.#walks = new SqliteWalks(connection, this.#reads);
    this.#engine = new SqliteEngine(connection);
    this.#writes = new SqliteWrites(connection, this.#reads, this.#engine);
    this.#removal = new SqliteRemoval(connection);
    this.catalogue = catalogueOn(this.#engine);
    this.leases = leases.leasesOn(this.#engine, connection.folder);
    this.ledger = ledgerOn(this.#engine);
    this.signIns = signInsOn(this.#engine);
    this.imports = importsOn(this.#engine);
    this.logs = logsOn(this.#engine, { isOpen: () => connection.isOpen });
    this.#purge = sqlitePurge(connection.file);
    this.purges = purgesOn(this.#engine, this.#purge);
    this.recovery = recoveryOn(this.#engine, this.#purge.parts);
    this.inspection = inspectionOn(this.#engine, { damage: () => inspectFile(connection, SQLITE_MIGRATIONS) });
    this.values = valuesOn(this.#engine);
    this.finding = findingOn(this.#engine, {
      isOpen: () => connection.isOpen,
      buildCounts: (feedId, limit) => connection.write(() => this.#writes.buildCounts(feedId, limit)),
    });
    const [keys, hooks] = [new SqliteKeys(connection), new SqliteDeliveries(connection, this.#engine)];
    this.accounts = accountsOn(this.#engine, keys);
    this.deliveries = deliveriesOn(this.#engine, hooks, connection.folder);
    this.configuration = configurationOn(this.#engine);
    this.idempotency = idempotencyOn(this.#engine, (engine) => {
      return { accounts: accountsOn(engine, keys), deliveries: deliveriesOn(engine, hooks, connection.folder) };
    });
  }

  /**
   * Opens the store in a file, creates the file if it does not exist, and updates its schema to the current version.
   *
   * @param path of the file; `:memory:` for a store in memory
   * @throws GazetteError `invalid_store` for a file that cannot be opened or is not a store, `schema_too_new`,
   *   `store_busy`.
   */
  static open(path: string, options: SqliteOptions = {}): SqliteStore {
    const connection = SqliteConnection.open(path, options);
    try {
      return new SqliteStore(connection);
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

  async createRegister(
    definition: RegisterDefinition,
    options: { readonly order?: Order } = {},
  ): Promise<RegisterEntry> {
    const identified = heads.identified(definition);
    for (;;) {
      const made = await this.#engine.write(createRegister, identified, options.order ?? null, randomUUID());
      if (made !== null) return heads.entryOf(made);
      // A removal was interrupted, or is running in another process.
      await this.#removal.complete(definition.id);
    }
  }

  async updateRegister(
    definition: RegisterDefinition,
    options: { readonly recordedAt: string } & UnderLease,
  ): Promise<RegisterEntry> {
    heads.checkRecordedAt(options.recordedAt);
    return heads.entryOf(await this.#engine.write(updateRegister, definition, options));
  }

  async setOrder(feedId: string, order: Order, under: UnderLease = {}): Promise<void> {
    await this.#engine.write(setOrder, feedId, order, under);
  }

  async removeRegister(feedId: string, under: UnderLease = {}): Promise<void> {
    await this.#connection.write(() => {
      if (this.#removal.find(feedId) === null) {
        this.#reads.head(feedId);
        this.#engine.within(leases.beginBatch, feedId, under);
      }
      this.#removal.mark(feedId);
    });
    await this.#removal.complete(feedId);
  }

  async completeRemovals({ signal }: { readonly signal?: AbortSignal } = {}): Promise<readonly string[]> {
    return this.#removal.completeAll(signal);
  }

  async registers(): Promise<readonly RegisterEntry[]> {
    return this.#reads.entries();
  }

  async register(feedId: string): Promise<RegisterEntry | null> {
    const head = this.#reads.findHead(feedId);
    return head === null ? null : heads.entryOf(head);
  }

  async source(feedId: string, options: SourceOptions = {}): Promise<RegisterSource> {
    const head = this.#reads.head(feedId);
    const definition = heads.definitionFor(head, options);
    return sourceOf(definition, {
      head: () => this.#reads.headByNumber(feedId, head.number),
      page: (query) => this.#reads.page(definition, head.number, query),
      pagesAhead: (query) => this.#walks.pages(definition, head.number, query),
      record: (id) => this.#reads.record(id, definition),
      facets: (names) => this.values.facets(definition, names),
    });
  }

  async record(recordId: string): Promise<StoredRecord | null> {
    return this.#reads.record(recordId);
  }

  async history(recordId: string, options: HistoryRange): Promise<readonly RecordVersion[] | null> {
    heads.checkHistoryRange(options);
    return this.#reads.history(recordId, options);
  }

  async changes(feedId: string, options: ChangesOptions): Promise<ChangesPage> {
    return this.#reads.changes(feedId, options);
  }

  async ids(
    feedId: string,
    options: { readonly below?: number; readonly limit: number },
  ): Promise<readonly { readonly id: string; readonly position: number }[]> {
    return this.#reads.ids(feedId, heads.checkIdsRange(options), options.limit);
  }

  async apply(feedId: string, batch: Batch, options: ApplyOptions): Promise<BatchResult> {
    heads.checkApplied(options);
    // Before the lock is taken, so that others do not wait for it.
    const prepared = prepareBatch(feedId, batch);
    return this.#batch(feedId, options, leases.BATCH_RESULT, () => this.#writes.apply(feedId, prepared, options));
  }

  async withdraw(feedId: string, ids: readonly string[], options: WriteOptions): Promise<WithdrawResult> {
    heads.checkRecordedAt(options.recordedAt);
    return this.#batch(feedId, options, leases.WITHDRAW_RESULT, () => this.#writes.withdraw(feedId, ids, options));
  }

  async redact(recordId: string, options: RedactOptions): Promise<boolean> {
    heads.checkRecordedAt(options.recordedAt);
    const redaction = { ...options, salt: randomBytes(32), parts: this.#purge.parts };
    const isNew = await this.#engine.write(redactRecord, recordId, redaction);
    await this.purges.run({ waitMs: this.#connection.busyTimeoutMs });
    return isNew;
  }

  async lift(recordId: string, under: UnderLease = {}): Promise<boolean> {
    return this.#engine.write(liftRedaction, recordId, under);
  }

  async beginNewLogs({ at, feedId }: Parameters<InspectedStore['beginNewLogs']>[0]): Promise<readonly NewLog[]> {
    return this.#engine.write(beginNewLogs, at, feedId);
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

  async close(): Promise<void> {
    await this.#walks.close();
    this.#connection.close();
  }

  /** Not done twice under its lease. A dry run takes no lock, and works on a store that can only be read. */
  async #batch<T>(feedId: string, options: WriteOptions, result: leases.KeptResult<T>, work: () => T): Promise<T> {
    if (options.dryRun === true) return this.#connection.read(work);
    return this.#connection.write(() => {
      const kept = this.#engine.within(leases.beginBatch, feedId, options);
      if (kept !== null) return result.read(kept);
      const done = work();
      this.#engine.within(leases.endWrite, options, result.keep(done));
      return done;
    });
  }
}
