// Selling as a wing: who sells records, from credit and by the providers of the service, and what was sold.
import { purchaseRoutes } from '../http/purchases.ts';
import { PrepaidCredit } from '../purchases/prepaid.ts';
import { Seller } from '../purchases/seller.ts';
import type { Wing } from '../../../service/wing.ts';
import { SELLING } from '../stores/plugin.ts';

/** The wing. */
export const SELLING_WING: Wing = {
  name: 'selling',
  after: 'getRecord',
  open(store, { providers = [] }) {
    const ledger = store.part(SELLING);
    const seller = new Seller({ ledger, providers: [new PrepaidCredit(ledger), ...providers] });
    return {
      selling: { ledger, seller },
      routes: ({ service }) => purchaseRoutes(service, seller),
    };
  },
};
