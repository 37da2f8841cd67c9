// What proves a copy, and what a mirror takes in. A wing does; the core asks what is said here.
import type { ClientOptions } from '../client/client-options.ts';
import type { Requester } from '../client/requester.ts';
import type { InspectedStore } from '../stores/contract/inspection.ts';

/** By what a copy is proved. */
export interface ProveOptions {
  /** The key of the register's log. */
  readonly vkey: string;
  /** Which witnesses must have signed the log of logs, as a policy file says it. */
  readonly policy?: Uint8Array | string;
}

/** A witness's signature that was checked. */
export interface Cosignature {
  /** The name of the witness. */
  readonly name: string;
  /** When it was made (RFC 3339, to the second). */
  readonly at: string;
  /** Whether it is more than a day old. */
  readonly isStale: boolean;
}

/** What the log of logs says of a register's log. */
export interface Listing {
  /** The name of the log of logs. */
  readonly name: string;
  /** How many changes of the register are newer than the newest checkpoint that is listed. */
  readonly newer: number;
  /** Which witnesses of the policy signed the log of logs, and when. */
  readonly cosigned: readonly Cosignature[];
}

/** A copy that is begun, and where it is made. */
export interface BegunCopy {
  /** The register's address. */
  readonly feed: URL;
  readonly requester: Requester;
  /** How everything else is requested. */
  readonly client: Omit<ClientOptions, 'cache'>;
  /** The file to which the copy is written. */
  readonly path: string;
}

/** A copy whose positions are complete. */
export interface CompleteCopy {
  /** The view of the copy: the register's highest position when it began. */
  readonly asOf: number;
  /** What {@link CopyProver.begin} gave. */
  readonly signed: string;
  /** How many records it has. */
  readonly records: number;
  /** Its records, each a line of JSON. */
  readonly lines: AsyncIterable<Buffer>;
}

/** What is proved of a copy. */
export interface CopyProved {
  /** The number of the change to which it is complete and unrewritten. */
  readonly to: number;
  /** What the log of logs says of the register's log; null: there is none. */
  readonly listing: Listing | null;
  /** How many of its records were erased meanwhile. */
  readonly erased: number;
  /** Whether a record is one of these. @param index of its line, from 0 */
  isErased(index: number): boolean;
}

/** Proves one copy. */
export interface CopyProver {
  /** What is signed before the copy begins, all of which it has to have: kept with its state. */
  begin(): Promise<string>;
  /** @throws GazetteError `invalid_proof`, `log_forked`, `log_stale`; those of requests */
  prove(copy: CompleteCopy): Promise<CopyProved>;
}

/** What a mirror lacks, and where. */
export interface LackedChanges extends Pick<BegunCopy, 'feed' | 'client'> {
  readonly store: Pick<InspectedStore, 'part'>;
  readonly feedId: string;
  /** The last change that it has. */
  readonly since: number;
  /** What was kept of what was proved; null: nothing. */
  readonly kept: string | null;
}

/** Changes that were proved, as the service answers them, and what to keep with them. */
export interface ProvedBatch {
  readonly versions: readonly unknown[];
  readonly kept: string;
}

/** Gives what a mirror lacks, up to the last change that is signed. @throws GazetteError as `provedChanges()`, before it gives what is not proved */
export type ChangesProver = (lacked: LackedChanges) => AsyncGenerator<ProvedBatch, void, undefined>;

/** What proves copies, and mirrors. Both throw GazetteError for options that are none, before anything is read. */
export interface ProvingWing {
  copies(options: ProveOptions): (copy: BegunCopy) => CopyProver;
  changes(options: ProveOptions): ChangesProver;
}
