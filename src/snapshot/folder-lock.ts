// One run at a time on a folder. The lock is the operating system's, held through SQLite, which has it on every system
// that Node runs on: it goes with its process however that ends, so there is no stale lock to judge, and no process id
// that means another process in another container. The empty file stays, for whoever removed it could take it from under
// the next run.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { GazetteError } from '../errors.ts';
import { writing } from './staged-file.ts';

/**
 * The name of the file that is locked. No file of this name may be opened by this process in any other way while it is
 * locked: closing it would let go of the lock (POSIX, fcntl).
 */
export const LOCK_FILE = '.gazette.lock';

/** https://sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/** A lock that is held. */
export interface FolderLock {
  /** Lets go of it. */
  release(): void;
}

/**
 * Locks a folder, which is made where it is missing, against other runs in this and every other process.
 *
 * @throws GazetteError `snapshot_busy` when another run works on it, `output_failed`.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  return writing(folder, async () => {
    await mkdir(folder, { recursive: true });
    const database = new DatabaseSync(join(folder, LOCK_FILE));
    try {
      // Nothing is ever written: the file stays empty, and needs no other one beside it.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      if ((error as { readonly errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      throw new GazetteError('snapshot_busy', `${folder} is being written by another run`, {
        cause: error,
        details: { path: folder },
      });
    }
    return {
      release: () => {
        if (database.isOpen) database.close();
      },
    };
  });
}
