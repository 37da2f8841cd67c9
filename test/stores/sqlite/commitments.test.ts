import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { commitmentContract, type CommittedRow, selectCommitted } from '../../contracts/commitments.ts';

commitmentContract(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const path = join(folder, 'store.db');
  const store = SqliteStore.open(path);
  const database = new DatabaseSync(path);
  return {
    store,
    committed: async () => database.prepare(selectCommitted('')).all() as unknown as CommittedRow[],
    dispose: async () => {
      database.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});
