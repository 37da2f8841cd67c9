import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteStore } from '../../../../src/stores/sqlite/store.ts';
import { promotionContract } from '../contracts/promotion-contract.ts';
import { type RestorableStore, recoveryContract } from '../contracts/recovery-contract.ts';

const restorable = async (): Promise<RestorableStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const stores = [SqliteStore.open(join(folder, 'store.db'))];
  const run = (path: string, sql: string): void => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
  };
  let last = '';
  return {
    store: stores[0]!,
    copy: () => {
      last = join(folder, `copy-${stores.length}.db`);
      run(join(folder, 'store.db'), `VACUUM INTO '${last}'`);
      const store = SqliteStore.open(last);
      stores.push(store);
      return Promise.resolve(store);
    },
    run: (sql) => {
      run(last, sql);
      return Promise.resolve();
    },
    dispose: async () => {
      for (const store of stores) await store.close();
      await rm(folder, { recursive: true });
    },
  };
};

recoveryContract(restorable);
promotionContract(restorable);
