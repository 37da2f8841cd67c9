// A route of the service, whichever surface it belongs to: who may ask, what it answers, and what openapi.json says of it.
import type { Tier } from '../register/tier.ts';
import type { Documentation } from '../web/documentation.ts';
import type { HttpResponse } from '../web/representation.ts';
import type { ServedRequest } from '../web/served-request.ts';
import type { Access } from './access.ts';

/** A request whose sender is known. */
export interface AuthenticatedRequest extends ServedRequest {
  readonly access: Access;
}

/** A route that needs to know no more of a request than `Context` says. */
export interface RouteOf<Context> {
  /** Parameters in braces, as OpenAPI writes it. One that is part of its segment comes with the part before it. */
  readonly path: string;
  /** The least tier that may ask. */
  readonly access: Tier;
  /** Null: served and not documented. */
  readonly documentation: Documentation | null;
  /** The methods beside OPTIONS. Default GET and HEAD. */
  readonly methods?: readonly string[];
  /** Header fields that pages of other sites may send, beside `Authorization`. */
  readonly requestHeaders?: readonly string[];
  /** Whether requests are counted, authenticated and cached; probes are not. Default true. */
  readonly isMetered?: boolean;
  /**
   * Answers a request that may ask.
   *
   * @param pathParameters decoded; may hold anything at all
   */
  answer(context: Context, pathParameters: Readonly<Record<string, string>>): HttpResponse | Promise<HttpResponse>;
}
