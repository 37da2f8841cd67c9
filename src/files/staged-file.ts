// A file of one writer, such as the holder of a lock: it is written beside its place under a fixed name, and one step then
// moves it there, so that nobody ever sees half of it. What a crash leaves beside a place is overwritten by the next run.
// Made for thousands of small files: one way to the thread pool each, and the folder is for the caller to sync.
import { closeSync, fdatasync, openSync, renameSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { writing } from './output-failed.ts';

/** What a file in work is called, behind its own name. */
export const TEMPORARY_SUFFIX = '.tmp';

/** Parts that are shorter go out together, in bytes: a manifest has thousands, each less than a call to the system is worth. */
const PIECE_SIZE = 65_536;

const synchronise = promisify(fdatasync);

/**
 * Writes the bytes beside their place, the parts one behind the other. Resolves once they are on the disk.
 *
 * @throws GazetteError `output_failed`
 */
export async function stageFile(path: string, bytes: Uint8Array | readonly Uint8Array[]): Promise<void> {
  await writing(path, () => write(path, bytes instanceof Uint8Array ? [bytes] : bytes));
}

/** Moves a file that was staged to its place, at once. What the file system refuses is thrown as it comes. */
export function placeStaged(path: string): void {
  renameSync(path + TEMPORARY_SUFFIX, path);
}

/** Gives a file these bytes, or leaves it as it is, with nothing beside it. What the file system refuses is thrown as it comes. */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await write(path, [bytes]);
    placeStaged(path);
  } catch (error) {
    await rm(path + TEMPORARY_SUFFIX, { force: true });
    throw error;
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
