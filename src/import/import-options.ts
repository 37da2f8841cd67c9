// The options of an import and its reports: before, during and after the run.
import type { GazetteError } from '../errors.ts';
import type { Order } from '../register/sources/order.ts';
import type { FieldType, RegisterDefinition } from '../register/record.ts';
import type { ImportCounts } from '../stores/contract/imports/counts.ts';
import type { WaitOptions } from '../stores/lease/hold-register.ts';
import type { MappingRule } from './mapping/mapping.ts';
import type { TextFormOptions } from './mapping/text-forms.ts';
import type { ImportFinding } from './proposals/finding-codes.ts';
import type { ImportReport } from './proposals/report.ts';
import type { IngestNotes } from './mapping/record-map.ts';

/** Options of an import. */
export interface ImportOptions extends TextFormOptions, WaitOptions {
  /**
   * The clock, in milliseconds since 1970. Default `Date.now`. It is read before each batch is committed: versions are
   * recorded under that time, which is also the observation time of records that state none.
   */
  readonly now?: () => number;
  /** The source of each field; default: properties with the fields' own names. */
  readonly mapping?: readonly MappingRule[];
  /**
   * Types of fields, by the name of the field or of the publisher's property, for a register whose fields this import
   * finds. Default: the types that all values fit.
   */
  readonly types?: ReadonlyMap<string, FieldType>;
  /** The same as a description of the file says it, for columns of which {@link types} says nothing. A register that has fields keeps theirs. */
  readonly describedTypes?: ReadonlyMap<string, FieldType>;
  /**
   * `row`: the key of each record is made of its row, for files without an identifier. A row that is corrected is then a
   * withdrawal and a new record. Default: a rule or the property `id` has the key.
   */
  readonly key?: 'row';
  /**
   * The names of columns that are not taken in, such as a time of download: a record that differs only in them has not changed.
   * They are kept with the register. Default: those of the import before.
   */
  readonly ignore?: readonly string[];
  /** The names of columns that are not taken in either, whether this file has them or not. @internal */
  readonly leftOut?: readonly string[];
  /** The cause recorded for changed records, which `same-field` does not stop where it is a correction. Default `source_change`. */
  readonly cause?: 'source_change' | 'extraction_correction';
  /**
   * Which end of the file is the newest; `by-date` sorts its records by publication date, those without one first.
   * Absent: the order stored with the register, or else the order of the dates, which must show one: at least 95 % of
   * the neighbouring pairs that differ agree.
   */
  readonly order?: Order;
  /** What was chosen of how the register's files are read, to be kept with it: a JSON text. @internal */
  readonly reading?: string;
  /** Withdraws every live record that is not in the file. Many are withdrawn only where {@link accept} has `absences`. */
  readonly withdrawMissing?: boolean;
  /** Writes nothing, and keeps what the import would do as a proposal, to be approved or discarded. Default false. */
  readonly propose?: boolean;
  /** What is meant although it would stop the import. Default: nothing. */
  readonly accept?: readonly (ImportFinding | 'take-source')[];
  /** Reports what would happen and changes nothing. */
  readonly dryRun?: boolean;
  /**
   * Receives invalid records; the import continues after the returned promise, if any, resolves. Absent: the first
   * invalid record stops the import.
   */
  readonly onRefused?: (refused: RefusedRecord) => void | Promise<void>;
  /** Called once everything is read and checked, before anything is committed. */
  readonly onChecked?: (refused: number) => void | Promise<void>;
  /** Called from time to time. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Stops the import, or its wait for another process; whole batches that were committed remain. */
  readonly signal?: AbortSignal;
  /** What the register's log of imports says of the import besides the file's name. */
  readonly origin?: {
    /** Who runs it, such as the user of the operating system. */
    readonly who?: string;
    /** Calls `listener` with all bytes of the file as they are read. Absent: the log has no digest of the file. */
    readonly watch?: (listener: (bytes: Uint8Array) => void) => void;
  };
}

/** A record that was not imported. */
export interface RefusedRecord {
  /** Its place: `line 7`, `vulnerabilities[3]`. */
  readonly where: string;
  /** Why it was refused. */
  readonly error: GazetteError;
  /** The record as it is in the file; for `duplicate_id`, as it was checked. */
  readonly record: unknown;
}

/** The progress of an import. */
export interface ImportProgress {
  /**
   * `reading` checks the whole file, `comparing` looks for records that it lacks and for what is new or changed,
   * `committing` writes that, `withdrawing` withdraws records that it lacks.
   */
  readonly phase: 'reading' | 'comparing' | 'committing' | 'withdrawing';
  /** The number of records read, looked at, committed or withdrawn. */
  readonly records: number;
  /** The total number, if known. */
  readonly of: number | null;
}

/** The result of an import, or of its dry run. */
export interface ImportResult extends ImportCounts {
  /** How many published records stay as they were because the file's rows with their ids were refused. */
  readonly staying: number;
  /** How many records stay as they are set by hand although the file says something else. */
  readonly keptByHand: number;
  /** How many refused rows without a readable id may be of published records, which then stay as they were, too. */
  readonly nameless: number;
  /** Which end of the file was treated as the newest, or that it was sorted by date. */
  readonly order: Order;
  /**
   * Where the order comes from: the caller, the register, the dates of this file, or none of them (then it is oldest
   * first).
   */
  readonly orderFrom: 'option' | 'register' | 'dates' | 'nothing';
  /** The order of this file's dates, if they show one. */
  readonly orderOfDates: Exclude<Order, 'by-date'> | null;
  /** What a dry run, or a proposal, says that the import would be refused with. Null: it would go through, or has. */
  readonly refusal: GazetteError | null;
  /** What it did or would do, with examples. */
  readonly report: ImportReport;
  /** The number of the import, by which its proposal is approved, and taken back. Null in a dry run. */
  readonly number: number | null;
  /** Whether it wrote nothing and waits to be approved. */
  readonly isProposal: boolean;
  /** The register's definition, with the fields that this import found if it had none. */
  readonly definition: RegisterDefinition;
  /** Statistics about the file. */
  readonly notes: IngestNotes;
}
