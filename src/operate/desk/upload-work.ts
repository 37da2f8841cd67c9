// What is asked of whoever reads uploaded files, and told of it.
import type { FileOptions } from '../../import/from-file/file-options.ts';
import type { RegisterPlan } from '../../import/from-file/register-plan.ts';
import type { FoundUpload, Upload } from './upload-folder.ts';

/** The most bytes of a file. */
export const MAX_UPLOAD_BYTES = 200_000_000;

/** A file of which a register may be made. */
export interface PlannedUpload extends Pick<Upload, 'file' | 'chosen'> {
  readonly path: string;
  /** The most bytes to which it may unpack. */
  readonly maxUnpacked: number;
}

/** A file to be read. */
export interface StagedUpload extends PlannedUpload, Pick<Upload, 'who'> {
  readonly feedId: string;
  /** How it is read where that is settled. Null: as the register's files are, with what was chosen. */
  readonly reading: FileOptions | null;
}

/** How the work on a file is stopped, and what is told of it. */
export interface UploadWork {
  readonly signal: AbortSignal;
  /** Called with the number of records read so far. */
  readonly onProgress: (records: number) => void;
}

/** How files are read, beside what the process does otherwise. */
export interface UploadReading {
  /** Stages a file as a proposal. @returns the number of the proposal */
  readonly stage: (upload: StagedUpload, work: UploadWork) => Promise<number>;
  /** Finds out what a register of a file would be. */
  readonly plan: (upload: PlannedUpload, work: Pick<UploadWork, 'signal'>) => Promise<RegisterPlan>;
}

/** Where files lie, and how they are read. */
export interface UploadsOptions extends UploadReading {
  /** The folder in which they lie. It is made, for its owner alone. */
  readonly folder: string;
  /** The most bytes of a file, which may unpack to five times as many. Default {@link MAX_UPLOAD_BYTES}. */
  readonly maxBytes?: number;
}

/** What uploads are told of the store, and tell. */
export interface UploadEvents {
  /** Whether a proposal waits to be decided: as long as it does, its file stays. */
  readonly isWaiting: (feedId: string, number: number) => Promise<boolean>;
  /** Called with a file on which a process worked that has ended. */
  readonly onAbandoned: (upload: Upload) => Promise<void>;
  /** Called with a file of which another editor is asked to make a register: again and again while it waits. */
  readonly onAsked: (found: FoundUpload) => Promise<void>;
  /** Is told what failed by no fault of the file. */
  readonly onError: (error: unknown) => void;
}
