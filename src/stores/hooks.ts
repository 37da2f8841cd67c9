// What each database does in its own way: its hooks.
import type { Page, PageQuery } from '../register/page.ts';
import type { RecordVersion } from '../register/record.ts';
import type { InspectedStore, StoreInspection } from './contract/inspection.ts';
import type { UnderLease } from './contract/leases.ts';
import type { CompareOptions, PreparedRecord, RecordComparison } from './contract/prepared-record.ts';
import type {
  ApplyOptions,
  BatchResult,
  ChangesPage,
  ChangesRange,
  HistoryRange,
  RegisterEntry,
  StoredRecord,
  WithdrawResult,
  WriteOptions,
} from './contract/registers.ts';
import type { AccountHooks } from './logic/account-store.ts';
import type { CountHooks } from './logic/finding/term-postings.ts';
import type { PurgeHooks } from './logic/purges.ts';
import type { Engine, Rule, Sql } from './logic/rule.ts';
import type { DeliveryHooks } from './logic/webhooks/delivery-store.ts';
import type { ShownAs } from './rows/columns.ts';
import type * as heads from './rows/register.ts';
import type { SourceReader } from './rows/register-source.ts';

/** What a database answers at once, or not: a page that is not waited for costs no microtask. */
type Answered<T> = T | Promise<T>;

/** The reads of a database, in as few statements as it can. */
export interface StoreReads {
  entries(): Answered<readonly RegisterEntry[]>;
  findHead(feedId: string): Answered<heads.RegisterRow | null>;
  /** @throws GazetteError `unknown_feed` */
  head(feedId: string): Answered<heads.RegisterRow>;
  /** @throws GazetteError `unknown_feed` after the register was removed, even if another register has its id now */
  headByNumber(feedId: string, number: number): Answered<heads.RegisterRow>;
  page(shown: ShownAs, number: number, query: PageQuery): Answered<Page>;
  count(shown: ShownAs, number: number, ...asked: Parameters<SourceReader['count']>): ReturnType<SourceReader['count']>;
  pagesAhead(shown: ShownAs, number: number, query: PageQuery): AsyncIterable<readonly Page[]>;
  rowsAhead?(shown: ShownAs, number: number, query: PageQuery): ReturnType<NonNullable<SourceReader['rowsAhead']>>;
  /** @param shown how to show it; default: as the definition of its register does */
  record(recordId: string, shown?: ShownAs): Answered<StoredRecord | null>;
  history(recordId: string, range: HistoryRange): Answered<readonly RecordVersion[] | null>;
  changes(feedId: string, options: ChangesRange): Answered<ChangesPage>;
  /** @param below a position, as in {@link RegisterStore.ids} */
  ids(feedId: string, below: number, limit: number): Answered<Awaited<ReturnType<InspectedStore['ids']>>>;
}

/** The writes of a database of which many rows are a part: rules of its own statements. */
export interface StoreWrites extends CountHooks {
  apply(sql: Sql, feedId: string, batch: readonly PreparedRecord[], options: ApplyOptions): Rule<BatchResult>;
  /** Only reads. */
  compare(
    sql: Sql,
    feedId: string,
    batch: readonly PreparedRecord[],
    options: CompareOptions,
  ): Rule<readonly RecordComparison[]>;
  withdraw(sql: Sql, feedId: string, ids: readonly string[], options: WriteOptions): Rule<WithdrawResult>;
}

/** How a database removes a register. */
export interface RemovalHooks {
  /** Removes it from the sight of all readers. */
  remove(sql: Sql, feedId: string, under: UnderLease): Rule<void>;
  /** Removes what {@link remove} has left of a register, if it has left anything. */
  complete(feedId: string): Promise<void>;
  /** The same for all registers. @returns their ids. @throws GazetteError `aborted` */
  completeAll(signal?: AbortSignal): Promise<readonly string[]>;
}

/** What a database does in its own way. */
export interface StoreHooks {
  readonly engine: Engine;
  readonly reads: StoreReads;
  readonly writes: StoreWrites;
  /** Runs a rule of the database's own statements that only reads, on one state of the database. */
  readonly read: <T>(rule: (sql: Sql) => Rule<T>) => Promise<T>;
  readonly removal: RemovalHooks;
  readonly keys: AccountHooks;
  readonly deliveries: DeliveryHooks;
  readonly purge: PurgeHooks;
  /** Whether every erasure purges, asked to or not. */
  readonly alwaysPurges: boolean;
  /** How long a write waits for others, in milliseconds. */
  readonly waitMs: number;
  readonly damage: StoreInspection['damage'];
  /** As in {@link LeaseStore.marks}. */
  readonly marks: string | null;
  readonly isOpen: () => boolean;
  readonly close: () => Promise<void>;
}
