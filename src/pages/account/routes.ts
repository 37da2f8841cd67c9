// The pages of accounts: the way in, and everything that an owner may do.
import type { PageRoute } from '../services.ts';
import { creditRoute } from '../../wings/selling/pages/credit.ts';
import { deliveryRoutes } from './deliveries.ts';
import { endpointRoutes } from './endpoints.ts';
import { keyRoutes } from './keys.ts';
import { overviewRoute } from './overview.ts';
import { ledgerFileRoute, ledgerRoute } from '../../wings/selling/pages/ledger.ts';
import { purchaseRoute, type Shop } from '../../wings/selling/pages/purchase.ts';
import type { OwnerServices } from './services.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { ownersDoor } from './session.ts';

/** All of them. @param shop undefined: nobody sells anything, and nobody has credit */
export function ownerRoutes(services: OwnerServices, shop: Shop | undefined): readonly PageRoute[] {
  return [
    ...signInRoutes(ownersDoor(services)),
    overviewRoute(services),
    ...keyRoutes(services),
    ...endpointRoutes(services),
    ...deliveryRoutes(services),
    ...(shop === undefined
      ? []
      : [ledgerRoute(services), ledgerFileRoute(services), creditRoute(services), purchaseRoute(services, shop)]),
  ];
}
