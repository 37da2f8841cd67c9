// Purchases while something else happens, over SQLite.
import { purchaseEventsContract } from './contracts/purchase-events-contract.ts';
import { freshStores } from '../../stores/sqlite/fresh-store.ts';

purchaseEventsContract('SQLite', freshStores());
