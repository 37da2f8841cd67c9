// The interface of proposals: what an import would do to a register, kept until somebody approves or discards it. A proposal is an
// import of the log that was not carried out (yet): both have one number.
import type { Field } from '../../../register/record.ts';
import type { HandFate } from './by-hand.ts';
import type { ImportCause } from './causes.ts';
import type { ImportCounts } from './counts.ts';
import type { UnderLease } from '../leases.ts';
import type { PreparedRecord } from '../prepared-record.ts';
import type { RegisterSettings, ReplacedSettings } from './settings.ts';

/** For how long a proposal waits, in days. */
export const PROPOSAL_DAYS = 30;

/** A record as the proposal would have it. */
export interface ProposedRecord {
  readonly id: string;
  /** What it would state. Null: it would be withdrawn. */
  readonly record: PreparedRecord | null;
  /**
   * Of one that is as somebody set it by hand. `kept`: that is only what its source says, and it stays. `asked`: it stays where who
   * approves says so, and else becomes what the source says.
   */
  readonly byHand?: HandFate;
}

/** What a proposal writes besides records. */
export interface ProposedSettings {
  /** The cause of changed records. */
  readonly cause: ImportCause;
  /** Names as in {@link RecordVersion.changed} that make no record a changed one. */
  readonly indifferent: readonly string[];
  /** The register's fields when the proposal was made. */
  readonly fields: readonly Field[];
  /** Whether live records that the file lacks are withdrawn. */
  readonly isWhole: boolean;
  /** What the register is to have. */
  readonly sets: Partial<RegisterSettings>;
  /** What it must still have then. */
  readonly replaces: Partial<RegisterSettings>;
  /** How many of its counts are of records that are `asked` about. Absent: none. */
  readonly asked?: Pick<ImportCounts, 'changed' | 'restored' | 'withdrawn'>;
  /** Whether these stay as they are set by hand: whoever approved it said so. */
  readonly keepsHand?: true;
}

/** A proposal that is complete. */
export interface NewProposal {
  /** SHA-256 of all that it would write: who approves says which one was read. */
  readonly digest: Uint8Array;
  /** The register's last change when the records were compared. */
  readonly change: number;
  readonly settings: ProposedSettings;
  /** What it says of itself, for people and programs: a JSON text. */
  readonly report: string;
  /** The positions of the records that it leaves as they are: bit 0 of byte 0 is position 0. */
  readonly unchanged: Uint8Array;
  readonly counts: ImportCounts;
  /** HMAC-SHA-256 of the file's bytes, as in {@link ImportEnd.digest}. */
  readonly fileDigest: Uint8Array | null;
}

/** A proposal as it is kept. */
export interface StoredProposal extends Omit<NewProposal, 'unchanged'> {
  readonly number: number;
  readonly feedId: string;
}

/** The proposals of a store. */
export interface ProposalStore {
  /**
   * Keeps some records of a proposal, of an import that runs: statements, withdrawals, or what stays. They are carried out in the
   * order in which they were kept.
   *
   * @throws GazetteError `import_superseded`
   */
  keep(number: number, records: readonly ProposedRecord[], under?: UnderLease): Promise<void>;

  /**
   * Ends an import as a proposal. Where one that says the same waits already, of the same register in the same state, nothing is
   * left of the import: that one stands for it.
   *
   * @returns the number of the proposal that waits @throws GazetteError `unknown_import`, `import_superseded`
   */
  propose(number: number, proposal: NewProposal, under?: UnderLease): Promise<number>;

  /**
   * A proposal that waits, or is being carried out.
   *
   * @throws GazetteError `unknown_feed`, `unknown_import`; `proposal_ended` where the import is none any more
   */
  find(feedId: string, number: number): Promise<StoredProposal>;

  /**
   * Whether a proposal waits in vain: the register changed so that it would do something else.
   *
   * @throws GazetteError `unknown_feed`, `unknown_import`
   */
  isOutdated(feedId: string, number: number): Promise<boolean>;

  /** Some of its records that were kept at once. @param batch from 1. @returns none behind the last */
  records(number: number, batch: number): Promise<readonly ProposedRecord[]>;

  /**
   * Begins to carry a proposal out: from now on it is not discarded.
   *
   * @param options.digest the one that was read
   * @param options.keepsHand whether records that are `asked` about stay as they are set by hand, which is remembered. Default false
   * @param options.report what is kept of what it said of itself, as in {@link discard}. Default: nothing
   * @throws GazetteError `unknown_import`, `proposal_ended`; `proposal_outdated` where it has another digest, or the register
   *   changed so that it would do something else; `import_superseded`
   */
  approve(
    feedId: string,
    number: number,
    options: {
      readonly who: string | null;
      readonly digest?: Uint8Array;
      readonly keepsHand?: boolean;
      readonly report?: string;
    } & UnderLease,
  ): Promise<void>;

  /**
   * Ends a proposal that waits.
   *
   * @param options.report what is kept of what it said of itself, without anything that a record says. Default: nothing
   * @throws GazetteError `unknown_import`, `proposal_ended`
   */
  discard(
    feedId: string,
    number: number,
    options: { readonly who: string | null; readonly at: string; readonly report?: string },
  ): Promise<void>;

  /** What is kept of what an import said of itself as a proposal. Null: nothing. @throws GazetteError `unknown_feed`, `unknown_import` */
  said(feedId: string, number: number): Promise<string | null>;

  /**
   * Sets what an import sets of its register besides records, all of it at once, and remembers what it replaces.
   *
   * @throws GazetteError `unknown_feed`, `unknown_import`, `import_superseded`; `invalid_definition`
   */
  set(
    feedId: string,
    number: number,
    settings: Partial<RegisterSettings>,
    options: { readonly recordedAt: string } & UnderLease,
  ): Promise<void>;

  /** What an import set and replaced, of which it is no longer what it was. @throws GazetteError `unknown_feed`, `unknown_import` */
  replaced(feedId: string, number: number): Promise<ReplacedSettings>;

  /** Those that were approved and have not been carried out whole (yet): of one register, or of all. */
  begun(feedId?: string): Promise<readonly Pick<StoredProposal, 'number' | 'feedId'>[]>;

  /** Those that wait to be approved, of all registers. */
  waiting(): Promise<readonly Pick<StoredProposal, 'number' | 'feedId'>[]>;

  /**
   * Takes a proposal that waits and that nobody was told of, or not since a time that is over. Only one caller gets it.
   *
   * @param options.now RFC 3339 @param options.until when it is told again, unless {@link endNotice} says another time
   */
  takeNotice(options: {
    readonly now: string;
    readonly until: string;
  }): Promise<Pick<StoredProposal, 'number' | 'feedId'> | null>;

  /** Somebody was told of a proposal. @param until when it is told again; RFC 3339 */
  endNotice(number: number, until: string): Promise<void>;

  /** Discards proposals that waited for too long, and removes what is left of those that ended. @param now RFC 3339 */
  tidy(now: string): Promise<void>;
}
