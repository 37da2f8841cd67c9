// Purchases in a SQLite file.
import { ledgerContract } from '../../contracts/ledger-contract.ts';
import { freshStores } from './fresh-store.ts';

ledgerContract('SQLite', freshStores());
