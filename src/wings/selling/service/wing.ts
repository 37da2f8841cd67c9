// Selling as a wing: who sells records, from credit and by the providers of the service, and what was sold.
import type { Wing } from '../../../service/wing.ts';
import { ledgerRoutes } from '../http/account-ledger.ts';
import { withSelling } from '../http/description.ts';
import { purchaseRoutes } from '../http/purchases.ts';
import { buyingWith } from '../mcp/buying.ts';
import { Ledger } from '../operate/ledger.ts';
import { buyerRoutes } from '../pages/routes.ts';
import { ownRecords } from '../purchases/own-records.ts';
import { PrepaidCredit } from '../purchases/prepaid.ts';
import type { Provider } from '../purchases/provider.ts';
import { Seller } from '../purchases/seller.ts';
import { SELLING } from '../stores/plugin.ts';

/** The wing. */
export const SELLING_WING: Wing = {
  name: 'selling',
  after: 'getRecord',
  open(store, { providers = [] }) {
    const ledger = store.part(SELLING);
    // Whoever takes payments was made here.
    const seller = new Seller({
      ledger,
      providers: [new PrepaidCredit(ledger), ...(providers as readonly Provider[])],
    });
    const kept = new Ledger(ledger);
    return {
      selling: {
        own: ownRecords(ledger),
        hasSold: () => ledger.hasSold(),
        contentVersion: async (id) => (await ledger.items([id])).get(id)?.contentVersion ?? null,
        async opened(receipt, id, resource) {
          const purchase = await seller.recall({ receipt, signIn: null, resource }, id);
          return purchase === null ? [] : [purchase.item.contentVersion];
        },
        described: withSelling,
      },
      routes: ({ service }) => purchaseRoutes(service, seller),
      account: (services) => ledgerRoutes(services, kept),
      buying: (services) => buyingWith(seller, services),
      ownerPages: (services, service) => buyerRoutes(services, { services: service, seller }, kept),
    };
  },
};
