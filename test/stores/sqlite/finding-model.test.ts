// A store against a model of plain arrays: what every filter finds, page for page, while the register changes.
import { mkdtemp, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { findingModelContract } from '../../contracts/finding-model-contract.ts';

findingModelContract('SqliteStore', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const path = join(folder, 'found.db');
  const store = SqliteStore.open(path);
  const database = new DatabaseSync(path);
  const top = database.prepare('UPDATE registers SET top = ? WHERE id = ?');
  return {
    store,
    setTop: async (feedId, position) => Promise.resolve(void top.run(position, feedId)),
    dispose: async () => {
      database.close();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
});
