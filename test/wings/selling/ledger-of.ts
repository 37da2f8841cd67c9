// The ledger of a store.
import type { ServiceStore } from '../../../src/stores/contract/accounts.ts';
import type { LedgerStore } from '../../../src/wings/selling/stores/contract/ledger.ts';
import { SELLING } from '../../../src/wings/selling/stores/plugin.ts';

export const ledgerOf = (store: Pick<ServiceStore, 'part'>): LedgerStore => store.part(SELLING);

/** What a store is for who asks it for its ledger alone. */
export const storeWith = (ledger: LedgerStore): Pick<ServiceStore, 'part'> => ({ part: () => ledger as never });
