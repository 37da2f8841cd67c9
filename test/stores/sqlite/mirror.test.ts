// Mirrors of a SQLite store.
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { mirrorContract } from '../../contracts/mirror-contract.ts';

mirrorContract('SqliteStore', async () => {
  const store = SqliteStore.open(':memory:');
  return Promise.resolve({ store, dispose: () => store.close() });
});
