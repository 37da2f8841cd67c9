// A suite for the code of the schema before, which is given a copy of this file: its stores are made by newer code.
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { SqliteStore } from '../../../src/stores/sqlite/store.ts';
import { accountStoreContract } from '../../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../../contracts/delivery-store-contract.ts';
import { findingContract } from '../../contracts/finding-contract.ts';
import { ledgerContract } from '../../contracts/ledger-contract.ts';
import { previewsContract } from '../../contracts/previews-contract.ts';
import { storeContract } from '../../contracts/store-contract.ts';

let folder = '';
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gazette-'));
});
afterAll(() => rm(folder, { recursive: true }));

const open = async (): Promise<{ readonly store: SqliteStore; readonly dispose: () => Promise<void> }> => {
  const path = join(folder, `${++files}.db`);
  await copyFile(process.env.GAZETTE_TEST_STORE!, path);
  const store = SqliteStore.open(path);
  return { store, dispose: () => store.close() };
};
storeContract('SqliteStore', open);
accountStoreContract('SqliteStore', open);
deliveryStoreContract('SqliteStore', open);
ledgerContract('SqliteStore', open);
findingContract('SqliteStore', open);
previewsContract('SqliteStore', open);
