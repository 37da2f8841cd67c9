// What an import is told, and what it tells: before, while and after it runs.
import type { GazetteError } from '../errors.ts';
import type { Order } from '../register/order.ts';
import type { RegisterDefinition } from '../register/record.ts';
import type { MappingRule } from './mapping/mapping.ts';
import type { IngestNotes } from './opened-records.ts';

/** How a file is taken in. */
export interface ImportOptions {
  /** The time the import runs at, RFC 3339: versions are recorded under it, and records that do not say otherwise were
   * observed at it. */
  readonly now: string;
  /** Where each field comes from; default: from properties of the fields' own names. */
  readonly mapping?: readonly MappingRule[];
  /** Why records that differ do so. Default `source_change`. */
  readonly cause?: 'source_change' | 'extraction_correction';
  /** Which end of the file is the newest; absent: as the register has kept it, else as the dates show. */
  readonly order?: Order;
  /** Withdraws every live record that the file lacks. */
  readonly withdrawMissing?: boolean;
  /** Finds out what would happen and changes nothing. */
  readonly dryRun?: boolean;
  /**
   * Takes the records that do not fit, and the import goes on, once the promise, if any, is kept; absent: the first of
   * them stops it.
   */
  readonly onRefused?: (refused: RefusedRecord) => void | Promise<void>;
  /** Called once everything is read and checked, before anything is committed. */
  readonly onChecked?: (refused: number) => void | Promise<void>;
  /** Called from time to time. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Stops the import; whole batches that were committed stay. */
  readonly signal?: AbortSignal;
}

/** A record that was not taken in. */
export interface RefusedRecord {
  /** Its place in words: `line 7`, `vulnerabilities[3]`. */
  readonly where: string;
  /** Why it was refused. */
  readonly error: GazetteError;
  /** As the file holds it; as it was checked where the error is `duplicate_id`. */
  readonly record: unknown;
}

/** How far an import is. */
export interface ImportProgress {
  /** `reading` checks the whole file, `committing` writes it, `withdrawing` ends what the file no longer has. */
  readonly phase: 'reading' | 'committing' | 'withdrawing';
  /** Records read, committed, or looked at. */
  readonly records: number;
  /** Of how many, where that is known. */
  readonly of: number | null;
}

/** What an import did, or would do. */
export interface ImportResult {
  /** Records that are new. */
  readonly added: number;
  /** Records that got a new version. */
  readonly changed: number;
  /** Records that say what they said before. */
  readonly unchanged: number;
  /** Records that were ended because the file no longer has them. */
  readonly withdrawn: number;
  /** Records that had been withdrawn and are back. */
  readonly restored: number;
  /** Records that do not fit, given to `onRefused`. */
  readonly refused: number;
  /** Records passed over because their content was erased for ever. */
  readonly redacted: number;
  /** Which end of the file was taken for the newest. */
  readonly order: Order;
  /** Who says so: the caller, the register, the dates of this file, or nobody, and then it is oldest first. */
  readonly orderFrom: 'option' | 'register' | 'dates' | 'nothing';
  /** The order this file's dates show, where they show one. */
  readonly orderOfDates: Order | null;
  /** The register's definition: with the fields this import found, if it had none. */
  readonly definition: RegisterDefinition;
  /** What was noticed while the file was read. */
  readonly notes: IngestNotes;
}
