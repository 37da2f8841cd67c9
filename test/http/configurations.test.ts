// What a reader may take from a date alone, over SQLite.
import { configurationContract } from '../contracts/configuration-contract.ts';
import { freshStores } from '../stores/sqlite/fresh-store.ts';

configurationContract('SQLite', freshStores());
