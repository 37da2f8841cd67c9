// `/account`: the account of a key, for programs. What may be done, and what not, is decided in operate/own-account.ts.
import type { Route } from '../../route.ts';
import { deliveryRoutes } from './deliveries.ts';
import { endpointRoutes } from './endpoints.ts';
import { keyRoutes } from './keys.ts';
import type { AccountServices } from './operations.ts';

/** The routes. */
export function accountRoutes(services: AccountServices): readonly Route[] {
  return [...keyRoutes(services), ...endpointRoutes(services), ...deliveryRoutes(services)];
}
