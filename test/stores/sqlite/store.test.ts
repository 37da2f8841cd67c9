import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { accountStoreContract, type OpenServiceStore } from '../../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../../contracts/delivery-store-contract.ts';
import { storeContract } from '../../contracts/store-contract.ts';

const open: OpenServiceStore = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gazette-'));
  const store = SqliteStore.open(join(folder, 'store.db'));
  return {
    store,
    dispose: async () => {
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
};

storeContract('SqliteStore', open);
accountStoreContract('SqliteStore', open);
deliveryStoreContract('SqliteStore', open);
