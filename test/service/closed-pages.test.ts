import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { closedPagesContract } from '../contracts/closed-pages-contract.ts';

closedPagesContract('SqliteStore', async () => {
  const store = SqliteStore.open(':memory:');
  return { store, dispose: () => store.close() };
});
