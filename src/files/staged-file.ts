// A file with one writer, such as the holder of a lock. It is written under a fixed temporary name and then moved to
// its place in one step, so that an incomplete file is never visible. The next run overwrites what a crash leaves under
// the temporary name. Optimised for thousands of small files: each uses the thread pool once, and the caller must sync
// the folder.
import { createHash } from 'node:crypto';
import { closeSync, fdatasync, openSync, renameSync, writeFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { writing } from './output-failed.ts';

/** The suffix of a temporary name. */
export const TEMPORARY_SUFFIX = '.tmp';

/**
 * Parts shorter than this are written together, in bytes: a manifest has thousands, too short for a system call each.
 */
const PIECE_SIZE = 65_536;

const synchronise = promisify(fdatasync);

/**
 * Writes the parts one after the other under the temporary name. Resolves once they are on disk.
 *
 * @throws GazetteError `output_failed`
 */
export async function stageFile(path: string, bytes: Uint8Array | readonly Uint8Array[]): Promise<void> {
  await writing(path, () => write(path, bytes instanceof Uint8Array ? [bytes] : bytes));
}

/**
 * Writes chunks under the temporary name as they come. Resolves once they are on disk. Each chunk has been written when the next
 * one is asked for.
 *
 * @returns what there is to say of the bytes
 * @throws GazetteError `output_failed`, and what the chunks throw
 */
export async function stageChunks(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const file = await writing(path, () => open(path + TEMPORARY_SUFFIX, 'w'));
  const digest = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      digest.update(chunk);
      bytes += chunk.length;
      await writing(path, () => file.writeFile(chunk));
    }
    await writing(path, () => file.datasync());
  } finally {
    await file.close();
  }
  return { sha256: digest.digest('hex'), bytes };
}

/** Removes a staged file. Errors of the file system are thrown unchanged. */
export async function dropStaged(path: string): Promise<void> {
  await rm(path + TEMPORARY_SUFFIX, { force: true });
}

/** Moves a staged file to its place, synchronously. Errors of the file system are thrown unchanged. */
export function placeStaged(path: string): void {
  renameSync(path + TEMPORARY_SUFFIX, path);
}

/**
 * Gives a file these bytes, or leaves it unchanged without a temporary file. Errors of the file system are thrown
 * unchanged.
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await write(path, [bytes]);
    placeStaged(path);
  } catch (error) {
    await dropStaged(path);
    throw error;
  }
}

async function write(path: string, parts: readonly Uint8Array[]): Promise<void> {
  // One use of the thread pool instead of four: the bytes go to memory at once, and only the wait for the disk is
  // asynchronous.
  const file = openSync(path + TEMPORARY_SUFFIX, 'w');
  try {
    for (const piece of gathered(parts)) writeFileSync(file, piece);
    await synchronise(file);
  } finally {
    closeSync(file);
  }
}

/** The parts, with short ones combined; a long one is never copied. */
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
