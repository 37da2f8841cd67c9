// What owners of accounts see of what was sold to them, and the form by which they buy.
import type { OwnerServices } from '../../../pages/account/services.ts';
import type { PageRoute } from '../../../pages/services.ts';
import type { Ledger } from '../operate/ledger.ts';
import { creditRoute } from './credit.ts';
import { ledgerFileRoute, ledgerRoute } from './ledger.ts';
import { purchaseRoute, type Shop } from './purchase.ts';

/** All of them. */
export function buyerRoutes(services: OwnerServices, shop: Shop, ledger: Ledger): readonly PageRoute[] {
  return [
    ledgerRoute(services, ledger),
    ledgerFileRoute(services, ledger),
    creditRoute(services),
    purchaseRoute(services, shop),
  ];
}
