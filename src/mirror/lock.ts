// One run at a time on a copy. The lock file is removed when the run ends, because it lies beside a user's own files; that
// of a snapshot's folder stays.
import { open, rm, stat } from 'node:fs/promises';
import { lockFile } from '../files/lock.ts';

/** A lock that is held. */
export interface PullLock {
  release(): Promise<void>;
}

/** Locks the copy at `path`; null when another run of this or any process has it. Throws what the file system says. */
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
        // While it is held: afterwards it may be another run's. Windows keeps what is open, and so an empty file.
        await rm(name, { force: true }).catch(() => undefined);
      } finally {
        lock.release();
      }
    },
  };
}
