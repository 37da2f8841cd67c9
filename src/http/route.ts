// One route, defined once: what it answers, who may ask, and what openapi.json and the reference say of it.
import type { Documentation } from '../web/documentation.ts';
import type { HttpResponse } from '../web/representation.ts';
import type { Tier } from '../register/tier.ts';
import type { RequestContext } from './request-context.ts';

/** A route. */
export interface Route {
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
  answer(
    context: RequestContext,
    pathParameters: Readonly<Record<string, string>>,
  ): HttpResponse | Promise<HttpResponse>;
}

/** The methods of a route that only reads. */
export const READING: readonly string[] = ['GET', 'HEAD'];
