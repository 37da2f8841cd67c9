// This code on the schema after its own, which only adds: its processes work on while others are upgraded already.
import { accountStoreContract } from '../../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../../contracts/delivery-store-contract.ts';
import { findingContract } from '../../contracts/finding-contract.ts';
import { ledgerContract } from '../../wings/selling/contracts/ledger-contract.ts';
import { previewsContract } from '../../contracts/previews-contract.ts';
import { storeContract } from '../../contracts/store-contract.ts';
import { tries } from '../../effort.ts';
import { freshStores } from './fresh-store.ts';
import { toNextSchema } from './next-schema.ts';

const open = freshStores((path) => {
  toNextSchema(path);
});
// What is tried at random is nothing of schemas: a few show it.
storeContract('SqliteStore of the schema before', open, tries(5, 500));
accountStoreContract('SqliteStore of the schema before', open);
deliveryStoreContract('SqliteStore of the schema before', open);
ledgerContract('SqliteStore of the schema before', open);
findingContract('SqliteStore of the schema before', open);
previewsContract('SqliteStore of the schema before', open);
