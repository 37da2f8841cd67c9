// What a buyer finds in previews of a SqliteStore.
import { previewsContract } from '../../contracts/previews-contract.ts';
import { freshStores } from './fresh-store.ts';

previewsContract('SqliteStore', freshStores());
