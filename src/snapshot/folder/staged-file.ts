// A file written beside its place: from there one step moves it, so that nobody ever sees half of it.
import { closeSync, fdatasync, openSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { GazetteError, isGazetteError } from '../../errors.ts';
import { digestOf, type FileEntry } from './manifest.ts';

/** What a file in work is called, behind its own name. */
export const TEMPORARY_SUFFIX = '.tmp';

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

/** Parts that are shorter go out together, in bytes: a manifest has thousands, each less than a call to the system is worth. */
const PIECE_SIZE = 65_536;

const synchronise = promisify(fdatasync);

/** What the manifest says of a file of these bytes. */
export function fileEntry(bytes: Uint8Array, facts: FileFacts = {}): FileEntry {
  return { sha256: digestOf(bytes), bytes: bytes.length, ...facts };
}

/**
 * Writes the bytes beside their place, the parts one behind the other. Resolves once they are on the disk.
 *
 * @throws GazetteError `output_failed`
 */
export async function writeTemporary(path: string, bytes: Uint8Array | readonly Uint8Array[]): Promise<void> {
  await writing(path, () => write(path, bytes instanceof Uint8Array ? [bytes] : bytes));
}

/** What the file system refuses, in words that name the path. */
export async function writing<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isGazetteError(error)) throw error;
    throw new GazetteError('output_failed', `${path} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}

async function write(path: string, parts: readonly Uint8Array[]): Promise<void> {
  // One way to the thread pool instead of four: the bytes go into memory, and only the wait for the disk is worth leaving
  // this thread.
  const file = openSync(path + TEMPORARY_SUFFIX, 'w');
  try {
    for (const piece of gathered(parts)) writeFileSync(file, piece);
    await synchronise(file);
  } finally {
    closeSync(file);
  }
}

/** The parts, short ones put together; a long one is never copied. */
function* gathered(parts: readonly Uint8Array[]): Generator<Uint8Array, void, undefined> {
  let short: Uint8Array[] = [];
  let length = 0;
  for (const part of parts) {
    if (length + part.length > PIECE_SIZE && short.length > 0) {
      yield Buffer.concat(short);
      short = [];
      length = 0;
    }
    if (part.length > PIECE_SIZE) yield part;
    else {
      short.push(part);
      length += part.length;
    }
  }
  if (short.length > 0) yield Buffer.concat(short);
}
