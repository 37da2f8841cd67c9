import { findingModelContract } from '../../contracts/finding-model-contract.ts';
import { freshStores } from './fresh-store.ts';

findingModelContract('SqliteStore', freshStores());
