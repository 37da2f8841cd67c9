// A store against a model of plain arrays: what every filter finds, page for page, while the register changes.
import { findingModelContract } from '../../contracts/finding-model-contract.ts';
import { freshStores } from './fresh-store.ts';

findingModelContract('SqliteStore', freshStores());
