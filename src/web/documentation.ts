// What openapi.json and the reference say of a route, whichever surface it belongs to.
import type { RouteConfig, z } from '@hono/zod-openapi';
import type { ErrorCode } from '../errors.ts';

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
