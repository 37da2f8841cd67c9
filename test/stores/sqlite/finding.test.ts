import { findingContract } from '../../contracts/finding-contract.ts';
import { openFresh } from './fresh-store.ts';

findingContract('SqliteStore', openFresh);
