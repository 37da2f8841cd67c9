// What a store of registers is: an append-only log of versions, one position per record for ever, pages read downwards
// from any position. SqliteStore and PostgresStore keep these promises; one contract suite holds them to it. What a
// service keeps besides is in accounts.ts and deliveries.ts.
import type { Order } from '../../register/order.ts';
import type { RegisterDefinition, RegisterRecord, RecordVersion } from '../../register/record.ts';
import type { RegisterSource } from '../../register/source.ts';
import type { Batch } from './prepared-record.ts';

/** The most versions one answer of {@link RegisterStore.history} or {@link RegisterStore.changes} holds. */
export const VERSIONS_PAGE_SIZE = 100;

/** The most ids one answer of {@link RegisterStore.ids} holds. */
export const IDS_PAGE_SIZE = 10_000;

/**
 * How many records an importer should hand to {@link RegisterStore.apply} at once. On SQLite that is less than a tenth of
 * a second during which other writers, and the caller's own event loop, wait: a process that also serves should take a
 * tenth of it. Larger batches write less: each is one transaction with one synchronisation of the disk, and a page of an
 * index that many of its records touch is written once.
 */
export const BATCH_SIZE = 2000;

/** A register as it stands. */
export interface RegisterEntry {
  /** What the register is. */
  readonly definition: RegisterDefinition;
  /** Which end of the publisher's files is the newest; null until an import has found out. */
  readonly order: Order | null;
  /** The highest position: how many records there have ever been. */
  readonly top: number;
  /** The number of the latest change; 0 before the first. */
  readonly change: number;
  /** Live records: `total` in lists. A counter, never a scan. */
  readonly total: number;
  /** When the register's records or its definition last changed, RFC 3339; null when nothing ever happened. */
  readonly lastChange: string | null;
}

/** One record as it stands, live or not. */
export interface StoredRecord {
  /** Its id. */
  readonly id: string;
  /** The register it belongs to. */
  readonly feedId: string;
  /** Its place in the register, from 1. */
  readonly position: number;
  /** The number of the latest version. */
  readonly version: number;
  /** `redacted` is a withdrawn record whose content was erased for ever. */
  readonly state: 'live' | 'withdrawn' | 'redacted';
  /** The record; of a withdrawn one, as it last was; null when redacted. */
  readonly record: RegisterRecord | null;
}

/** Some versions in the order asked for. */
export interface ChangesPage {
  /** The versions, in the order they were recorded. */
  readonly versions: readonly RecordVersion[];
  /** The change number to ask from next: that of the last version here, or the one asked for when there is none. */
  readonly nextSince: number;
  /** Whether versions beyond this page exist already. */
  readonly more: boolean;
}

/** What writes say of themselves. */
export interface WriteOptions {
  /** The time the versions are recorded under: RFC 3339 date-time, from the caller's clock. */
  readonly recordedAt: string;
  /** Finds out what would happen and changes nothing. */
  readonly dryRun?: boolean;
}

/** How a batch of records is taken in. */
export interface ApplyOptions extends WriteOptions {
  /** Why records that differ do so. Default `source_change`. */
  readonly cause?: 'source_change' | 'extraction_correction';
}

/** What became of a batch: the counts add up to its records. */
export interface BatchResult {
  /** Records that are new. */
  readonly added: number;
  /** Records that got a new version. */
  readonly changed: number;
  /** Records that say what they said before. */
  readonly unchanged: number;
  /** Withdrawn before, live again; their content may have changed too. */
  readonly restored: number;
  /** Passed over, because their content was erased for ever. */
  readonly redacted: number;
}

/** What became of a list of ids: the counts add up to its length. */
export interface WithdrawResult {
  /** How many records were ended. */
  readonly withdrawn: number;
  /** They were withdrawn already. */
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
 * Each batch is one transaction: killed anywhere, whole batches stand, and the same calls once more complete the work
 * and change nothing else. To withdraw what a file lacks, it walks `ids()` from the top down at flat memory, looks each
 * id up in its own staging area and hands those it misses to `withdraw()`. The order of the file is kept by `setOrder()`.
 *
 * Webhooks need nothing but `changes()`: one event per version, in order, each version complete in itself and, but for
 * {@link redact}, never touched again.
 */
export interface RegisterStore {
  /**
   * Another number once anything whatever was committed to the store, by whichever process: what was read after it was
   * asked for still holds while it stays the same. Only of stores that tell it at once, for less than a look-up costs.
   */
  stamp?(): number;

  /** Makes an empty register. @throws GazetteError `register_exists` */
  createRegister(definition: RegisterDefinition, options?: { readonly order?: Order }): Promise<RegisterEntry>;

  /** Replaces a register's definition; its id says which. An equal definition changes nothing. */
  updateRegister(definition: RegisterDefinition, options: { readonly recordedAt: string }): Promise<RegisterEntry>;

  /** Keeps which end of the publisher's files is the newest. */
  setOrder(feedId: string, order: Order): Promise<void>;

  /**
   * Removes a register and everything in it. From the first moment it is gone to all readers; a removal that was
   * interrupted is completed by removing, or creating, a register of the same id. One that is made anew counts positions
   * and changes from 1 again, and a copy of the one before must begin anew as well: {@link changes} refuses a change number
   * that this one has not reached yet, and `revision()` is another from the start.
   */
  removeRegister(feedId: string): Promise<void>;

  /** All registers, by id. */
  registers(): Promise<readonly RegisterEntry[]>;

  /** One register; null when there is none of this id. */
  register(feedId: string): Promise<RegisterEntry | null>;

  /**
   * A register as a source of pages, with its definition as it is now. `page()` counts `offset` in positions from
   * `asOf`, the highest position when absent; `revision()` changes with every version and every definition.
   */
  source(feedId: string): Promise<RegisterSource>;

  /** A record by its id; null when there never was one. */
  record(recordId: string): Promise<StoredRecord | null>;

  /**
   * A record's versions, newest first, from `offset` versions below the newest; null when there never was such a record.
   *
   * @throws GazetteError `invalid_parameter` for a limit outside 1..{@link VERSIONS_PAGE_SIZE} or a negative offset.
   */
  history(
    recordId: string,
    options: { readonly offset: number; readonly limit: number },
  ): Promise<readonly RecordVersion[] | null>;

  /**
   * A register's versions after the change number `since`, oldest first, withdrawals included: applied in order to a
   * copy as it was at `since`, they give the copy as it is.
   *
   * @throws GazetteError `invalid_parameter` for a limit outside 1..{@link VERSIONS_PAGE_SIZE}, or a `since` that no
   *   change of this register has reached.
   */
  changes(feedId: string, options: { readonly since: number; readonly limit: number }): Promise<ChangesPage>;

  /**
   * The ids of live records, newest first, strictly below the position `below` (absent: from the top).
   *
   * @throws GazetteError `invalid_parameter` for a limit outside 1..{@link IDS_PAGE_SIZE}.
   */
  ids(
    feedId: string,
    options: { readonly below?: number; readonly limit: number },
  ): Promise<readonly { readonly id: string; readonly position: number }[]>;

  /**
   * Takes in what the publisher said, in one transaction, in the order given: a new record gets the next position, a
   * changed one a version, a withdrawn one is restored at its old position, and what says the same as before is left
   * alone. Whether it does is decided by the SHA-256 of its canonical JSON (rows/published-record.ts).
   *
   * @throws GazetteError `invalid_record` for a record of another register, `duplicate_id` for two of one id; nothing
   *   of the batch is then taken in.
   */
  apply(feedId: string, batch: Batch, options: ApplyOptions): Promise<BatchResult>;

  /**
   * Withdraws live records, in one transaction. Their positions stay taken, their history stays.
   *
   * @throws GazetteError `unknown_record` for an id this register never had; nothing is then withdrawn.
   */
  withdraw(feedId: string, ids: readonly string[], options: WriteOptions): Promise<WithdrawResult>;

  /**
   * Erases the content of all versions of a record, for legal reasons: nothing of it is left in the store's own files
   * (what backups and a database server's log hold is for their keepers to erase). Its position, its versions' numbers,
   * times, causes and digests, and the fact stay, told by one more version `withdrawn`; a later import passes over it.
   *
   * @returns false when it was redacted before.
   * @throws GazetteError `unknown_record`
   */
  redact(recordId: string, options: { readonly recordedAt: string }): Promise<boolean>;

  /** Lets go of files and connections that are the store's own. Nothing may be called after it. */
  close(): Promise<void>;
}
