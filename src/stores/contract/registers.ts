// The interface of a store of registers: an append-only log of versions, one permanent position per record, and pages
// read downwards from any position. SqliteStore and PostgresStore implement it, and one contract suite tests both.
// accounts.ts and deliveries.ts define what a service stores besides registers.
import type { Filter } from '../../register/finding/filter.ts';
import type { Order } from '../../register/sources/order.ts';
import type { Field, RegisterDefinition, RegisterRecord, RecordVersion } from '../../register/record.ts';
import type { RegisterSource } from '../../register/sources/source.ts';
import type { CatalogueStore, RegisterEntry } from './catalogue.ts';
import type { ImportLog, NewImport } from './imports/log.ts';
import type { LiveId, RecordKeys } from './record-keys.ts';
import type { LeaseStore, UnderLease } from './leases.ts';
import type { KnowledgeFigures, ReplicaFigures } from './nodes/figures.ts';
import type { Batch, CompareOptions, RecordComparison } from './prepared-record.ts';
import type { PurgeStore, RedactOptions } from './purges.ts';
import type { ValueStore } from './values.ts';

/** The maximum number of versions in one result of {@link RegisterStore.history} or {@link RegisterStore.changes}. */
export const VERSIONS_PAGE_SIZE = 100;

/** The maximum number of ids in one result of {@link RegisterStore.ids}. */
export const IDS_PAGE_SIZE = 10_000;

export type { RegisterEntry } from './catalogue.ts';

/**
 * How many records an importer should hand to {@link RegisterStore.apply} at once. On SQLite that is less than a tenth
 * of a second during which other writers, and the caller's own event loop, wait; a process that also serves should use
 * a tenth of this number. Larger batches write less: each batch is one transaction with one synchronisation of the
 * disk, and a page of an index that many of its records touch is written once.
 */
export const BATCH_SIZE = 2000;

/** The current state of one record, live or not. */
export interface StoredRecord {
  /** Its id. */
  readonly id: string;
  /** The register it belongs to. */
  readonly feedId: string;
  /** Its place in the register, from 1. */
  readonly position: number;
  /** The number of the latest version. */
  readonly version: number;
  /** `redacted` is a withdrawn record whose content was permanently erased. */
  readonly state: 'live' | 'withdrawn' | 'redacted';
  /** The record; for a withdrawn one, its last content; null when it was erased. */
  readonly record: RegisterRecord | null;
}

/** Options of {@link RegisterStore.changes}. */
export interface ChangesRange {
  /** The change number to begin after; 0 begins at the first change. */
  readonly since: number;
  /**
   * The name of the log that `since` is a number of, from {@link ChangesPage.log}: the first 8 hexadecimal digits of the
   * log's UUID. A register that is removed and created again has another log. Absent: a number from a caller who does not
   * know; refused, but for 0, as soon as a register with this id was removed.
   */
  readonly log?: string;
  /** The maximum number of versions, 1 to 100. */
  readonly limit: number;
  /** Whether each version carries its statement. Default false. */
  readonly withStatement?: boolean;
  /** Only versions of records that match before or after them. An answer may have none although later ones match. */
  readonly filter?: Filter;
}

/** Options of {@link RegisterStore.history}. */
export interface HistoryRange extends Pick<ChangesRange, 'limit' | 'withStatement'> {
  /** How many of the newest versions to pass over. */
  readonly offset: number;
}

/** Some versions in the requested order. */
export interface ChangesPage {
  /** In the order they were recorded. */
  readonly versions: readonly RecordVersion[];
  /** The name of the log that the change numbers belong to. */
  readonly log: string;
  /** The UUID of that log. */
  readonly logUuid: string;
  /** The change number to continue from: that of the last version examined, or the requested one when there is none. */
  readonly nextSince: number;
  /** Whether more versions exist beyond this page. */
  readonly more: boolean;
}

/** Options of {@link RegisterStore.source}. */
export interface SourceOptions {
  /** Shows these fields instead of the definition's: a field of type `json` shows the value as the publisher gave it. */
  readonly fields?: readonly Field[];
}

/** Options of every write. */
export interface WriteOptions extends UnderLease {
  /**
   * The time under which the versions are recorded: an RFC 3339 date-time, from the caller's clock. If the register's last
   * change is later, the versions are recorded under that time: the times of a register never run backwards.
   */
  readonly recordedAt: string;
  /** The number of the import that writes. Default: none does. */
  readonly import?: number;
}

/** Options for applying a batch of records. */
export interface ApplyOptions extends WriteOptions, Pick<CompareOptions, 'ignored'> {
  /** The cause recorded for changed records. Default `source_change`. `renumbered`: they get the keys of the batch, and keep all else. */
  readonly cause?: NewImport['cause'];
}

/** The result of a batch; the counts add up to its number of records. */
export interface BatchResult {
  /** Records that are new. */
  readonly added: number;
  /** Records that got a new version. */
  readonly changed: number;
  /** Records that did not change. */
  readonly unchanged: number;
  /** Records that were withdrawn and are live again; their content may have changed too. */
  readonly restored: number;
  /** Records that were skipped, because their content was permanently erased. */
  readonly redacted: number;
}

/** The result of a list of ids; the counts add up to its length. */
export interface WithdrawResult {
  /** How many records were withdrawn. */
  readonly withdrawn: number;
  /** How many were already withdrawn. */
  readonly unchanged: number;
}

/**
 * A store of registers. Every method may reject with `unknown_feed` where it names a register, `store_busy` when
 * another process holds the store locked for too long, `invalid_option` for a malformed option.
 *
 * An importer that checked and staged its file calls, oldest record first:
 *
 *     for (const batch of batches) await store.apply(feedId, batch, { recordedAt, cause });
 *
 * Each batch is one transaction: if the process is killed, complete batches remain, and repeating the same calls
 * completes the work and changes nothing else. To withdraw what a file lacks, the importer first walks `ids()` in constant
 * memory, looks each id up in its own staging area, and last passes the missing ones to `withdraw()`.
 * Webhooks need nothing but `changes()`: one event per version, in order, which only {@link redact} changes again.
 *
 * A write that names a lease ({@link UnderLease.lease}) rejects with `import_superseded`, and changes nothing, when
 * the lease is no longer the register's.
 */
export interface RegisterStore {
  /** The registers in pages, and one after the other. */
  readonly catalogue: CatalogueStore;
  /** Who works on which register. */
  readonly leases: LeaseStore;
  /** Who took in what, and when. */
  readonly imports: ImportLog;
  /** What the store's files still keep of erased content. */
  readonly purges: PurgeStore;
  /** The values and ids that there are, for those who asked for others. */
  readonly values: ValueStore;
  /** Which record has a key. @internal */
  readonly recordKeys: RecordKeys;

  /**
   * A number that changes with every commit to the store, by any process. While it stays the same, everything that was
   * read after asking for it is still current. Only for stores that return it for less than a look-up. One that cannot know
   * of commits at once may return what was right within the last second; undefined: it does not know now.
   */
  stamp?(): number | undefined;

  /**
   * Whether nothing of a register has changed since an earlier stamp, as far as is known under the present one: what was
   * read of it under the earlier one is then still current, its removal and its definition included. Absent: only an equal
   * stamp says so.
   */
  isUnchanged?(feedId: string, since: number): boolean;

  /** What an operator is told of {@link stamp}. Absent or undefined: it asks nobody. @internal */
  knowledge?(): KnowledgeFigures | undefined;

  /** What an operator is told of the replica that this store reads from. Absent or undefined: it has none. @internal */
  replica?(): ReplicaFigures | undefined;

  /**
   * How far this replica is behind, in seconds: how soon it had all that the primary had when it was asked; where that takes more
   * than a second, since the last commit that it has. Null: there is none, or the servers do not say.
   *
   * @throws GazetteError `store_unavailable` when one of them cannot be reached.
   */
  replicaLag?(): Promise<number | null>;

  /**
   * Creates an empty register. A definition without a `uuid` gets one, at random: every register has permanent ids.
   *
   * @throws GazetteError `register_exists`; `invalid_definition`, also for the `uuid` of another register of this store.
   */
  createRegister(definition: RegisterDefinition, options?: { readonly order?: Order }): Promise<RegisterEntry>;

  /**
   * Replaces the definition of the register with the same id. An equal definition changes nothing. A definition without
   * a `uuid` keeps the register's.
   *
   * @throws GazetteError `invalid_definition`, also for another `uuid`, `authority` or `year`: permanent ids would change.
   */
  updateRegister(definition: RegisterDefinition, options: WriteOptions): Promise<RegisterEntry>;

  /**
   * Removes a register and everything in it. Readers no longer see it from the first moment. A register that is created
   * again counts positions and changes from 1 and has another log. A copy of the previous one must start over:
   * {@link changes} refuses every change number of before, and `revision()` differs from the start.
   */
  removeRegister(feedId: string, options?: UnderLease): Promise<void>;

  /** Completes removals that were interrupted, and those that run. @returns the registers' ids @throws GazetteError `aborted` */
  completeRemovals(options?: { readonly signal?: AbortSignal }): Promise<readonly string[]>;

  /** All registers, by id, in memory: for stores with few. {@link RegisterStore.catalogue} has them in pages. */
  registers(): Promise<readonly RegisterEntry[]>;

  /** One register, or null if the id is unknown. */
  register(feedId: string): Promise<RegisterEntry | null>;

  /**
   * A register as a source of pages, with its current definition. `page()` counts `offset` in positions from `asOf`, by default the
   * highest; a moment gives pages of then, without what was ever redacted. `revision()` changes with every version and definition.
   */
  source(feedId: string, options?: SourceOptions): Promise<RegisterSource>;

  /** A record by its id, or null if the id was never used. */
  record(recordId: string): Promise<StoredRecord | null>;

  /** The version that a record had at a moment; null: none, or it was ever redacted. @throws GazetteError `invalid_parameter` */
  versionAt(recordId: string, at: string): Promise<RecordVersion | null>;

  /**
   * A record's versions, newest first, from `offset` versions below the newest; null if the id was never used.
   *
   * @throws GazetteError `invalid_parameter` for a limit outside 1..100 or a negative offset.
   */
  history(recordId: string, options: HistoryRange): Promise<readonly RecordVersion[] | null>;

  /**
   * A register's versions after the change number `since`, oldest first, including withdrawals. Applied in order to a
   * copy from the time of `since`, they give the current state.
   *
   * @throws GazetteError `invalid_parameter` for a limit outside 1..100, a `since` that no
   *   change of this register has reached, or a filter that does not fit its fields; `log_restarted` for a `since` that is, or may be, a number of another log.
   */
  changes(feedId: string, options: ChangesRange): Promise<ChangesPage>;

  /**
   * The ids of live records, newest first, strictly below the position `below` (absent: from the top).
   *
   * @throws GazetteError `invalid_parameter` for a limit outside 1..10,000.
   */
  ids(feedId: string, options: { readonly below?: number; readonly limit: number }): Promise<readonly LiveId[]>;

  /**
   * Applies the publisher's records, in one transaction, in the given order: a new record gets the next position, a changed one
   * (whose statement differs, rows/published-record.ts) a new version, a withdrawn one its old position; others are skipped.
   *
   * @throws GazetteError `invalid_record` for a record of another register or one without a canonical JSON (a lone surrogate in a
   *   text, a value that JSON cannot represent), `duplicate_id` for two with the same id; then nothing is applied.
   */
  apply(feedId: string, batch: Batch, options: ApplyOptions): Promise<BatchResult>;

  /**
   * What {@link apply} would do with each of these records now. Changes nothing.
   *
   * @throws GazetteError as {@link apply}
   */
  compare(feedId: string, batch: Batch, options?: CompareOptions): Promise<readonly RecordComparison[]>;

  /**
   * Withdraws live records, in one transaction. Their positions remain reserved and their history remains.
   *
   * @throws GazetteError `unknown_record` for an id that this register never had; then nothing is withdrawn.
   */
  withdraw(feedId: string, ids: readonly string[], options: WriteOptions): Promise<WithdrawResult>;

  /**
   * Erases the content of all versions of a record, for legal reasons. The record's position, the numbers, times, causes
   * and commitments of its versions, and the fact of the redaction remain; the salts of the commitments are erased. The
   * redaction adds one more version, `redacted`. Deliveries that wait to tell of earlier versions are skipped, and later
   * imports skip the record. No query finds the content any more; a purge removes it from the store's own files.
   *
   * @returns false when it was redacted before.
   * @throws GazetteError `unknown_record`
   */
  redact(recordId: string, options: RedactOptions): Promise<boolean>;

  /**
   * Lets later imports take a redacted record in again: until then it is withdrawn. What was erased stays erased.
   *
   * @returns false when it is not redacted.
   * @throws GazetteError `unknown_record`
   */
  lift(recordId: string, options?: UnderLease): Promise<boolean>;

  /** Releases the files and connections that the store itself opened. No method may be called afterwards. */
  close(): Promise<void>;
}
