// What is known of an import before anything is written, of which findings are made, and what a finding is.
import type { GazetteError } from '../../errors.ts';
import type { ImportEntry } from '../../stores/contract/imports/log.ts';
import type { ImportOptions } from '../import-options.ts';
import type { ImportPlan } from '../mapping/plan.ts';
import type { IngestNotes } from '../mapping/record-map.ts';
import type { CorrectedRows } from '../rows/corrected-rows.ts';
import type { OtherKeys } from '../rows/other-keys.ts';
import type { RenamedColumns } from '../rows/renamed-columns.ts';
import type { Foreseen } from './comparison.ts';
import type { FileValues, LostType } from './file-values.ts';
import type { ImportFinding } from './finding-codes.ts';
import type { FindingFacts } from './report.ts';
import type { SimilarKeys } from './similar-ids.ts';

/** What an import is about to do. */
export interface ExaminedImport {
  readonly feedId: string;
  /** The name of the file. */
  readonly file: string;
  readonly options: ImportOptions;
  /** The names of the file's columns. */
  readonly columns: readonly string[];
  readonly plan: ImportPlan;
  readonly foreseen: Foreseen;
  /** The number of live records that the file lacks, and that would be withdrawn. */
  readonly absent: number;
  /** The number of live records. */
  readonly live: number;
  /** Whether every row of the register would get another key. */
  readonly isRenumbered: boolean;
  /** The columns by which alone the file's rows differ from those that it lacks; null: they differ in more, or are not all new. */
  readonly renamed: RenamedColumns | null;
  /** Records that come anew with other values, where keys are made of rows; how they differ is in {@link Foreseen.fields}. */
  readonly corrected: CorrectedRows | null;
  /** Records that come anew under other keys. */
  readonly otherKeys: OtherKeys | null;
  /** The names of columns that are none of the register's, where it is most likely the file of another one. Null: it is not. */
  readonly otherColumns: readonly string[] | null;
  /** The number of refused rows. */
  readonly refused: number;
  readonly values: FileValues;
  readonly lostTypes: readonly LostType[];
  readonly similar: readonly SimilarKeys[];
  readonly notes: IngestNotes;
  /** The imports of files that were completed and stand, newest first. */
  readonly earlier: readonly ImportEntry[];
  /** HMAC of the file's bytes; null: it is not known. */
  readonly digest: Uint8Array | null;
}

/** A finding, with what its message says in numbers. */
export interface Finding {
  readonly code: ImportFinding;
  /** What was found. */
  readonly message: string;
  /** What can be done where it stops the import: the end of the sentence. Default: to accept it. */
  readonly ways?: string;
  readonly details?: GazetteError['details'];
  /** Records that it is about. */
  readonly records?: readonly string[];
  readonly facts?: FindingFacts;
}
