// Where the files of one folder of a snapshot lie: on the disk (folder-place.ts) or in a bucket (bucket/bucket-place.ts).
// What is written, in which order, and what the journal says is decided by `folder/writer.ts` alone.
import type { StagedFile } from '../folder/staged-file.ts';
import type { ManifestParts } from '../folder/manifest.ts';

/** One run at a time writes a snapshot. */
export interface PlaceLock {
  /** Ends the lock, and removes what only its holder needed. */
  release(): Promise<void>;
}

/**
 * The root of a snapshot, or the folder of a register in it. One object serves one writer: it knows what that has read and
 * written. All methods throw `output_failed`, or errors of the file system.
 */
export interface Place {
  /** What messages call it. */
  readonly path: string;
  /** What messages call a file in it. */
  nameOf(name: string): string;
  /** The folder of this machine where files wait under their names with `.tmp` until they are moved to their places. */
  readonly waiting: string;
  /** How many files may wait. */
  readonly batchFiles: number;

  /** The folder with this name in it, for a writer of its own. */
  within(folder: string): Place;

  /** Makes it if it does not exist. */
  make(): Promise<void>;
  /** The names in it, and the files at any depth of some folders in it, with slashes. */
  names(within: readonly string[]): Promise<ReadonlySet<string>>;
  /** The names directly in it, or directly in a folder in it; none if that does not exist. */
  list(folder?: string): Promise<ReadonlySet<string>>;
  /** Whether it has this file. */
  has(name: string): Promise<boolean>;
  /** The bytes of a file; null if there is none. */
  read(name: string): Promise<Buffer | null>;

  /** Makes the folder in which a file waits. */
  makeFolderOf(name: string): Promise<void>;
  /** Removes what the names say that a killed run left waiting. */
  clear(names: ReadonlySet<string>): Promise<void>;
  /** Opens the journal, whose earlier lines stay, and adds a text. Resolves once that is kept, whatever happens. */
  openJournal(text: string): Promise<unknown>;
  /** Adds a text to the open journal. Resolves once it is kept. */
  note(text: string): Promise<void>;
  /** Closes the journal: from here on nothing is noted. */
  closeJournal(): void;
  /** Ends the journal: the folder is complete. */
  removeJournal(): Promise<void>;

  /** Moves files that wait to their places, in their order. */
  move(files: readonly StagedFile[]): Promise<void>;
  /** Removes files in their order, and folders that they leave empty. */
  remove(names: readonly string[]): Promise<void>;
  /** Removes a folder with all that is in it. */
  removeFolder(name: string): Promise<void>;
  /** Writes the manifest after everything else, and not before `ready`. */
  complete(manifest: ManifestParts, ready: Promise<unknown>): Promise<void>;
}

/** The root of a snapshot. */
export interface RootPlace extends Place {
  /** Locks it against all other runs. @throws GazetteError `snapshot_busy`, `output_failed` */
  lock(): Promise<PlaceLock>;
}
