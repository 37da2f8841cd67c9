// What openapi.json and the reference say of a route, whichever surface it belongs to.
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

/** A body: a schema that validates, or a JSON Schema where there is nothing to validate. */
export interface DocumentedBody {
  readonly schema: z.ZodType | Readonly<Record<string, unknown>>;
}

/** One answer, described. */
export interface DocumentedResponse {
  readonly description: string;
  /** By media type. */
  readonly content?: Readonly<Record<string, DocumentedBody>>;
}

/** What the reference says of a route. Responses that are errors are listed by their codes alone. */
export interface Documentation {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The parameters in the path, as members of an object. */
  readonly params?: z.ZodType;
  /** Those in the query. */
  readonly query?: z.ZodType;
  /** The body of a request, by media type. */
  readonly body?: Readonly<Record<string, DocumentedBody>>;
  /** Codes of errors that this route has beside those that every one may have. */
  readonly codes?: readonly ErrorCode[];
  /** The successful answer. */
  readonly response: DocumentedResponse;
  /** Further answers that are no errors, by status. */
  readonly otherResponses?: Readonly<Record<string, DocumentedResponse>>;
}
