// Purchases by several processes on a SQLite file, and by processes that are killed.
import { folder } from '../cli/run.ts';
import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { killedBuyers } from './killed-buyers.ts';

killedBuyers('SQLite', async () => {
  const url = `${await folder()}/store.db`;
  const store = SqliteStore.open(url);
  return { store, url, dispose: () => store.close() };
});
