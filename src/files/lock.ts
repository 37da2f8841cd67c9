// A lock of the operating system, taken through SQLite, which has one on every system that Node runs on. It ends with its
// process, however that ends: there are no stale locks, and no process ids that mean another process in another container.
import { DatabaseSync } from 'node:sqlite';

/** https://sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/** A lock that is held. */
export interface FileLock {
  /** Lets go of it. */
  release(): void;
}

/**
 * Locks a file, which is made where it is missing and stays empty, against this and every other process; null when it is
 * locked already. No file of this name may be opened by this process in any other way while it is locked: closing it would
 * let go of the lock (POSIX, fcntl). What the file system refuses is thrown as it comes.
 */
export function lockFile(path: string): FileLock | null {
  const database = new DatabaseSync(path);
  try {
    // Nothing is ever written: the file stays empty, and needs no other one beside it.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { readonly errcode?: number }).errcode === SQLITE_BUSY) return null;
    throw error;
  }
  return {
    release: () => {
      if (database.isOpen) database.close();
    },
  };
}
