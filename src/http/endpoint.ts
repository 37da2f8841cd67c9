// One route, defined once: what it answers, who may ask, and what openapi.json and the reference say of it.
import type { RouteConfig, z } from '@hono/zod-openapi';
import type { ErrorCode } from '../errors.ts';
import type { Answer } from '../export/representation.ts';
import type { Tier } from '../register/tier.ts';
import type { Exchange } from './exchange.ts';

/** One answer, described. */
export type DocumentedResponse = Exclude<RouteConfig['responses'][string], { readonly $ref: string }>;

/** What the reference says of a route. Responses that are errors are listed by their codes alone. */
export interface Documentation {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: NonNullable<RouteConfig['request']>['body'];
  /** Codes of errors that this route has beside those that every one may have. */
  readonly codes?: readonly ErrorCode[];
  /** The successful answer. */
  readonly response: DocumentedResponse;
  /** Further answers that are no errors, by status. */
  readonly otherResponses?: Readonly<Record<string, DocumentedResponse>>;
}

/** A route. */
export interface Endpoint {
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
  answer(exchange: Exchange, pathParameters: Readonly<Record<string, string>>): Answer | Promise<Answer>;
}

/** The methods of a route that only reads. */
export const READING: readonly string[] = ['GET', 'HEAD'];
