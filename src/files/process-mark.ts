// Shows other processes of this host that a process still runs: a file in the folder for temporary files, locked until
// the process ends, however it ends. Process ids would not do, because containers that share a store may use the same.
import { existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFile } from './lock.ts';

/** A mark of this process. */
export interface ProcessMark {
  /** Removes it. */
  end(): void;
}

/**
 * Marks that this process runs, under a unique name of a-z, 0-9 and `-`. Where the folder cannot be written there is no
 * mark: the result is then null, and others cannot find out whether the process runs.
 */
export function markProcess(name: string): ProcessMark | null {
  const path = pathOf(name);
  const lock = tryLock(path);
  if (lock === null) return null;
  return {
    end: () => {
      lock.release();
      rmSync(path, { force: true });
    },
  };
}

/**
 * Whether the process that made this mark ran on this host and was killed. False when it still runs, when it removed its
 * mark, or when nothing is known: it runs on another host, or with another folder for temporary files.
 */
export function isProcessGone(name: string): boolean {
  const path = pathOf(name);
  if (!existsSync(path)) return false;
  const lock = tryLock(path);
  if (lock === null) return false;
  lock.release();
  return true;
}

/** Removes the mark of a process that {@link isProcessGone}. */
export function removeMark(name: string): void {
  rmSync(pathOf(name), { force: true });
}

function tryLock(path: string): ReturnType<typeof lockFile> {
  try {
    return lockFile(path);
  } catch {
    // Another user's file, or a folder that cannot be written: nothing is known, and the lease ends by its time.
    return null;
  }
}

function pathOf(name: string): string {
  return join(tmpdir(), `gazette-${name}.lock`);
}
