// A SQLite store that was restored without `gazette backup`: from a snapshot of its disk.
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { restoredContract } from '../contracts/restored-store.ts';
import { folder } from './run.ts';

restoredContract(async () => {
  const url = join(await folder(), 'store.db');
  return {
    url,
    use: async (work) => {
      const store = SqliteStore.open(url);
      try {
        return await work(store);
      } finally {
        await store.close();
      }
    },
    backup: () => copyFile(url, `${url}.kept`),
    restore: async () => {
      for (const suffix of ['-wal', '-shm']) await rm(url + suffix, { force: true });
      await copyFile(`${url}.kept`, url);
    },
  };
});
