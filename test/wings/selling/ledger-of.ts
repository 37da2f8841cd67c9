// The ledger of a store.
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import type { LedgerStore } from '../../../src/stores/contract/ledger.ts';
import { SELLING } from '../../../src/stores/logic/purchases/plugin.ts';

export const ledgerOf = (store: Pick<ServiceStore, 'part'>): LedgerStore => store.part(SELLING);

/** What a store is for who asks it for its ledger alone. */
export const storeWith = (ledger: LedgerStore): Pick<ServiceStore, 'part'> => ({ part: () => ledger as never });
