// What a store that was restored from an older state lacks of a register, from another store that has it.
import type { TreeHead } from '../../tlog/verification.ts';

/** A row, in the order of its table's columns. */
export type RecoveredRow = readonly (string | number | bigint | boolean | null | Uint8Array)[];

/** The changes of a register after one of them, with all that a store has of the records in them. */
export interface MissingChanges {
  /** The number of the register in the store that has them, which its slots and entries contain. */
  readonly number: number;
  /** The change after which they begin. */
  readonly since: number;
  /** How many changes the register has with them. */
  readonly change: number;
  /** Its definition, as canonical JSON. */
  readonly definition: string;
  /** How many definitions it has had. */
  readonly definitionVersion: number;
  /** Its highest position. */
  readonly top: number;
  /** How many live records it has. */
  readonly live: number;
  /** When it last changed (RFC 3339). */
  readonly lastChange: string | null;
  /** The same in seconds since 1970, at least. */
  readonly lastModified: number;
  /** The UUIDs of its logs, by their numbers there. */
  readonly logs: ReadonlyMap<number, string>;
  /** The rows of the records in these changes, by their tables: all versions of each, those before too. */
  readonly rows: Readonly<Record<RecoveredTable, readonly RecoveredRow[]>>;
}

/** The tables that have rows of records. */
export type RecoveredTable = 'versions' | 'records' | 'withdrawn' | 'contents' | 'erased_records';

/** A log as it was signed last. */
export interface SignedTree extends TreeHead {
  /** Its UUID. */
  readonly uuid: string;
}

/** Puts back what a store lacks. */
export interface LogRecovery {
  /** What a register has after a change. @throws GazetteError `unknown_feed` */
  missing(feedId: string, since: number): Promise<MissingChanges>;
  /**
   * Puts back changes that another store has, in one transaction, and gives the register the log that was signed.
   *
   * @throws GazetteError `unknown_feed`; `store_busy` when it was written meanwhile; `log_contradicted` when the log is not
   *   the one that was signed afterwards: nothing is written then
   */
  putBack(feedId: string, missing: MissingChanges, signed: SignedTree): Promise<void>;
  /**
   * Makes a mirror a register of its own that keeps the log of its source.
   *
   * @throws GazetteError `unknown_feed`, `not_found` for one that is no mirror; `log_contradicted` when its log is not exactly the one
   *   that was signed
   */
  promote(feedId: string, signed: SignedTree): Promise<void>;
}
