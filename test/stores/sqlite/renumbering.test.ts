// Records of a store get new keys.
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { renumberingContract } from '../../contracts/renumbering-contract.ts';

renumberingContract('SqliteStore', async () => {
  const store = SqliteStore.open(':memory:');
  return Promise.resolve({ store, dispose: () => store.close() });
});
