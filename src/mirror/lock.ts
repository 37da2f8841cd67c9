// One run at a time on a copy. Unlike a folder's, the file that is locked goes with the run: it stands beside a user's own.
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
  // A run that ends takes its file away: who waited at the door with that file in hand holds nothing that others see.
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
