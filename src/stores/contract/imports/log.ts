// The interface of the log of imports: who took what into a register, when, and with what result.

import type { VersionCause } from '../../../register/record.ts';
import type { ImportCause } from './causes.ts';
import type { ImportCounts } from './counts.ts';
import type { ByHandStore } from './by-hand.ts';
import type { UnderLease } from '../leases.ts';
import type { ProposalStore } from './proposals.ts';
import type { PreparedRecord, PublishedRecord } from '../prepared-record.ts';

/** The maximum number of entries in one result of {@link ImportLog.list}. */
export const IMPORTS_PAGE_SIZE = 1000;

/** What an import is of: a file; what takes an earlier import back; what a person did to single records, or to the register's settings. */
export const IMPORT_KINDS = ['file', 'undo', 'hand', 'settings'] as const;

/** An import that begins. */
export interface NewImport {
  /** Default `file`. */
  readonly kind?: (typeof IMPORT_KINDS)[number];
  /** The number of the import that it takes back; null, the default, for all but an undo. */
  readonly undoes?: number | null;
  /** The name of the file as it was given; of an undo, that of the import before; of work by hand, the record's id, or what names the new keys; of settings, the register's. */
  readonly file: string;
  /** The cause recorded for changed records. */
  readonly cause: ImportCause;
  /** Who runs the import: a user of the operating system, or whatever a program gives. Null if unknown. */
  readonly who: string | null;
  /** RFC 3339. */
  readonly begunAt: string;
}

/** The states of an import. */
export const IMPORT_STATES = [
  'running',
  'completed',
  'failed',
  'interrupted',
  'proposed',
  'approved',
  'discarded',
] as const;

/** The end of an import. */
export interface ImportEnd {
  /** What it did. */
  readonly counts: ImportCounts;
  /** RFC 3339. */
  readonly endedAt: string;
  /** The code of the error that ended it; null if it was completed. */
  readonly error: string | null;
  /** HMAC-SHA-256 of the file's bytes under the key that {@link ImportLog.begin} gave; null if it is not known. */
  readonly digest: Uint8Array | null;
  /** What is kept of what it said of itself, until a record is erased: a JSON text. Default: nothing. */
  readonly report?: string | null;
}

/** An import in the log. */
export interface ImportEntry extends Required<NewImport> {
  /** Its number in the store, rising. */
  readonly number: number;
  /**
   * `running`: it has not ended, or its process was killed, which shows in the register's lease. `interrupted`: the next
   * import began although this one had not ended. `proposed`: it waits to be approved. `approved`: it is being carried out, or will be by
   * the next who works on the register. `discarded`: it was a proposal.
   */
  readonly state: (typeof IMPORT_STATES)[number];
  /** What it has done, or did until it ended; of a proposal, what it would do. */
  readonly counts: ImportCounts;
  /** Who approved or discarded it as a proposal. Null: nobody, or it was none. */
  readonly decidedBy: string | null;
  /** RFC 3339; null while it runs or waits. */
  readonly endedAt: string | null;
  /**
   * The code of the error that ended it; of a proposal that nobody discarded, `record_redacted` where it had a record that was
   * erased, or may have had it, and `proposal_expired`. Null if it was completed or runs, or somebody discarded it.
   */
  readonly error: string | null;
  /**
   * Null if it is not known, or was erased: once a record is erased, no digest remains of a file that may have
   * contained it.
   */
  readonly digest: Uint8Array | null;
}

/** What a register keeps for its imports, and shows nobody. */
export interface ImportBasis {
  /** 32 random bytes, made with the register: the keys of rows without one of their own are made with it. */
  readonly secret: Uint8Array;
  /** The names of the file's columns that are not taken in: a record that differs only in them has not changed. */
  readonly ignored: readonly string[];
  /** What is done with findings, by their codes, where it is not the default. */
  readonly findings: Readonly<Record<string, string>>;
  /** Whether records have, or had, other keys than those of their ids. */
  readonly isRenumbered: boolean;
  /** What was chosen of how its files are read: a JSON text. Null: nothing. */
  readonly reading: string | null;
}

/** A version that an import made, with what its record was before, and is now. */
export interface MadeVersion {
  /** Its change number. */
  readonly change: number;
  readonly id: string;
  readonly position: number;
  readonly cause: VersionCause;
  /** What it states; of a withdrawal, what the record stated before. Null: it was erased. */
  readonly made: PublishedRecord | null;
  /** Whether the record was live before. */
  readonly wasLive: boolean;
  /** What was stored before; null where it was not live, or what it stated was erased. */
  readonly before: PreparedRecord | null;
  /** The record's state now. */
  readonly state: 'live' | 'withdrawn' | 'redacted';
  /** What it states now, or last stated. Null: it was erased. */
  readonly now: PublishedRecord | null;
  /** Whether its latest version took this one back. */
  readonly isTakenBack: boolean;
}

/** The log of imports of a store. */
export interface ImportLog {
  /** What imports would do, until somebody decides. @internal */
  readonly proposals: ProposalStore;
  /** What people set by hand, which outlives imports. @internal */
  readonly byHand: ByHandStore;

  /**
   * Adds an import to the log. Earlier ones of the register that are still `running` were interrupted: the caller holds
   * the register's lease.
   *
   * @param options.key 32 random bytes, kept as the store's key if it has none yet
   * @returns the number of the import, and the store's key
   * @throws GazetteError `unknown_feed`, `import_superseded`
   */
  begin(
    feedId: string,
    begun: NewImport,
    options: { readonly key: Uint8Array } & UnderLease,
  ): Promise<{ readonly number: number; readonly key: Uint8Array }>;

  /** Records how an import ended. An unknown number is ignored: the register was removed meanwhile. */
  end(number: number, end: ImportEnd): Promise<void>;

  /** The imports of a register, newest first. @throws GazetteError `unknown_feed` */
  list(feedId: string, options: { readonly limit: number }): Promise<readonly ImportEntry[]>;

  /** An import of a register. @throws GazetteError `unknown_feed`, `unknown_import` */
  find(feedId: string, number: number): Promise<ImportEntry>;

  /** The versions that an import made behind a change, in their order. @internal */
  made(
    feedId: string,
    number: number,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly MadeVersion[]>;

  /**
   * The live records that have changed since an import began, by anything but it, as those are that an undo leaves as they are.
   *
   * @param range.undo the number of the import that takes it back: what it proposes is not among them
   * @internal
   */
  changedSince(
    feedId: string,
    number: number,
    range: { readonly undo: number; readonly after: number; readonly limit: number },
  ): Promise<readonly Pick<MadeVersion, 'change' | 'now'>[]>;

  /** How many purchases there are of the records that a proposal withdraws. @internal */
  soldOf(number: number): Promise<number>;

  /** What the register keeps for its imports. @throws GazetteError `unknown_feed` */
  basis(feedId: string): Promise<ImportBasis>;

  /** Replaces what is done with findings. @throws GazetteError `unknown_feed`, `import_superseded` */
  setFindings(feedId: string, findings: ImportBasis['findings'], under?: UnderLease): Promise<void>;
}
