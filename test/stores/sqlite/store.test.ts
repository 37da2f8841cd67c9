import { accountStoreContract } from '../../contracts/account-store-contract.ts';
import { deliveryStoreContract } from '../../contracts/delivery-store-contract.ts';
import { storeContract } from '../../contracts/store-contract.ts';
import { tries } from '../../effort.ts';
import { freshStores } from './fresh-store.ts';

const open = freshStores();
storeContract('SqliteStore', open, tries(40, 10_000));
accountStoreContract('SqliteStore', open);
deliveryStoreContract('SqliteStore', open);
