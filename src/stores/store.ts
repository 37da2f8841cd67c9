// The store, the same on either database: the parts of a service's store (contract/), made of rules (logic/) and of what each
// database does in its own way (hooks.ts).
import { randomBytes, randomUUID } from 'node:crypto';
import { momentOf } from '../register/query.ts';
import type { RecordVersion, RegisterDefinition } from '../register/record.ts';
import type { Order } from '../register/sources/order.ts';
import type { RegisterSource } from '../register/sources/source.ts';
import type { StorePart } from './contract/accounts.ts';
import type { InspectedStore, NewLog } from './contract/inspection.ts';
import type { StoreHooks, StoreReads } from './hooks.ts';
import type { UnderLease } from './contract/leases.ts';
import type { Batch, CompareOptions, RecordComparison } from './contract/prepared-record.ts';
import type { RedactOptions } from './contract/purges.ts';
import type { ApplyOptions, BatchResult, ChangesRange, ChangesPage, HistoryRange, RegisterEntry, SourceOptions,
  StoredRecord, WithdrawResult, WriteOptions } from './contract/registers.ts'; // prettier-ignore
import { accountsOn } from './logic/account-store.ts';
import { editorsOn } from './logic/desk/editors.ts';
import { findingOn } from './logic/finding/term-postings.ts';
import { idempotencyOn } from './logic/idempotency.ts';
import { settleByHand } from './logic/imports/by-hand.ts';
import { importsOn } from './logic/imports/log.ts';
import { inspectionOn } from './logic/inspect/inspection.ts';
import * as leases from './logic/leases.ts';
import { configurationOn } from './logic/nodes/configuration.ts';
import { mirrorsOn } from './logic/mirrors/mirrors.ts';
import { pagesThen, versionAt } from './logic/finding/moments.ts';
import { missingPlugin } from './logic/plugins/joined.ts';
import type { StorePlugin } from './logic/plugins/plugin.ts';
import { purgesOn } from './logic/purges.ts';
import { recordKeysOn } from './logic/record-keys.ts';
import { liftRedaction, redactRecord } from './logic/redaction.ts';
import { beginNewLogs, catalogueOn, createRegister, updateRegister } from './logic/registers.ts';
import type { Engine, Rule, Sql } from './logic/rule.ts';
import { signInsOn } from './logic/sign-in.ts';
import { valuesOn } from './logic/values.ts';
import { deliveriesOn } from './logic/webhooks/delivery-store.ts';
import { prepareBatch } from './rows/prepare.ts';
import * as heads from './rows/register.ts';
import { sourceOf } from './rows/register-source.ts';

/** A store over the hooks of its database. */
export class Store implements InspectedStore {
  /** @internal */
  readonly accounts: InspectedStore['accounts'];
  /** @internal */
  readonly deliveries: InspectedStore['deliveries'];
  /** @internal */
  readonly idempotency: InspectedStore['idempotency'];
  /** @internal */
  readonly configuration: InspectedStore['configuration'];
  readonly catalogue: InspectedStore['catalogue'];
  readonly leases: InspectedStore['leases'];
  /** @internal */
  readonly editors: InspectedStore['editors'];
  /** @internal */
  readonly signIns: InspectedStore['signIns'];
  readonly imports: InspectedStore['imports'];
  readonly purges: InspectedStore['purges'];
  /** @internal */
  readonly inspection: InspectedStore['inspection'];
  /** @internal */
  readonly values: InspectedStore['values'];
  readonly recordKeys: InspectedStore['recordKeys'];
  /** @internal */
  readonly finding: InspectedStore['finding'];
  /** @internal */
  readonly mirrors: InspectedStore['mirrors'];
  readonly #parts: ReadonlyMap<StorePart<unknown>, unknown>;
  readonly #hooks: StoreHooks;
  readonly #engine: Engine;
  readonly #reads: StoreReads;

  protected constructor(hooks: StoreHooks, plugins: readonly StorePlugin[]) {
    const { engine, isOpen, marks } = hooks;
    this.#hooks = hooks;
    this.#engine = engine;
    this.#reads = hooks.reads;
    const changedOn = (engine: Engine): Pick<InspectedStore, 'accounts' | 'deliveries'> => ({
      accounts: accountsOn(engine, hooks.keys, isOpen),
      deliveries: deliveriesOn(engine, hooks.deliveries, marks),
    });
    ({ accounts: this.accounts, deliveries: this.deliveries } = changedOn(engine));
    this.idempotency = idempotencyOn(engine, changedOn);
    this.configuration = configurationOn(engine);
    this.catalogue = catalogueOn(engine);
    this.leases = leases.leasesOn(engine, marks);
    this.editors = editorsOn(engine);
    this.signIns = signInsOn(engine);
    this.imports = importsOn(engine);
    this.purges = purgesOn(engine, hooks.purge);
    this.inspection = inspectionOn(engine, hooks.damage, plugins);
    const opened = { engine, parts: hooks.purge.parts, isOpen };
    this.#parts = new Map(plugins.map((plugin) => [plugin, plugin.open(opened)]));
    this.values = valuesOn(engine);
    this.recordKeys = recordKeysOn(engine);
    this.finding = findingOn(engine, hooks.writes, isOpen);
    this.mirrors = mirrorsOn(engine, {
      parts: hooks.purge.parts,
      random: () => randomBytes(32),
      purge: async () => {
        await this.purges.run({ waitMs: hooks.waitMs });
      },
      completeRemoval: async (feedId) => hooks.removal.complete(feedId),
    });
  }

  /** @internal */
  part<Own>(plugin: StorePart<Own>): Own {
    if (!this.#parts.has(plugin)) throw missingPlugin(plugin.name);
    return this.#parts.get(plugin) as Own;
  }

  async createRegister(
    definition: RegisterDefinition,
    options: { readonly order?: Order } = {},
  ): Promise<RegisterEntry> {
    const named = heads.identified(definition);
    for (;;) {
      const row = await this.#engine.write(createRegister, named, options.order ?? null, randomUUID(), randomBytes(32));
      if (row !== null) return heads.entryOf(row);
      // The register was removed a moment ago, or its removal was interrupted, or is running in another process.
      await this.#hooks.removal.complete(definition.id);
    }
  }

  async updateRegister(definition: RegisterDefinition, options: WriteOptions): Promise<RegisterEntry> {
    heads.checkRecordedAt(options.recordedAt);
    return heads.entryOf(await this.#engine.write(updateRegister, definition, options));
  }

  async removeRegister(feedId: string, under: UnderLease = {}): Promise<void> {
    const { removal } = this.#hooks;
    await this.#engine.write(function removeRegister(sql) {
      return removal.remove(sql, feedId, under);
    });
    await removal.complete(feedId);
  }

  async completeRemovals({ signal }: { readonly signal?: AbortSignal } = {}): Promise<readonly string[]> {
    return this.#hooks.removal.completeAll(signal);
  }

  async registers(): Promise<readonly RegisterEntry[]> {
    return this.#reads.entries();
  }

  async register(feedId: string): Promise<RegisterEntry | null> {
    const head = await this.#reads.findHead(feedId);
    return head === null ? null : heads.entryOf(head);
  }

  async source(feedId: string, options: SourceOptions = {}): Promise<RegisterSource> {
    const reads = this.#reads;
    const head = await reads.head(feedId);
    const { number } = head;
    const definition = heads.definitionFor(head, options);
    return sourceOf(definition, {
      head: () => reads.headByNumber(feedId, number),
      page: (query) => reads.page(definition, number, query),
      pagesThen: (query) => pagesThen(this.#engine, definition, number, query),
      count: (filter, query) => reads.count(definition, number, filter, query),
      pagesAhead: (query) => reads.pagesAhead(definition, number, query),
      ...(reads.rowsAhead && { rowsAhead: (query) => reads.rowsAhead!(definition, number, query) }),
      record: (id) => reads.record(id, definition),
      idsOf: async (names) => (await this.recordKeys.find(feedId, names)).map(({ id }) => id),
      facets: (names) => this.values.facets(definition, names),
    });
  }

  async record(recordId: string): Promise<StoredRecord | null> {
    return this.#reads.record(recordId);
  }

  async versionAt(recordId: string, at: string): Promise<RecordVersion | null> {
    return versionAt(this.#engine, recordId, momentOf(at));
  }

  async history(recordId: string, options: HistoryRange): Promise<readonly RecordVersion[] | null> {
    heads.checkHistoryRange(options);
    return this.#reads.history(recordId, options);
  }

  async changes(feedId: string, options: ChangesRange): Promise<ChangesPage> {
    return this.#reads.changes(feedId, options);
  }

  async ids(...[feedId, options]: Parameters<InspectedStore['ids']>): ReturnType<InspectedStore['ids']> {
    return this.#reads.ids(feedId, heads.checkIdsRange(options), options.limit);
  }

  async apply(feedId: string, batch: Batch, options: ApplyOptions): Promise<BatchResult> {
    heads.checkApplied(options);
    // Before the lock is taken, so that others do not wait for it.
    const prepared = prepareBatch(feedId, batch);
    const { writes } = this.#hooks;
    return this.#batch(feedId, options, leases.BATCH_RESULT, (sql) => writes.apply(sql, feedId, prepared, options));
  }

  async compare(feedId: string, batch: Batch, options: CompareOptions = {}): Promise<readonly RecordComparison[]> {
    const prepared = prepareBatch(feedId, batch);
    const { read, writes } = this.#hooks;
    return read(function* compare(sql) {
      const comparisons = yield* writes.compare(sql, feedId, prepared, options);
      return yield* settleByHand(sql, feedId, prepared, comparisons);
    });
  }

  async withdraw(feedId: string, ids: readonly string[], options: WriteOptions): Promise<WithdrawResult> {
    heads.checkRecordedAt(options.recordedAt);
    const { writes } = this.#hooks;
    return this.#batch(feedId, options, leases.WITHDRAW_RESULT, (sql) => writes.withdraw(sql, feedId, ids, options));
  }

  async redact(recordId: string, options: RedactOptions): Promise<boolean> {
    heads.checkRecordedAt(options.recordedAt);
    const { purge, alwaysPurges, waitMs } = this.#hooks;
    const isPurged = alwaysPurges || options.purge === true;
    const redaction = { ...options, salt: randomBytes(32), parts: isPurged ? purge.parts : [] };
    const isNew = await this.#engine.write(redactRecord, recordId, redaction);
    if (isPurged) await this.purges.run({ waitMs });
    return isNew;
  }

  async lift(recordId: string, under: UnderLease = {}): Promise<boolean> {
    return this.#engine.write(liftRedaction, recordId, under);
  }

  /** @internal */
  async beginNewLogs({ at, feedId }: Parameters<InspectedStore['beginNewLogs']>[0]): Promise<readonly NewLog[]> {
    return this.#engine.write(beginNewLogs, at, feedId);
  }

  async close(): Promise<void> {
    return this.#hooks.close();
  }

  /** A write of many records. */
  async #batch<T>(
    feedId: string,
    options: WriteOptions,
    result: leases.KeptResult<T>,
    work: (sql: Sql) => Rule<T>,
  ): Promise<T> {
    return this.#engine.write(leases.writeOnce<T>, feedId, options, result, work);
  }
}
