// A store in memory: for tests, and for registers that live as long as their process. It scans where the stores on disk
// have indexes.
import type { Order } from '../register/order.ts';
import type { RecordVersion, RegisterDefinition } from '../register/record.ts';
import type { RegisterSource } from '../register/source.ts';
import type { DeliveryStore } from './contract/deliveries.ts';
import { MemoryAccounts } from './memory-accounts.ts';
import { MemoryDeliveries } from './memory-deliveries.ts';
import { MemoryRegister } from './memory-register.ts';
import type { Batch } from './contract/prepared-record.ts';
import * as heads from './rows/register.ts';
import type { AccountStore, ServiceStore } from './contract/accounts.ts';
import type {
  ApplyOptions,
  BatchResult,
  ChangesPage,
  RegisterEntry,
  StoredRecord,
  WithdrawResult,
  WriteOptions,
} from './contract/registers.ts';

/**
 * A {@link ServiceStore} in memory; its registers are lost with it.
 *
 * @example
 * const store = new MemoryStore();
 * await store.createRegister(definition);
 * await store.apply('permits', statements, { recordedAt: new Date().toISOString() });
 * const page = await (await store.source('permits')).page({ offset: 0, limit: 100 });
 */
export class MemoryStore implements ServiceStore {
  readonly #registers = new Map<string, MemoryRegister>();
  readonly #accounts = new MemoryAccounts();
  readonly #deliveries = new MemoryDeliveries({
    registers: this.#registers,
    account: (accountId) => this.#accounts.get(accountId),
  });
  #numbers = 0;

  get accounts(): AccountStore {
    return this.#accounts;
  }

  get deliveries(): DeliveryStore {
    return this.#deliveries;
  }

  async createRegister(
    definition: RegisterDefinition,
    options: { readonly order?: Order } = {},
  ): Promise<RegisterEntry> {
    const { id } = definition;
    if (this.#registers.has(id)) throw heads.registerExists(id);
    const register = new MemoryRegister(id, heads.newHead(++this.#numbers, definition, options.order ?? null));
    this.#registers.set(id, register);
    return heads.entryOf(register.head);
  }

  async updateRegister(
    definition: RegisterDefinition,
    { recordedAt }: { readonly recordedAt: string },
  ): Promise<RegisterEntry> {
    heads.checkRecordedAt(recordedAt);
    const register = this.#get(definition.id);
    const text = heads.definitionText(definition);
    if (text !== register.head.definition) {
      register.set({ definition: text, lastChange: heads.laterOf(register.head.lastChange, recordedAt) });
    }
    return heads.entryOf(register.head);
  }

  async setOrder(feedId: string, order: Order): Promise<void> {
    this.#get(feedId).set({ order });
  }

  async removeRegister(feedId: string): Promise<void> {
    this.#get(feedId);
    this.#registers.delete(feedId);
  }

  async registers(): Promise<readonly RegisterEntry[]> {
    const byId = [...this.#registers].sort(([a], [b]) => (a < b ? -1 : 1));
    return byId.map(([, register]) => heads.entryOf(register.head));
  }

  async register(feedId: string): Promise<RegisterEntry | null> {
    const register = this.#registers.get(feedId);
    return register === undefined ? null : heads.entryOf(register.head);
  }

  async source(feedId: string): Promise<RegisterSource> {
    const register = this.#get(feedId);
    return heads.sourceOf(heads.definitionOf(register.head), {
      head: () => this.#same(feedId, register).head,
      page: (query) => this.#same(feedId, register).page(query),
    });
  }

  async record(recordId: string): Promise<StoredRecord | null> {
    return this.#registers.get(heads.feedIdOf(recordId))?.record(recordId) ?? null;
  }

  async history(
    recordId: string,
    options: { readonly offset: number; readonly limit: number },
  ): Promise<readonly RecordVersion[] | null> {
    heads.checkHistoryRange(options);
    const register = this.#registers.get(heads.feedIdOf(recordId));
    return register?.history(recordId, options.offset, options.limit) ?? null;
  }

  async changes(feedId: string, options: { readonly since: number; readonly limit: number }): Promise<ChangesPage> {
    const register = this.#get(feedId);
    heads.checkChangesRange(options, register.head.change);
    return register.changes(options.since, options.limit);
  }

  async ids(
    feedId: string,
    options: { readonly below?: number; readonly limit: number },
  ): Promise<readonly { readonly id: string; readonly position: number }[]> {
    return this.#get(feedId).ids(heads.checkIdsRange(options), options.limit);
  }

  async apply(feedId: string, batch: Batch, options: ApplyOptions): Promise<BatchResult> {
    return this.#get(feedId).apply(batch, options);
  }

  async withdraw(feedId: string, ids: readonly string[], options: WriteOptions): Promise<WithdrawResult> {
    return this.#get(feedId).withdraw(ids, options);
  }

  async redact(recordId: string, { recordedAt }: { readonly recordedAt: string }): Promise<boolean> {
    const register = this.#registers.get(heads.feedIdOf(recordId));
    if (register === undefined) throw heads.unknownRecord(recordId);
    return register.redact(recordId, recordedAt);
  }

  async close(): Promise<void> {
    this.#registers.clear();
    this.#accounts.clear();
    this.#deliveries.clear();
  }

  #get(feedId: string): MemoryRegister {
    const register = this.#registers.get(feedId);
    if (register === undefined) throw heads.unknownFeed(feedId);
    return register;
  }

  /** The register a source was made of, unless it was removed since. */
  #same(feedId: string, register: MemoryRegister): MemoryRegister {
    if (this.#registers.get(feedId) !== register) throw heads.unknownFeed(feedId);
    return register;
  }
}
