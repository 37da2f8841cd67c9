// Which file a path means.
import type { Stats } from 'node:fs';
import { readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * What is at a path, null for nothing, and the file to write. Behind a symbolic link that is the file it points at; a device
 * or a pipe has no other path.
 */
export async function targetOf(path: string): Promise<{ readonly target: string; readonly existing: Stats | null }> {
  const existing = await statOrNull(path);
  if (existing === null) return { existing, target: await missingTarget(path) };
  return { existing, target: existing.isFile() ? await realpath(path) : path };
}

/** The file to make where there is none: the one a symbolic link points at, itself or through others. */
async function missingTarget(path: string): Promise<string> {
  try {
    return await missingTarget(resolve(await realpath(dirname(path)), await readlink(path)));
  } catch (error) {
    // The end of the links: no file at all. A circle of links was found by stat before.
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

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
