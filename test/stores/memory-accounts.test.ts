import { MemoryStore } from '../../src/stores/memory.ts';
import { accountStoreContract } from '../contracts/account-store-contract.ts';

accountStoreContract('MemoryStore', async () => {
  const store = new MemoryStore();
  return { store, dispose: () => store.close() };
});
