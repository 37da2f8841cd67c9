import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { logContract } from '../contracts/log-contract.ts';

logContract(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path);
  return {
    store,
    run: async (sql) => {
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
    },
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});
