import { MemoryStore } from '../../src/stores/memory.ts';
import { accountStoreContract, type OpenServiceStore } from '../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../contracts/delivery-store-contract.ts';
import { storeContract } from '../contracts/store-contract.ts';

const open: OpenServiceStore = async () => {
  const store = new MemoryStore();
  return { store, dispose: () => store.close() };
};

storeContract('MemoryStore', open);
accountStoreContract('MemoryStore', open);
deliveryStoreContract('MemoryStore', open);
