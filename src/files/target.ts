// Finds the file that a path refers to.
import type { Stats } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * The stats of a path, null if it does not exist, and the file to write: for a symbolic link, its target. A device or a
 * pipe has no other path.
 */
export async function targetOf(path: string): Promise<{ readonly target: string; readonly existing: Stats | null }> {
  const existing = await statOrNull(path);
  if (existing === null) return { existing, target: await missingTarget(path) };
  return { existing, target: existing.isFile() ? await realpath(path) : path };
}

/** The file to create if it does not exist: the target of a symbolic link, directly or through others. */
async function missingTarget(path: string): Promise<string> {
  try {
    return await missingTarget(resolve(await realpath(dirname(path)), await readlink(path)));
  } catch (error) {
    // The last link points to a file that does not exist. A circle of links was found by stat before.
    if (isMissing(error)) return path;
    throw error;
  }
}

async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Whether an error of the file system says that a file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
