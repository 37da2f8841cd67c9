// The store for more than one machine: a PostgreSQL schema, accessed through a `pg` pool that the caller creates and
// ends.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Order } from '../../register/sources/order.ts';
import type { RecordVersion, RegisterDefinition } from '../../register/record.ts';
import type { RegisterSource } from '../../register/sources/source.ts';
import type { DeliveryStore } from '../contract/deliveries.ts';
import { PostgresConnection, type PostgresOptions, type PostgresPool, type RunQuery } from './connection.ts';
import { findIndexDamage } from './damage.ts';
import { PostgresDeliveries } from './deliveries.ts';
import { PostgresEngine, type RunRule } from './engine.ts';
import { PostgresLimitCounter } from './limits/counter.ts';
import { PostgresKeys } from './keys.ts';
import { postgresPurge } from './purge.ts';
import { postgresMigrations } from './migrations.ts';
import { REGISTER_ROWS } from '../logic/removal.ts';
import { PostgresReads } from './reads.ts';
import { ValueWrites } from './value-counts.ts';
import { PostgresWrites } from './writes.ts';
import { accountsOn } from '../logic/account-store.ts';
import { configurationOn } from '../logic/nodes/configuration.ts';
import { idempotencyOn } from '../logic/idempotency.ts';
import type { LimitCounter } from '../contract/nodes/counter.ts';
import type { LeaseStore, UnderLease } from '../contract/leases.ts';
import type { InspectedStore, NewLog, StoreInspection } from '../contract/inspection.ts';
import { importsOn } from '../logic/imports.ts';
import type { PurgeStore, RedactOptions } from '../contract/purges.ts';
import { inspectionOn } from '../logic/inspect/inspection.ts';
import type { FindingStore } from '../contract/finding.ts';
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
import { prepareBatch } from '../rows/prepare.ts';
import type { Batch } from '../contract/prepared-record.ts';
import * as heads from '../rows/register.ts';
import { sourceOf } from '../rows/register-source.ts';
import type { AccountStore, ServiceStore } from '../contract/accounts.ts';
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
import type { KnowledgeFigures, ReplicaFigures } from '../contract/nodes/figures.ts';

/**
 * A store ({@link InspectedStore}) in a PostgreSQL database (14 or later). Any number of processes may write to it: those of one
 * register wait for each other, so that no position ever appears below one that was already read.
 *
 * @example
 * import pg from 'pg';
 * const pool = new pg.Pool({ connectionString: 'postgres://localhost/registers' });
 * const store = await PostgresStore.open(pool);
 */
export class PostgresStore implements InspectedStore {
  /** Accounts and their keys. */
  readonly accounts: AccountStore;
  readonly deliveries: DeliveryStore;
  readonly idempotency: ServiceStore['idempotency'];
  readonly configuration: InspectedStore['configuration'];
  readonly catalogue: InspectedStore['catalogue'];
  readonly leases: LeaseStore;
  readonly ledger: InspectedStore['ledger'];
  readonly signIns: ServiceStore['signIns'];
  readonly imports: InspectedStore['imports'];
  readonly logs: InspectedStore['logs'];
  readonly purges: PurgeStore;
  readonly #purge: PurgeHooks;
  readonly inspection: StoreInspection;
  readonly recovery: LogRecovery;
  readonly values: InspectedStore['values'];
  readonly finding: FindingStore;
  readonly limitCounter: LimitCounter;
  readonly #connection: PostgresConnection;
  readonly #engine: PostgresEngine;
  readonly #reads: PostgresReads;

  private constructor(connection: PostgresConnection, replica: PostgresPool | undefined) {
    this.#connection = connection;
    this.#reads = new PostgresReads(connection, replica === undefined ? null : connection.over(replica));
    this.#engine = new PostgresEngine(connection);
    this.catalogue = catalogueOn(this.#engine);
    this.limitCounter = new PostgresLimitCounter(connection);
    this.leases = leases.leasesOn(this.#engine, null);
    this.ledger = ledgerOn(this.#engine);
    this.signIns = signInsOn(this.#engine);
    this.imports = importsOn(this.#engine);
    this.logs = logsOn(this.#engine, { isOpen: () => connection.isOpen });
    this.#purge = postgresPurge(connection);
    this.purges = purgesOn(this.#engine, this.#purge);
    this.recovery = recoveryOn(this.#engine, this.#purge.parts);
    this.inspection = inspectionOn(this.#engine, { damage: () => findIndexDamage(connection) });
    this.values = valuesOn(this.#engine);
    this.finding = findingOn(this.#engine, {
      isOpen: () => connection.isOpen,
      buildCounts: (feedId, limit) =>
        this.#write(async (writes, query) =>
          new ValueWrites(query, connection.prefix).build(await writes.lock(feedId), limit),
        ),
    });
    const [keys, hooks] = [new PostgresKeys(connection), new PostgresDeliveries(connection, this.#engine)];
    this.accounts = accountsOn(this.#engine, keys);
    this.deliveries = deliveriesOn(this.#engine, hooks, null);
    this.configuration = configurationOn(this.#engine);
    this.idempotency = idempotencyOn(this.#engine, (engine) => {
      return { accounts: accountsOn(engine, keys), deliveries: deliveriesOn(engine, hooks, null) };
    });
  }

  /**
   * Opens the store in a schema of the pool's database and updates its tables to the current version.
   *
   * @throws GazetteError `invalid_option` for a malformed schema name, `schema_too_new`, `invalid_store`, `store_busy`.
   */
  static async open(pool: PostgresPool, options: PostgresOptions = {}): Promise<PostgresStore> {
    return new PostgresStore(await PostgresConnection.open(pool, options, postgresMigrations), options.replica);
  }

  async createRegister(
    definition: RegisterDefinition,
    options: { readonly order?: Order } = {},
  ): Promise<RegisterEntry> {
    const identified = heads.identified(definition);
    for (;;) {
      const made = await this.#engine.write(createRegister, identified, options.order ?? null, randomUUID());
      // Null: the register existed a moment ago and has just been removed.
      if (made !== null) return heads.entryOf(made);
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
    await this.#write(async (writes, query, run) => {
      await run(leases.beginBatch, feedId, under);
      const { number } = await writes.lock(feedId);
      const { prefix } = this.#connection;
      await query(heads.rememberRemoval(prefix, 'number = $1'), [number]);
      for (const { table, column, from } of REGISTER_ROWS) {
        const text = `DELETE FROM ${prefix}${table} WHERE ${column} >= $1 AND ${column} < $2`;
        await query(text, [from(number), from(number + 1)]);
      }
      await query(`DELETE FROM ${prefix}registers WHERE number = $1`, [number]);
    });
  }

  /** None: a removal is one transaction. */
  completeRemovals(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  async registers(): Promise<readonly RegisterEntry[]> {
    return this.#reads.entries();
  }

  async register(feedId: string): Promise<RegisterEntry | null> {
    const head = await this.#reads.findHead(feedId);
    return head === null ? null : heads.entryOf(head);
  }

  async source(feedId: string, options: SourceOptions = {}): Promise<RegisterSource> {
    const head = await this.#reads.head(feedId);
    const definition = heads.definitionFor(head, options);
    return sourceOf(definition, {
      head: () => this.#reads.headByNumber(feedId, head.number),
      page: (query) => this.#reads.page(definition, head.number, query),
      pagesAhead: (query) => this.#reads.pagesAhead(definition, head.number, query),
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
    return this.#batch(feedId, options, leases.BATCH_RESULT, (writes) => writes.apply(feedId, prepared, options));
  }

  async withdraw(feedId: string, ids: readonly string[], options: WriteOptions): Promise<WithdrawResult> {
    heads.checkRecordedAt(options.recordedAt);
    return this.#batch(feedId, options, leases.WITHDRAW_RESULT, (writes) => writes.withdraw(feedId, ids, options));
  }

  /**
   * As {@link InspectedStore.redact}. PostgreSQL keeps deleted rows in its data files until a purge, and in its write-ahead
   * log and backups for as long as they are kept. The operator of the database must erase those.
   */
  async redact(recordId: string, { purge = false, ...options }: RedactOptions): Promise<boolean> {
    heads.checkRecordedAt(options.recordedAt);
    const redaction = { ...options, salt: randomBytes(32), parts: purge ? this.#purge.parts : [] };
    const isNew = await this.#engine.write(redactRecord, recordId, redaction);
    if (purge) await this.purges.run({ waitMs: this.#connection.lockTimeoutMs });
    return isNew;
  }

  async lift(recordId: string, under: UnderLease = {}): Promise<boolean> {
    return this.#engine.write(liftRedaction, recordId, under);
  }

  async beginNewLogs({ at, feedId }: Parameters<InspectedStore['beginNewLogs']>[0]): Promise<readonly NewLog[]> {
    return this.#engine.write(beginNewLogs, at, feedId);
  }

  /** Undefined unless the store was opened with `answersFromMemory`. */
  stamp(): number | undefined {
    return this.#connection.knowledge?.stamp();
  }

  isUnchanged(feedId: string, since: number): boolean {
    return this.#connection.knowledge?.isUnchanged(feedId, since) ?? false;
  }

  /** Undefined unless the store was opened with `answersFromMemory`. */
  knowledge(): KnowledgeFigures | undefined {
    return this.#connection.knowledge?.figures();
  }

  /** Undefined unless the store was opened with a replica. */
  replica(): ReplicaFigures | undefined {
    return this.#reads.replica?.figures();
  }

  /** Null unless the store was opened with a replica. */
  async replicaLag(): Promise<number | null> {
    return (await this.#reads.replica?.lag()) ?? null;
  }

  async close(): Promise<void> {
    // The store itself opened nothing: the caller ends the pool.
  }

  /** A write of many records, which is not done twice under its lease. */
  async #batch<T>(
    feedId: string,
    under: UnderLease,
    result: leases.KeptResult<T>,
    work: (writes: PostgresWrites) => Promise<T>,
  ): Promise<T> {
    return this.#write(async (writes, _, run) => {
      const kept = await run(leases.beginBatch, feedId, under);
      if (kept !== null) return result.read(kept);
      const done = await work(writes);
      await run(leases.endWrite, under, result.keep(done));
      return done;
    });
  }

  async #write<T>(work: (writes: PostgresWrites, query: RunQuery, run: RunRule) => Promise<T>): Promise<T> {
    return this.#connection.transaction((query, client) => {
      const run: RunRule = (rule, ...given) => this.#engine.within(client, rule, ...given);
      return work(new PostgresWrites(query, this.#connection.prefix, run), query, run);
    });
  }
}
