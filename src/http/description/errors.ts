// The errors in openapi.json: their codes, and the answers that carry them.
import { z } from 'zod';
import type { ErrorCode } from '../../errors.ts';
import { PROBLEM_MEDIA_TYPE, problemKind } from '../../problem.ts';
import type { DocumentedResponse } from '../../web/documentation.ts';
import { NOT_KEPT, OF_OPTIONS, OF_STATUS } from './headers.ts';

/** An answer, and the header fields that it has. */
export interface HeadedResponse extends DocumentedResponse {
  /** Its name among the document's components. Absent: it stands where it is given. */
  readonly name?: string | undefined;
  readonly headers: readonly string[];
}

/** Answers by status. */
export type Responses = Readonly<Record<string, HeadedResponse>>;

/** Codes that any route may return. */
const COMMON_CODES: readonly ErrorCode[] = [
  'invalid_parameter',
  'unknown_parameter',
  'credentials_in_url',
  'misplaced_credentials',
  'repeated_credentials',
  'malformed_key',
  'unknown_key',
  'revoked_key',
  'rotated_key',
  'expired_key',
  'wrong_product',
  'access_lapsed',
  'account_suspended',
  'insufficient_scope',
  'precondition_failed',
  'rate_limited',
  'internal_error',
  'store_busy',
  'store_unavailable',
];

/** Codes of requests that no operation describes. */
const OTHER_CODES: readonly ErrorCode[] = [
  'bad_request',
  'credentials_in_url',
  'misplaced_credentials',
  'not_found',
  'method_not_allowed',
  'not_implemented',
  'not_ready',
  'internal_error',
];

/** Codes that only some operations return. */
const SOME_CODES: readonly ErrorCode[] = [
  'credentials_required',
  'unknown_feed',
  'unknown_record',
  'unknown_format',
  'record_withdrawn',
  'log_restarted',
  'register_changed',
  'index_building',
  'too_many_downloads',
  'origin_refused',
  'unsupported_media_type',
  'body_too_large',
  'invalid_body',
  'idempotency_in_progress',
  'idempotency_mismatch',
  'unknown_key_id',
  'unknown_endpoint',
  'unknown_delivery',
  'destination_refused',
  'no_next_secret',
  'no_secrets_key',
];

/** Every code of the service, by status. */
export const ALL_CODES: readonly ErrorCode[] = [...new Set([...COMMON_CODES, ...OTHER_CODES, ...SOME_CODES])].sort(
  (a, b) => problemKind(a).status - problemKind(b).status || a.localeCompare(b, 'en'),
);

/** An error (RFC 9457). */
export const problemSchema: z.ZodObject = z
  .object({
    type: z.string().meta({ format: 'uri', description: 'Names the code; it is not meant to be fetched.' }),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string(),
    code: z.enum(ALL_CODES).meta({ description: 'Stable: programs switch on it.' }),
    request_id: z.string().meta({ description: 'Also the header `X-Request-Id`: quote it when you ask for help.' }),
    parameter: z.string().optional().meta({ description: 'The parameter at fault.' }),
  })
  .meta({ id: 'Problem' });

/** The errors of an operation. @param codes its own @param isReading whether preconditions hold for it */
export function errorsOf(codes: readonly ErrorCode[], isReading: boolean): Responses {
  return problems([...COMMON_CODES.filter((code) => isReading || code !== 'precondition_failed'), ...codes]);
}

/** The answer to an address that is made of the key which a record has by now, where no record has this id. */
export const TO_RENUMBERED: Readonly<Record<string, DocumentedResponse>> = {
  308: {
    description:
      'No record has this id, and the key in it is one that a record was given later: the address of that record, in `Location`. To be kept for 60 seconds.',
  },
};

/** The answers to requests that no operation describes. */
export function otherAnswers(): Responses {
  return {
    204: {
      description: 'To OPTIONS at any path, and to each preflight of a browser.',
      headers: OF_OPTIONS,
    },
    308: {
      description: 'To a path with a slash at its end.',
      headers: [...NOT_KEPT, 'Location'],
    },
    ...problems(OTHER_CODES),
  };
}

/** Error answers by status, each with its codes. */
function problems(codes: readonly ErrorCode[]): Responses {
  const byStatus = Map.groupBy(new Set(codes), (code) => problemKind(code).status);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [
      status,
      {
        name: nameOf(status, ofStatus),
        // Which ones, the schema lists.
        description: 'See `code`.',
        headers: [...NOT_KEPT, ...(OF_STATUS[status] ?? [])],
        content: { [PROBLEM_MEDIA_TYPE]: { schema: problemOf(status, ofStatus) } },
      },
    ]),
  );
}

/** The name of an answer with these codes: `UnknownFeed`, or `Problem503` where there are several. */
function nameOf(status: number, [code, ...others]: readonly ErrorCode[]): string {
  return others.length === 0 ? pascal(code!) : `Problem${status}`;
}

function pascal(code: ErrorCode): string {
  return code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The schemas of problems by status and codes: most operations have the same ones, and each has to be described once. */
const schemas = new Map<string, z.ZodType>();

/** The schema of a problem with this status and one of these codes. */
function problemOf(status: number, codes: readonly ErrorCode[]): z.ZodType {
  const kind = [status, ...codes].join();
  const schema =
    schemas.get(kind) ?? problemSchema.and(z.object({ status: z.literal(status), code: z.enum(codes) }).partial());
  schemas.set(kind, schema);
  return schema;
}
