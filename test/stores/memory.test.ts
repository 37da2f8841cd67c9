import { MemoryStore } from '../../src/stores/memory.ts';
import { storeContract } from '../contracts/store-contract.ts';

storeContract('MemoryStore', async () => {
  const store = new MemoryStore();
  return { store, dispose: () => store.close() };
});
