// What a store that was restored from an older state lacks of a register, from another store that has it.
import type { TreeHead } from '../../../proofs/verification.ts';
import type { SqlRow } from '../../rows/columns.ts';

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
  readonly definitionVersion: number;
  readonly top: number;
  readonly live: number;
  readonly lastChange: string | null;
  readonly lastModified: number;
  /** The UUIDs of its logs, by their numbers there. */
  readonly logs: ReadonlyMap<number, string>;
  /** The rows of the records in these changes, by their tables: all versions of each, those before too. */
  readonly rows: Readonly<Record<RecoveredTable, readonly SqlRow[]>>;
}

/** The tables that have rows of records. */
export type RecoveredTable = 'versions' | 'records' | 'withdrawn' | 'contents';

/** A log as it was signed last. */
export interface SignedTree extends TreeHead {
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
}
