import { SqliteStore } from '../../src/stores/sqlite/store.ts';
import { describedAnswersContract } from '../contracts/described-answers-contract.ts';

describedAnswersContract('SqliteStore', async () => {
  const store = SqliteStore.open(':memory:');
  return { store, dispose: () => store.close() };
});
