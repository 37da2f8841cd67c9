// The interface of a store's inspection: whether its rows say what a store would have written. It only reads, and needs
// as much memory for a large store as for a small one. And what a store has to forget after it was restored.
import type { ServiceStore } from './accounts.ts';
import type { FindingStore } from './finding.ts';
import type { Lease } from './leases.ts';
import type { MirrorStore } from './mirrors.ts';

/** Something wrong in a store. It contains no secret, and of the content of records only the values that name a counter. */
export interface Finding {
  /** The table; null when it concerns the whole store. */
  readonly table: string | null;
  /** The key of the row, such as `entry 4294967297`; null when it concerns more than one row. */
  readonly row: string | null;
  /** The register's id, where the row is of one and its id is known. */
  readonly feedId: string | null;
  /** The record's id, where the row is of one and its id is known. */
  readonly recordId: string | null;
  /** The number of the version, where the row is of one. */
  readonly version: number | null;
  /** What is wrong: which column, what was expected there, and what was found if it may be shown. */
  readonly problem: string;
}

/** A part of an inspection. */
export interface InspectedPart {
  /** What is wrong in this part. */
  readonly findings: readonly Finding[];
  /** How many versions were checked so far. */
  readonly versions: number;
  /** How many versions the registers say they have. */
  readonly ofVersions: number;
}

/** What can be checked in a store. */
export interface StoreInspection {
  /**
   * What the database itself finds: damaged pages, indexes that do not agree with their tables, missing tables and
   * indexes.
   *
   * @returns with notes on what could not be checked
   */
  damage(): Promise<{ readonly findings: readonly Finding[]; readonly notes: readonly string[] }>;

  /**
   * Reads every row and checks it against all it depends on. Others may write meanwhile: every part is one state of the
   * store, and the store is not locked between two parts.
   *
   * @throws GazetteError `aborted`; the errors of the database where it cannot read any further
   */
  rows(options?: { readonly signal?: AbortSignal }): AsyncGenerator<InspectedPart, void, undefined>;

  /** Every secret of an endpoint as it is stored, the prepared and the previous ones too. */
  secrets(): Promise<readonly { readonly endpointId: string; readonly secret: Uint8Array }[]>;

  /** Every lease of a register. */
  leases(): Promise<readonly (Lease & { readonly feedId: string })[]>;
}

/** A register that was given a new log, under the names that change tokens carry (`next_since`). */
export interface NewLog {
  /** The register's id. */
  readonly feedId: string;
  /** The name of the log before, whose change numbers are refused from now on. */
  readonly before: string;
  /** The name of the new log. */
  readonly log: string;
  /** Whether nothing was ever written to the log before: the register had been given it in the same way. */
  readonly wasUnused: boolean;
}

/** A store that can be inspected. */
export interface InspectedStore extends ServiceStore {
  /** Checks the store. @internal */
  readonly inspection: StoreInspection;
  /** The registers that are copies of other services'. @internal */
  readonly mirrors: MirrorStore;
  /** The indexes by which records are found. @internal */
  readonly finding: FindingStore;

  /**
   * Gives every register, or one, a new log, as it must be after the store was restored from an older state: change numbers that
   * were given out before are refused (`log_restarted`), because other changes will have them. Ids, positions and the
   * change numbers themselves stay.
   *
   * @param options.at the time, RFC 3339
   * @param options.feedId the register. Default: all of them
   * @returns these registers, in the order in which they were created
   * @internal
   */
  beginNewLogs(options: { readonly at: string; readonly feedId?: string }): Promise<readonly NewLog[]>;
}
