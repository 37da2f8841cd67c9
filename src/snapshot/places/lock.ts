// One run at a time on a folder. The empty lock file remains: a run that removed it could remove the lock of the next
// run.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GazetteError } from '../../errors.ts';
import { type FileLock, lockFile } from '../../files/lock.ts';
import { writing } from '../../files/output-failed.ts';

/** The name of the locked file; see {@link lockFile}. */
export const LOCK_FILE = '.gazette.lock';

/**
 * Locks a folder against other runs in this and every other process. Creates the folder if it does not exist.
 *
 * @throws GazetteError `snapshot_busy` when another run works on it, `output_failed`.
 */
export async function lockFolder(folder: string): Promise<FileLock> {
  return writing(folder, async () => {
    await mkdir(folder, { recursive: true });
    const lock = lockFile(join(folder, LOCK_FILE));
    if (lock !== null) return lock;
    throw new GazetteError('snapshot_busy', `${folder} is being written by another run`, { details: { path: folder } });
  });
}
