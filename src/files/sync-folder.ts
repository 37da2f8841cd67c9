// Puts a folder's own entries on the disk: without it a crash may undo a rename.
import { open } from 'node:fs/promises';

/** Resolves once the names in a folder are on the disk, where the system has a way to ask for it. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and needs no sync of it; nor may every folder be read that may be written.
  const folder = process.platform === 'win32' ? null : await open(path, 'r').catch(() => null);
  if (folder === null) return;
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
