// A wing of the service: a part that can be left out. The core knows what is said here, and no wing.
import type { RequestContext } from '../http/request-context.ts';
import type { Route } from '../http/route.ts';
import type { ServiceContext } from '../http/service-context.ts';
import type { PageOptions, PageRoute } from '../pages/services.ts';
import type { AccountServices } from '../http/routes/account/operations.ts';
import type { Buying, ToolServices } from '../mcp/tools/tool.ts';
import type { OwnerServices } from '../pages/account/services.ts';
import type { PaymentProvider, Selling } from '../views/selling.ts';
import type { ServiceStore } from '../stores/contract/accounts.ts';
import type { SignedStates } from '../views/signed.ts';

/** What a wing needs of the service that it is part of. */
export interface WingServices {
  readonly service: ServiceContext;
  /** The numbers of the versions of a record that the caller bought, with an account or with the receipt that came along. */
  readonly owned: (context: RequestContext, recordId: string) => Promise<readonly number[]>;
}

/** What is said of wings. */
export interface WingOptions {
  /** Who moves money, besides prepaid credit. Default: nobody. */
  readonly providers?: readonly PaymentProvider[];
}

/** A wing over a store. */
export interface OpenedWing {
  /** What it signs. Absent: nothing. */
  readonly signed?: SignedStates;
  /** How it sells records. Absent: it sells none. */
  readonly selling?: Selling;
  /** Its routes below `/api/v1`. */
  routes(services: WingServices): readonly Route[];
  /** Its routes of a key's account. Default: none. */
  account?(services: AccountServices): readonly Route[];
  /** How agents buy records. Default: they buy none. */
  buying?(services: Pick<ToolServices, 'registers'>): Buying;
  /** Its pages of an owner's account. Default: none. */
  ownerPages?(services: OwnerServices, service: ServiceContext): readonly PageRoute[];
  /** Its routes at the root, for programs. Default: none. */
  probes?(service: ServiceContext): readonly Route[];
  /** Its pages. Default: none. */
  pages?(service: ServiceContext, options: PageOptions): readonly PageRoute[];
}

/** A wing. */
export interface Wing {
  readonly name: string;
  /** The operation behind whose route its own stand in openapi.json. */
  readonly after: string;
  /** @throws GazetteError `missing_plugin` for a store that was opened without what it keeps there */
  readonly open: (store: ServiceStore, options: WingOptions) => OpenedWing;
}
