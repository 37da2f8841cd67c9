// Shows other processes of this host that a process still runs: a file in a folder that they all see, locked until the
// process ends, however it ends. Process ids would not do, because containers that share a store may use the same.
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile } from './lock.ts';

/** A mark of this process. */
export interface ProcessMark {
  /** Removes it. */
  end(): void;
  /** Leaves it as a killed process does: others find it without its process. */
  leave(): void;
}

/**
 * What a mark says of its process. `gone`: it ran on this host and ended without removing its mark. `absent`: there is no
 * mark. `unknown`: there is one, and this process has no right to look.
 */
export type MarkState = 'running' | 'gone' | 'absent' | 'unknown';

/** The owner's group may write to a store, and must find out whether its processes run. */
const MODE = 0o660;

/**
 * Marks that this process runs, under a unique name of a-z, 0-9 and `-`. Where the folder cannot be written there is no
 * mark, and the result is null.
 */
export function markProcess(folder: string, name: string): ProcessMark | null {
  const path = pathOf(folder, name);
  const lock = tryLock(path);
  if (lock === null || lock === 'unknown') return null;
  chmodSync(path, MODE);
  return {
    end: () => {
      lock.release();
      rmSync(path, { force: true });
    },
    leave: () => {
      lock.release();
    },
  };
}

/** What the mark of this name says. */
export function markState(folder: string, name: string): MarkState {
  const path = pathOf(folder, name);
  if (!existsSync(path)) return 'absent';
  const lock = tryLock(path);
  if (lock === null) return 'running';
  if (lock === 'unknown') return 'unknown';
  lock.release();
  return 'gone';
}

/** Removes the mark of a process that is gone, if this process may. */
export function removeMark(folder: string, name: string): void {
  try {
    rmSync(pathOf(folder, name), { force: true });
  } catch {
    // It is another user's, in a folder like that for temporary files, and says to everybody what it said.
  }
}

/** @returns null: another has it; `unknown`: another user's file, or a folder that cannot be written */
function tryLock(path: string): ReturnType<typeof lockFile> | 'unknown' {
  try {
    return lockFile(path);
  } catch {
    return 'unknown';
  }
}

function pathOf(folder: string, name: string): string {
  return join(folder, `gazette-${name}.lock`);
}
