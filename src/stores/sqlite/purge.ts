// Removes all traces of erased content from a SQLite file. secure_delete overwrites deleted rows, but not the copies
// that b-tree pages keep of rows they once moved, nor those in the write-ahead log. Therefore the file is rebuilt, which
// needs no reader to end, and the log is truncated, which does.
import type { PurgeHooks } from '../logic/purges.ts';
import { runInThread, type Statement } from './thread.ts';
import { isBusy } from './transaction.ts';

const REWRITES = {
  file: [['PRAGMA secure_delete = ON'], ['VACUUM']],
  'write-ahead log': [['PRAGMA wal_checkpoint(TRUNCATE)']],
} as const satisfies Readonly<Record<string, readonly Statement[]>>;

/** @param file the path of the file, or a URL; null for a store in memory, of which nothing is left */
export function sqlitePurge(file: string | null): PurgeHooks {
  return {
    parts: file === null ? [] : Object.keys(REWRITES),
    async rewrite(part, waitMs) {
      if (file === null) return true;
      try {
        const row = await runInThread(
          file,
          { busyTimeoutMs: Math.round(waitMs) },
          REWRITES[part as keyof typeof REWRITES],
        );
        return part !== 'write-ahead log' || row?.busy === 0;
      } catch (error) {
        if (isBusy(error)) return false;
        throw error;
      }
    },
    beyond: () =>
      Promise.resolve([
        'backups and other copies of the store’s file, for as long as they are kept',
        'blocks of the disk that the file no longer uses, and snapshots of the disk, until the system overwrites them',
      ]),
  };
}
