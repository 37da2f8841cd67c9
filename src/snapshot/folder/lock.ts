// One run at a time on a folder. The empty lock file stays: a run that removed it could remove the lock of the next run.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GazetteError } from '../../errors.ts';
import { type FileLock, lockFile } from '../../files/lock.ts';
import { writing } from '../../files/output-failed.ts';

/** The name of the file that is locked; what {@link lockFile} says of it holds. */
export const LOCK_FILE = '.gazette.lock';

/**
 * Locks a folder, which is made where it is missing, against other runs in this and every other process.
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
