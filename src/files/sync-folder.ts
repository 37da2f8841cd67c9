// Syncs a folder's entries to disk: without it a crash may undo a rename.
import { open } from 'node:fs/promises';

/** Resolves once the names in a folder are on disk, if the system supports it. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and needs no sync of it; and a folder may be writable but not readable.
  const folder = process.platform === 'win32' ? null : await open(path, 'r').catch(() => null);
  if (folder === null) return;
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
