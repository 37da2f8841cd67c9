// Imports of a store are taken back, at random.
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { undoContract } from '../../contracts/undo-contract.ts';

undoContract('SqliteStore', async () => {
  const store = SqliteStore.open(':memory:');
  return Promise.resolve({ store, dispose: () => store.close() });
});
