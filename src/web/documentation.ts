// The description of a route in openapi.json and the reference, on any surface.
import type { z } from 'zod';
import type { ErrorCode } from '../errors.ts';

/** A body: a schema that validates, or a JSON Schema if there is nothing to validate. */
export interface DocumentedBody {
  readonly schema: z.ZodType | Readonly<Record<string, unknown>>;
}

/** The description of one answer. */
export interface DocumentedResponse {
  readonly description: string;
  /** By media type. */
  readonly content?: Readonly<Record<string, DocumentedBody>>;
}

/** The description of a route. Error responses are listed only by their codes. */
export interface Documentation {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  /** The path parameters, as members of an object. */
  readonly params?: z.ZodType;
  /** The query parameters. */
  readonly query?: z.ZodType;
  /** The header fields of a request, as members of an object. */
  readonly fields?: z.ZodType;
  /** The body of a request, by media type. */
  readonly body?: Readonly<Record<string, DocumentedBody>>;
  /** Error codes of this route, besides those that every route may return. */
  readonly codes?: readonly ErrorCode[];
  /** The status of the successful answer. Default 200. */
  readonly status?: number;
  /** Whether the answer is for its caller alone, and no cache keeps it. Default false. */
  readonly isPrivate?: boolean;
  /** The successful answer. */
  readonly response: DocumentedResponse;
  /** Its header fields besides those of every answer, as http/description/headers.ts names them. */
  readonly headers?: readonly string[];
  /** Whether a key changes the answer of a public route. Default false. */
  readonly keyMatters?: boolean;
  /** Further answers that are not errors, by status. */
  readonly otherResponses?: Readonly<Record<string, DocumentedResponse & Pick<Documentation, 'headers'>>>;
}
