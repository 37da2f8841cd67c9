// A lock of the operating system, taken through SQLite, which supports it on every system that Node runs on. It ends
// with its process, however that ends: there are no stale locks, and no process ids that mean another process in
// another container.
import { DatabaseSync } from 'node:sqlite';
import { primaryCode, SQLITE_BUSY } from './sqlite-codes.ts';

/** A lock that is held. */
export interface FileLock {
  /** Releases it. */
  release(): void;
}

/**
 * Locks a file against this and every other process; null when it is already locked. The file is created if it does not
 * exist, and stays empty. While it is locked, this process must not open the file in any other way: closing it would
 * release the lock (POSIX, fcntl). Errors of the file system are thrown unchanged.
 */
export function lockFile(path: string): FileLock | null {
  const database = new DatabaseSync(path);
  try {
    // Nothing is ever written: the file stays empty, and needs no journal.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (primaryCode(error) === SQLITE_BUSY) return null;
    throw error;
  }
  return {
    release: () => {
      if (database.isOpen) database.close();
    },
  };
}
