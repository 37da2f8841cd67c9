// The pages of accounts: the way in, and everything that an owner may do.
import type { PageRoute } from '../services.ts';
import { deliveryRoutes } from './deliveries.ts';
import { endpointRoutes } from './endpoints.ts';
import { keyRoutes } from './keys.ts';
import { overviewRoute } from './overview.ts';
import { ledgerRoute } from './ledger.ts';
import type { OwnerServices } from './services.ts';
import { signInRoutes } from './sign-in.ts';

/** All of them. */
export function ownerRoutes(services: OwnerServices): readonly PageRoute[] {
  return [
    ...signInRoutes(services),
    overviewRoute(services),
    ...keyRoutes(services),
    ...endpointRoutes(services),
    ...deliveryRoutes(services),
    ledgerRoute(services),
  ];
}
