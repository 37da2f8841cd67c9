// One run at a time on a copy. The lock file is removed when the run ends, because it is next to a user's own files;
// that of a snapshot's folder remains.
import { open, rm, stat } from 'node:fs/promises';
import { lockFile } from '../files/lock.ts';

/** A lock that is held. */
export interface PullLock {
  release(): Promise<void>;
}

/**
 * Locks the copy at `path`; null when another run of this or any process has it. Throws the errors of the file system.
 */
export async function lockPull(path: string): Promise<PullLock | null> {
  const name = `${path}.pull.lock`;
  const made = await open(name, 'a');
  const { ino } = await made.stat().finally(() => made.close());
  const lock = lockFile(name);
  if (lock === null) return null;
  // The previous run deletes its lock file on exit; if our inode differs from the path's, the lock is void.
  const there = await stat(name).catch(() => null);
  if (there?.ino !== ino) {
    lock.release();
    return null;
  }
  return {
    async release() {
      try {
        // Deleted while the lock is held: afterwards it may be another run's. On Windows an open file cannot be
        // deleted, and an empty file remains.
        await rm(name, { force: true }).catch(() => undefined);
      } finally {
        lock.release();
      }
    },
  };
}
