// What is said of a file that a run has made.
import { digestOf, type FileEntry } from './manifest.ts';

/** What is said of a file besides its bytes. */
export type FileFacts = Omit<FileEntry, 'sha256' | 'bytes'>;

/** A file that was made. */
export interface StagedFile {
  /** In its folder, with slashes. */
  readonly name: string;
  readonly entry: FileEntry;
  /** Whether it waits beside its place; a file that has these bytes already does not. */
  readonly isWritten: boolean;
}

/** What the manifest says of a file of these bytes. */
export function fileEntry(bytes: Uint8Array, facts: FileFacts = {}): FileEntry {
  return { sha256: digestOf(bytes), bytes: bytes.length, ...facts };
}
