// The pages of accounts: the way in, and everything that an owner may do.
import type { PageRoute } from '../services.ts';
import { deliveryRoutes } from './deliveries.ts';
import { endpointRoutes } from './endpoints.ts';
import { keyRoutes } from './keys.ts';
import { overviewRoute } from './overview.ts';
import type { OwnerServices } from './services.ts';
import { signInRoutes } from '../sign-in/routes.ts';
import { ownersDoor } from './session.ts';

/** All of them. */
export function ownerRoutes(services: OwnerServices): readonly PageRoute[] {
  return [
    ...signInRoutes(ownersDoor(services)),
    overviewRoute(services),
    ...keyRoutes(services),
    ...endpointRoutes(services),
    ...deliveryRoutes(services),
  ];
}
