import { rowKeysContract } from '../../contracts/row-keys-contract.ts';
import { freshStores } from '../../stores/sqlite/fresh-store.ts';

rowKeysContract('An import into SQLite', freshStores());
