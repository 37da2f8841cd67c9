// What wings add to the store that holds a row of every kind (test/contracts/full-store.ts).
import type { ServiceStore } from '../../src/stores/contract/accounts.ts';
import { fillLogs } from './proofs/signing.ts';
import { fillPurchases } from './selling/filled.ts';

export const FILLED: readonly ((store: ServiceStore) => Promise<void>)[] = [fillLogs, fillPurchases];
