import { longTextsContract } from '../../contracts/long-texts-contract.ts';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';

longTextsContract(async () => {
  const store = SqliteStore.open(':memory:');
  return { store, dispose: () => store.close() };
});
