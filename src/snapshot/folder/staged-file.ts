// The description of a file that a run has made.
import { digestOf, type FileEntry } from './manifest.ts';

/** The properties of a file other than its bytes. */
export type FileFacts = Omit<FileEntry, 'sha256' | 'bytes'>;

/** A file that was made. */
export interface StagedFile {
  /** In its folder, with slashes. */
  readonly name: string;
  readonly entry: FileEntry;
  /** Whether it waits under a temporary name; not needed if the file already has these bytes. */
  readonly isWritten: boolean;
}

/** The manifest's entry for a file with these bytes. */
export function fileEntry(bytes: Uint8Array, facts: FileFacts = {}): FileEntry {
  return { sha256: digestOf(bytes), bytes: bytes.length, ...facts };
}
